"""What is done until the sandbox tells an event by itself: operations in order, one row an event."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from mock_server.domain.events import EventType

Recipe: TypeAlias = tuple[tuple[str, dict[str, Any]], ...]
PROFILE: Final = "pro_first_steps"
"""The profile of payments that say no other, as in the first call that `serve` prints."""
FOUND: Final = ""
"""Stands in a body for the id that an earlier answer had; parts of paths are found without it."""


def _paid(**more: object) -> tuple[str, dict[str, Any]]:
    common = {"amount": 6540, "currency": "USD", "profile_id": PROFILE, "confirm": True, "card": "success"}
    return "payments.create", {**common, **more}


def _disputed(*ends: str) -> Recipe:
    opened = (_paid(), ("control.dispute", {"reason": "fraudulent"}))
    return *opened, *(("control.advance_dispute", {"to": end}) for end in ends)


_HELD: Final = _paid(capture_method="manual")
_REFUND: Final = ("refunds.create", {"payment_id": FOUND})
_AGREED: Final = _paid(
    customer_id="cus_first_steps",
    setup_future_usage="off_session",
    mandate_data={"customer_acceptance": {"acceptance_type": "offline"}, "mandate_type": {}},
)
_E: Final = EventType

RECIPES: Final[Mapping[str, Recipe]] = {
    _E.PAYMENT_SUCCEEDED: (_paid(),),
    _E.PAYMENT_FAILED: (_paid(card="visa_generic_decline"),),
    _E.PAYMENT_PROCESSING: (_paid(card="visa_pending_succeeds"),),
    _E.PAYMENT_CANCELLED: (_HELD, ("payments.cancel", {})),
    _E.PAYMENT_CANCELLED_POST_CAPTURE: (_paid(), ("payments.cancel_post_capture", {})),
    _E.PAYMENT_AUTHORIZED: (_HELD,),
    _E.PAYMENT_PARTIALLY_AUTHORIZED: (_paid(card="visa_partial_authorization", enable_partial_authorization=True),),
    _E.PAYMENT_CAPTURED: (_HELD, ("payments.capture", {"amount_to_capture": 4000})),
    _E.PAYMENT_EXPIRED: (_HELD, ("control.expire", {"what": "authorization"})),
    _E.ACTION_REQUIRED: (_paid(authentication_type="three_ds"),),
    _E.REFUND_SUCCEEDED: (_paid(), _REFUND),
    _E.REFUND_FAILED: (_paid(card="visa_refund_fails"), _REFUND),
    _E.DISPUTE_OPENED: _disputed(),
    _E.DISPUTE_EXPIRED: _disputed("expired"),
    _E.DISPUTE_ACCEPTED: _disputed("accepted"),
    _E.DISPUTE_CANCELLED: _disputed("cancelled"),
    _E.DISPUTE_CHALLENGED: _disputed("challenged"),
    _E.DISPUTE_WON: _disputed("challenged", "won"),
    _E.DISPUTE_LOST: _disputed("challenged", "lost"),
    _E.MANDATE_ACTIVE: (_AGREED,),
    _E.MANDATE_REVOKED: (_AGREED, ("mandates.revoke", {})),
}
"""Every event, and what it takes until it is told."""
