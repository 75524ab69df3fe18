"""What a card's bank does with a charge: authenticate the customer or not, then approve, decline or wait.

A `Behaviour` is plain data, so one row of the card table says all of it. `answer` makes the `Outcome` of a charge.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final, NamedTuple

from msgspec import Struct

from mock_server.domain.instants import DAY_MS, SECOND_MS
from mock_server.domain.methods import Flow, Method, flow_of
from mock_server.domain.outcomes import (
    APPROVED,
    CHALLENGE_DECLINE,
    Challenge,
    DisputePlan,
    Outcome,
    OutcomeStatus,
    Settles,
)

SETTLE_AFTER_MS: Final = 10 * SECOND_MS  # ours: long enough to see the open state, short enough to wait for the end


class Authenticates(StrEnum):
    """When the bank authenticates its customer (decisions "Cards")."""

    NEVER = "never"
    ON_REQUEST = "on_request"
    REQUIRED = "required"
    UNLESS_SET_UP = "unless_set_up"
    ALWAYS = "always"


class Lookup(StrEnum):
    """What the bank's authentication server answers first, in the letters of EMV 3-D Secure's transStatus."""

    CHALLENGE = "C"
    AUTHENTICATED = "Y"
    ATTEMPTED = "A"
    REJECTED = "R"
    UNAVAILABLE = "U"


class ChallengeForm(StrEnum):
    """What the challenge page asks for."""

    BUTTONS = "challenge"
    ONE_TIME_CODE = "one_time_code"
    CAPTCHA = "captcha"


ONE_TIME_CODE: Final = "123456"
"""The code that the page of a one-time-code card accepts (ours)."""


class Risk(NamedTuple):
    """The fraud check's score of a card, from 0 to 100, and its reason (facts §3.6)."""

    score: int
    reason: str


class Behaviour(Struct, frozen=True, kw_only=True):
    """Everything that a card's bank does.

    `says` is its answer after any authentication; `later` replaces it for charges of a saved card. When
    and how it authenticates is `authenticates`, `lookup` and `form`. `on_sync` closes an open answer when the
    caller asks the connector (`force_sync`).
    """

    says: Outcome = APPROVED
    later: Outcome | None = None
    authenticates: Authenticates = Authenticates.ON_REQUEST
    lookup: Lookup = Lookup.CHALLENGE
    form: ChallengeForm = ChallengeForm.BUTTONS
    on_sync: bool = False
    risk: Risk | None = None


class ChargeTerms(NamedTuple):
    """How a charge is made: what the merchant wants, and whether the customer is there.

    `saved`: of a saved card; `set_up`: of a card that was authenticated when it was saved; `expired`: of a card that
    has expired.
    """

    authentication_type: str | None = None
    customer_present: bool = True
    saved: bool = False
    set_up: bool = False
    expired: bool = False


APPROVES: Final = Behaviour()


def answer(behaviour: Behaviour, asking: ChargeTerms) -> Outcome:
    """What the bank answers to this charge."""
    if asking.expired:
        return Outcome(OutcomeStatus.FAILED, decline="expired_card")
    says = behaviour.later if asking.saved and behaviour.later is not None else behaviour.says
    if not wants_authentication(behaviour.authenticates, asking):
        return says
    if not asking.customer_present:
        return Outcome(OutcomeStatus.FAILED, decline="authentication_required")
    match behaviour.lookup:
        case Lookup.AUTHENTICATED | Lookup.ATTEMPTED:
            return says
        case Lookup.REJECTED:
            return Outcome(OutcomeStatus.FAILED, decline=CHALLENGE_DECLINE[Challenge.DECLINED])
        case Lookup.UNAVAILABLE:
            return Outcome(OutcomeStatus.FAILED, decline=CHALLENGE_DECLINE[Challenge.UNAVAILABLE])
        case Lookup.CHALLENGE:
            return Outcome(OutcomeStatus.REQUIRES_ACTION, challenge_kind=behaviour.form, then=says)


def wants_authentication(when: Authenticates, asking: ChargeTerms) -> bool:
    """Whether the bank wants to authenticate the customer for this charge."""
    asked = asking.authentication_type
    match when:
        case Authenticates.NEVER:
            return False
        case Authenticates.ON_REQUEST:
            return asked == "three_ds" and asking.customer_present
        case Authenticates.REQUIRED:
            return asked != "no_three_ds"
        case Authenticates.UNLESS_SET_UP:
            return asked != "no_three_ds" and (asking.customer_present or not asking.set_up)
        case Authenticates.ALWAYS:
            return True


# What the rows of the card table say.


def declines(name: str) -> Behaviour:
    """The bank declines, and authenticates nobody first."""
    return Behaviour(says=Outcome(OutcomeStatus.FAILED, decline=name), authenticates=Authenticates.NEVER)


def challenges(
    when: Authenticates = Authenticates.REQUIRED,
    says: Outcome = APPROVED,
    *,
    lookup: Lookup = Lookup.CHALLENGE,
    form: ChallengeForm = ChallengeForm.BUTTONS,
) -> Behaviour:
    """The bank authenticates its customer, then answers `says`."""
    return Behaviour(says=says, authenticates=when, lookup=lookup, form=form)


def settles(word: OutcomeStatus, after_ms: int | None = SETTLE_AFTER_MS, *, on_sync: bool = False) -> Behaviour:
    """The bank's answer stays open and ends as `word`; without a time, only by a trigger or a sync."""
    closing = _ends(word, "settlement_failed", after_ms)
    return Behaviour(says=Outcome(OutcomeStatus.PENDING, settles=closing), on_sync=on_sync)


