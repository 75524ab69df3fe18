"""What can be done to a payment, a refund or a dispute in its present status, each as a form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from mock_server.control.requests import DECLINE_NAMES, ENDS, SETTLE_WORDS
from mock_server.domain.dispute import DISPUTE_MACHINE, REASON_CODES, Dispute, stages_after
from mock_server.domain.instants import iso
from mock_server.domain.outcomes import Challenge
from mock_server.domain.refund import REFUND_MACHINE, Refund
from mock_server.domain.statuses import DisputeStage, RefundStatus
from mock_server.domain.statuses import PaymentStatus as P
from mock_server.engine.disputes import HAPPENINGS
from mock_server.story.payment_history import PaymentHistory


class FormField(NamedTuple):
    """One field: a menu if it has values (`empty` is the label of no value), else a line of text."""

    name: str
    label: str
    values: tuple[str, ...] = ()
    value: str = ""
    empty: str = ""
    size: int = 8


class ActForm(NamedTuple):
    """One act: its object, its hidden values, and its fields; `id` distinguishes it from others."""

    operation: str
    args: Mapping[str, str]
    fields: tuple[FormField, ...] = ()
    hidden: Mapping[str, str] = {}
    look: str = ""
    says: str = ""
    id: str = ""


_AMOUNT: Final = FormField("body.amount:whole", "Amount (full if empty)")
_WHY: Final = FormField("body.decline", "Reason, if it fails", DECLINE_NAMES, empty="none")
_FIELDS: Final[Mapping[str, tuple[FormField, ...]]] = {
    "control.authenticate": (FormField("body.result", "Result", tuple(map(str, Challenge))),),
    "control.settle": (FormField("body.as", "As", SETTLE_WORDS), _AMOUNT, _WHY),
    "control.fail": (FormField("body.decline", "Because", DECLINE_NAMES),),
    "control.dispute": (
        FormField("body.reason", "Reason", tuple(REASON_CODES), "fraudulent"),
        _AMOUNT,
        FormField("body.stage", "Stage", tuple(map(str, DisputeStage)), "dispute"),
    ),
    "payments.capture": (FormField("body.amount_to_capture:whole", "Amount (full if empty)"),),
    "payments.cancel": (FormField("body.cancellation_reason", "Reason (optional)", size=14),),
    "payments.confirm": (FormField("card", "Another test card (optional)", size=20),),
    "refunds.create": (_AMOUNT, FormField("body.reason", "Reason (optional)", size=14)),
}
_LOOKS: Final = {
    "control.authenticate": "main", "payments.capture": "main", "payments.approve": "main", "control.settle": "main",
    "payments.confirm": "main", "refunds.create": "main", "control.fail": "bad", "payments.cancel": "bad",
    "payments.reject": "bad", "control.dispute": "bad",
}  # fmt: skip
_CAPTURED: Final = ("refunds.create", "control.dispute", "control.expire")
ACTIONS_BY_STATUS: Final[Mapping[str, tuple[str, ...]]] = {
    P.REQUIRES_ACTION: (
        "control.authenticate", "control.settle", "control.fail", "payments.cancel", "control.hold", "control.expire",
    ),
    P.PENDING: ("control.settle", "control.fail", "control.hold", "control.expire"),
    P.REQUIRES_MERCHANT_ACTION: ("payments.approve", "payments.reject", "control.expire"),
    P.REQUIRES_PAYMENT_METHOD: ("payments.confirm", "payments.cancel", "control.expire"),
    P.REQUIRES_CONFIRMATION: ("payments.confirm", "payments.cancel", "control.hold", "control.expire"),
    P.REQUIRES_CAPTURE: ("payments.capture", "payments.cancel", "control.expire", "control.hold"),
    P.PARTIALLY_AUTHORIZED: ("payments.capture", "payments.cancel", "control.expire"),
    P.SUCCEEDED: _CAPTURED,
    P.PARTIALLY_CAPTURED: _CAPTURED,
    P.PARTIALLY_CAPTURED_AND_CAPTURABLE: ("payments.capture", *_CAPTURED),
    P.FAILED: ("payments.confirm", "control.expire"),
}  # fmt: skip
"""What can be done to a payment of a status; in any other, its session can expire."""
OVER: Final[Mapping[str, tuple[str, ...]]] = {
    P.REQUIRES_ACTION: ("customer", "session"),
    P.REQUIRES_CAPTURE: ("authorization", "session"),
    P.PARTIALLY_AUTHORIZED: ("authorization", "session"),
    P.PARTIALLY_CAPTURED_AND_CAPTURABLE: ("authorization", "session"),
}
"""What can expire for a payment of a status; in any other, its session."""


def forms_of(kept: PaymentHistory) -> Iterator[ActForm]:
    """Every possible act on the payment, its refunds and its disputes."""
    payment = kept.payment
    id = {"payment_id": payment.payment_id}
    for refund in kept.refunds:
        yield from owned_forms(refund)
    for dispute in kept.disputes:
        yield from owned_forms(dispute)
    for due in kept.due[:1]:
        says = f"Next scheduled event: {due.what} at {iso(due.at)[:19].replace('T', ' ')}"
        yield ActForm("control.clock_advance", {}, hidden={"body.to": iso(due.at)}, says=says)
    for operation in ACTIONS_BY_STATUS.get(payment.status, ("control.expire",)):
        fields = _FIELDS.get(operation, ())
        if operation == "control.expire":
            fields = (FormField("body.what", "What expires", OVER.get(payment.status, ("session",))),)
        is_own = operation == "refunds.create"
        hidden = {"body.payment_id": payment.payment_id} if is_own else {}
        yield ActForm(operation, {} if is_own else id, fields, hidden, _LOOKS.get(operation, ""))


def owned_forms(one: Any) -> Iterator[ActForm]:
    """Every possible act on a refund or a dispute."""
    ends = ends_of(one)
    if isinstance(one, Refund) and ends:
        settles = (FormField("body.as", "New status", ends), _WHY)
        yield ActForm("control.settle_refund", {"refund_id": one.refund_id}, settles, says=f"Refund {one.refund_id}")
    if isinstance(one, Dispute) and ends:
        fields = (FormField("body.to", "To", ends),)
        args, says = {"dispute_id": one.dispute_id}, f"Dispute {one.dispute_id}"
        yield ActForm("control.advance_dispute", args, fields, look="main", says=says)
        if "accepted" in ends:
            yield ActForm("disputes.accept", args, says=says)


def ends_of(one: object) -> tuple[str, ...]:
    """The statuses that the control API can set for a refund or a dispute."""
    if isinstance(one, Refund):
        return tuple(end for end in ENDS if REFUND_MACHINE.between(one.status, RefundStatus(end)))
    if isinstance(one, Dispute):
        ends = tuple(word for word, what in HAPPENINGS.items() if one.status in DISPUTE_MACHINE.sources(what))
        return (*ends, *map(str, stages_after(one.stage)))
    return ()
