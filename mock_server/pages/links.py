"""What a customer's link leads to: the payment and its attempt, and whether the page is still open (facts §2.3)."""

from __future__ import annotations

import hmac
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.events import EventType
from mock_server.domain.ids import attempt_id
from mock_server.domain.payment import Payment, has_link
from mock_server.domain.profile import Profile
from mock_server.domain.statuses import PaymentStatus
from mock_server.engine.kinds import PAYMENTS, PROFILES
from mock_server.engine.payments.due import flow_of
from mock_server.pages.operations import CHALLENGE, PAYING
from mock_server.sandbox import Workspace
from mock_server.store.protocol import Transaction

if TYPE_CHECKING:
    from mock_server.sandbox import Sandbox


TOKEN_KEY: Final = "pages"
FORM: Final = "form"
FINISH: Final = "finish"


_UNPAID: Final = frozenset({PaymentStatus.REQUIRES_PAYMENT_METHOD, PaymentStatus.REQUIRES_CONFIRMATION})


class Stands(StrEnum):
    """How a link stands."""

    OPEN = "open"
    DONE = "done"
    OVER = "over"


class Link(Struct, frozen=True):
    """A link that was given out, as it stands now. Instant in ms of the workspace.

    `pays`: it leads to the page on which a payment can be paid.
    """

    workspace: Workspace
    payment: Payment
    profile: Profile
    attempt_id: str
    now: int
    pays: bool = False

    @property
    def stands(self) -> Stands:
        """Open while its own attempt waits for the customer; over when the time is, or another attempt began."""
        payment = self.payment
        if self.pays and payment.status in _UNPAID:
            return Stands.OPEN if self.now < payment.expires_at else Stands.OVER
        if self.attempt_id != payment.attempt_id or payment.status is PaymentStatus.EXPIRED:
            return Stands.OVER
        return Stands.OPEN if payment.status is PaymentStatus.REQUIRES_ACTION else Stands.DONE

    @property
    def kind(self) -> str:
        """The sort of page: the bank's challenge of a card, or the flow of another method."""
        if self.pays:
            return PAYING
        return CHALLENGE if self.payment.card is not None else flow_of(self.payment)

    @property
    def subject(self) -> str:
        """What tokens of this link are made for."""
        return f"{self.payment.payment_id}/{self.attempt_id}"


def find(sandbox: Sandbox, payment_id: str, merchant_id: str, of_attempt: str | None, *, pays: bool = False) -> Link:
    """The link, if one like it was given out; the payment's newest without an attempt. Refused as `link_unknown`."""
    for workspace in sandbox.workspaces_of(merchant_id, (PAYMENTS, payment_id)):
        now = workspace.catch_up()
        found = workspace.space.transact(lambda tx: _read(tx, payment_id))
        if found is None:
            continue
        own = of_attempt or found[0].attempt_id
        if has_link(found[0]) if pays else was_given_out(found[0], own):
            return Link(workspace, *found, own, now, pays)
    raise Refusal(Cause.LINK_UNKNOWN)


def _read(tx: Transaction, payment_id: str) -> tuple[Payment, Profile] | None:
    payment = tx.get(PAYMENTS, payment_id)
    profile = tx.get(PROFILES, payment.profile_id) if payment else None
    return (payment, profile) if payment and profile else None


def was_given_out(payment: Payment, of_attempt: str) -> bool:
    """Whether this payment ever sent its customer to a page, and this attempt is one of its own."""
    own = {attempt_id(payment.payment_id, one.number) for one in payment.attempts}
    return of_attempt in own and EventType.ACTION_REQUIRED in payment.told


# proofs that a form or a refresh comes from a page that we showed: HMACs under a key of the workspace (ours)


def token_for(link: Link, purpose: str) -> str:
    """The token of a link's page for one purpose; it is of no use on another link, nor once the page is done."""
    message = f"{purpose}/{link.subject}".encode()
    return hmac.digest(link.workspace.randomness.sha_key(TOKEN_KEY), message, "sha256").hex()[:40]


def check_token(link: Link, purpose: str, given: str | None) -> None:
    """Refused as `page_token_wrong`."""
    if not hmac.compare_digest(token_for(link, purpose).encode(), (given or "").encode()):
        raise Refusal(Cause.PAGE_TOKEN_WRONG)
