"""What a payment by a method other than a card comes to when nothing else decides: the method's default.

Cards are answered by `issuer`; this is its counterpart for wallets, banks and UPI.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from mock_server.domain.instants import SECOND_MS
from mock_server.domain.issuer import SETTLE_AFTER_MS
from mock_server.domain.methods import Flow, Method, flow_of
from mock_server.domain.outcomes import APPROVED, Challenge, Outcome, OutcomeStatus, Settles

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
"""What an address is answered that cannot be one (facts §7.1)."""
_WELL_FORMED: Final = re.compile(r"[a-z0-9._-]{2,256}@[a-z][a-z0-9]{1,63}")
"""A name and a bank's handle, as the scheme writes them."""

_VPAS: Final = {row.address: row.says for row in VPAS}


def answer_to_vpa(address: str) -> Outcome:
    """What the bank of a UPI address answers; addresses know no case.

    One that no table names is paid from, as a card is that no table names.
    """
    vpa = address.strip().lower()
    return _VPAS.get(vpa) or (_WAITS if _WELL_FORMED.fullmatch(vpa) else NO_SUCH_VPA)


def answer(method: Method, payload_name: str | None = None, vpa: str | None = None) -> Outcome:
    """What a payment by `method` comes to; `vpa` is the address of a UPI collect request."""
    flow = flow_of(method, payload_name)
    if flow is Flow.CHARGE:
        return APPROVED
    if flow is Flow.WAIT_SCREEN and vpa is not None:
        return answer_to_vpa(vpa)
    then = _SETTLES if method.asynchronous else APPROVED
    return Outcome(OutcomeStatus.REQUIRES_ACTION, challenge_kind=flow, then=then)


_SETTLES: Final = Outcome(OutcomeStatus.PENDING, settles=Settles(OutcomeStatus.SUCCEEDED, SETTLE_AFTER_MS))
"""Once the money was seen: it is booked a while later."""
