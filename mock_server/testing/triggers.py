"""What a test does as the customer, the bank or the clock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mock_server.testing.control import Control
from mock_server.testing.records import Event, Wire, event, ident

Payment = str | Mapping[str, Any]


class Triggers:
    """Each call takes an id or the whole object, and gives the object as it then stands."""

    def __init__(self, control: Control) -> None:
        self._control = control

    def authenticate(self, payment: Payment, result: str = "approved") -> Wire:
        """Ends a challenge or a customer's page: approved, declined, cancelled, expired, unavailable, abandoned."""
        return self._payment(payment, "authenticate", result=result)

    def settle(
        self, payment: Payment, as_: str = "succeeded", *, amount: int | None = None, decline: str | None = None
    ) -> Wire:
        """Closes an open payment as succeeded, failed or pending; `amount` is what came of a transfer."""
        return self._payment(payment, "settle", **{"as": as_, "amount": amount, "decline": decline})

    def fail(self, payment: Payment, decline: str = "generic_decline") -> Wire:
        """Fails an open payment for a named reason."""
        return self._payment(payment, "fail", decline=decline)

    def expire(self, payment: Payment, what: str = "customer") -> Wire:
        """Ends the `session`, the `customer`'s time or the `authorization`."""
        return self._payment(payment, "expire", what=what)

    def hold(self, payment: Payment) -> Wire:
        """Puts an open payment under review."""
        return self._payment(payment, "hold")

    def dispute(
        self, payment: Payment, *, reason: str | None = None, stage: str | None = None, amount: int | None = None
    ) -> Wire:
        """Lets the customer's bank dispute a payment; gives the dispute."""
        return self._payment(payment, "dispute", reason=reason, stage=stage, amount=amount)

    def settle_refund(self, refund: Payment, as_: str = "succeeded", *, decline: str | None = None) -> Wire:
        """Brings a refund to its end."""
        return self._post(f"/refunds/{ident(refund, 'refund_id')}/settle", {"as": as_, "decline": decline})

    def advance_dispute(self, dispute: Payment, to: str) -> Wire:
        """Brings a dispute to its end, or to a later stage."""
        return self._post(f"/disputes/{ident(dispute, 'dispute_id')}/advance", {"to": to})

    def webhook(self, type: str, object_id: str, *, overrides: Wire | None = None) -> Event:
        """Tells an event of an object as it stands, with these values put in."""
        told = {"type": type, "object_id": object_id, "overrides": overrides}
        return event(self._post("/webhooks/trigger", told))

    def _payment(self, payment: Payment, call: str, **body: Any) -> Wire:
        return self._post(f"/payments/{ident(payment)}/{call}", body)

    def _post(self, path: str, body: Wire) -> Wire:
        found: Wire = self._control.post(path, body)
        return found