def holds(score: int, reason: str, ends: OutcomeStatus | None = None, **checks: str) -> Behaviour:
    """The bank approves, and the fraud check holds the payment for a person, or for `ends` after a while."""
    closing = None if ends is None else _ends(ends, "rejected_in_review")
    says = Outcome(OutcomeStatus.REQUIRES_MERCHANT_ACTION, settles=closing, checks=_checks(**checks) if checks else {})
    return Behaviour(says=says, risk=Risk(score, reason))


def approves_part(percent: int) -> Behaviour:
    """The bank approves a share of the amount, or declines if partial authorization is not enabled."""
    part = Outcome(OutcomeStatus.PARTIALLY_AUTHORIZED, decline="insufficient_funds", approved_percent=percent)
    return Behaviour(says=part)


def disputes(*plans: DisputePlan) -> Behaviour:
    """The bank approves; its customer disputes the charge once it is captured."""
    return Behaviour(says=Outcome(OutcomeStatus.SUCCEEDED, disputes=plans))


def refunds(first: OutcomeStatus, then: OutcomeStatus | None = None, decline: str = "refund_failed") -> Behaviour:
    """The bank approves; refunds are answered with `first` and go on to `then` after a while."""
    closing = None if then is None else _ends(then, decline)
    refund = Outcome(first, decline=decline if first is OutcomeStatus.FAILED else None, settles=closing)
    return Behaviour(says=Outcome(OutcomeStatus.SUCCEEDED, later={"refunds.create": refund}))


def later(operation: str, decline: str) -> Behaviour:
    """The bank approves; a later operation on the payment fails."""
    fails = Outcome(OutcomeStatus.FAILED, decline=decline)
    return Behaviour(says=Outcome(OutcomeStatus.SUCCEEDED, later={operation: fails}))


def checks(*, cvc: str = "pass", line1: str = "pass", zip_code: str = "pass") -> Behaviour:
    """The bank approves although these checks have such results."""
    return Behaviour(says=Outcome(OutcomeStatus.SUCCEEDED, checks=_checks(cvc=cvc, line1=line1, zip_code=zip_code)))


def _checks(*, cvc: str = "pass", line1: str = "pass", zip_code: str = "pass") -> dict[str, str]:
    return {"address_line1_check": line1, "address_postal_code_check": zip_code, "cvc_check": cvc}


def _ends(word: OutcomeStatus, decline: str, after_ms: int | None = SETTLE_AFTER_MS) -> Settles:
    """How an open answer ends, with the decline if it fails."""
    return Settles(word, after_ms, decline=decline if word is OutcomeStatus.FAILED else None)


UPI_APPROVED_AFTER_MS: Final = 2 * SECOND_MS  # ours: one look at the wait screen


class Vpa(NamedTuple):
    """One UPI address and what its holder's bank answers."""

    address: str
    says: Outcome
    source: str


_WAITS: Final = Outcome(
    OutcomeStatus.REQUIRES_ACTION,
    challenge=Challenge.APPROVED,
    challenge_after_ms=UPI_APPROVED_AFTER_MS,
    challenge_kind=Flow.WAIT_SCREEN,
    then=APPROVED,
)
_FAILS: Final = Outcome(OutcomeStatus.FAILED, decline="upi_payment_failed")
_HANGS: Final = Outcome(OutcomeStatus.PENDING, settles=Settles(OutcomeStatus.SUCCEEDED))

VPAS: Final = (
    Vpa("success@upi", _WAITS, "facts §7.1"),
    Vpa("failure@upi", _FAILS, "facts §7.1"),
    Vpa("pending@upi", _HANGS, 'decisions "The other methods"'),
)

NO_SUCH_VPA: Final = Outcome(OutcomeStatus.FAILED, decline="upi_invalid_vpa")
"""The answer to a text that cannot be an address (facts §7.1)."""
_WELL_FORMED: Final = re.compile(r"[a-z0-9._-]{2,256}@[a-z][a-z0-9]{1,63}")
"""A name and a bank's handle, as the scheme writes them."""

_VPAS: Final = {row.address: row.says for row in VPAS}


DEBIT_MS: Final = 3 * DAY_MS
"""How long a bank debit takes, as with most banks (ours)."""
RETURNED: Final = ("1116", "3001")
"""The last digits of accounts that have no money (well known from other sandboxes)."""
_COLLECTS: Final = Outcome(OutcomeStatus.PENDING, settles=Settles(OutcomeStatus.SUCCEEDED, DEBIT_MS))
_RETURNS: Final = Outcome(
    OutcomeStatus.PENDING, settles=Settles(OutcomeStatus.FAILED, DEBIT_MS, decline="insufficient_funds")
)


def method_answer(method: Method, payload_name: str | None = None, vpa: str | None = None) -> Outcome:
    """The outcome of a payment by `method`; `vpa` is what its data say: a UPI address, or an account's last digits."""
    flow = flow_of(method, payload_name)
    if flow is Flow.CHARGE:
        return APPROVED
    if flow is Flow.DEBIT:
        return _RETURNS if (vpa or "").endswith(RETURNED) else _COLLECTS
    if method.type == "upi_collect" and vpa is not None:
        # An unlisted address is paid from, as an unlisted card is; addresses have no case.
        address = vpa.strip().lower()
        return _VPAS.get(address) or (_WAITS if _WELL_FORMED.fullmatch(address) else NO_SUCH_VPA)
    then = _SETTLES if method.asynchronous else APPROVED
    return Outcome(OutcomeStatus.REQUIRES_ACTION, challenge_kind=flow, then=then)


_SETTLES: Final = Outcome(OutcomeStatus.PENDING, settles=Settles(OutcomeStatus.SUCCEEDED, SETTLE_AFTER_MS))
"""After the money was seen: it is booked a while later."""
