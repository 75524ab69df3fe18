"""What can be done to a payment, a refund or a dispute in its present status, each as a form."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from mock_server.control.requests import ENDS, SETTLE_WORDS
from mock_server.domain import declines
from mock_server.domain.dispute import DISPUTE_MACHINE, REASON_CODES, Dispute, stages_after
from mock_server.domain.errors import Refusal
from mock_server.domain.instants import iso, iso_to_read
from mock_server.domain.money import exponent_of, format_plain
from mock_server.domain.outcomes import NO_CALL, Challenge, OutcomeStatus
from mock_server.domain.payment import MANUAL_MULTIPLE, Payment
from mock_server.domain.refund import REFUND_MACHINE, CreateRefund, Refund, refundable
from mock_server.domain.statuses import DisputeStage, RefundStatus
from mock_server.domain.statuses import PaymentStatus as P
from mock_server.engine import disputes, profiles, refunds
from mock_server.engine.context import CommandContext
from mock_server.engine.disputes import HAPPENINGS
from mock_server.engine.payments import access, capture, charge, settle
from mock_server.pages.showing import amount_of
from mock_server.sandbox.workspace import Workspace
from mock_server.store.transaction import Transaction
from mock_server.story import words
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
    label: str = ""


_WHY: Final = FormField("body.decline", "Reason, if it fails", declines.names(), empty="none")


def _fields(operation: str, payment: Payment) -> tuple[FormField, ...]:
    """The fields of an act on a payment; an amount that the call needs, or whose default is too much, is filled in."""
    code = payment.currency
    match operation:
        case "control.authenticate":
            return (FormField("body.result", "Result", tuple(map(str, Challenge))),)
        case "control.settle":
            return (FormField("body.as", "As", SETTLE_WORDS), _amount("amount", code), _WHY)
        case "control.fail":
            return (FormField("body.decline", "Because", declines.names()),)
        case "control.dispute":
            reasons = FormField("body.reason", "Reason", tuple(REASON_CODES), "fraudulent")
            return (reasons, _amount("amount", code), FormField("body.stage", "Stage", tuple(DisputeStage), "dispute"))
        case "payments.capture":
            rest = payment.amount_capturable if payment.capture_method == MANUAL_MULTIPLE else None
            return (_amount("amount_to_capture", code, rest),)
        case "payments.cancel":
            return (FormField("body.cancellation_reason", "Reason (optional)", size=14),)
        case "payments.confirm" if payment.payment_method is None:
            return (FormField("card", "Test card", value="visa_success", size=20),)
        case "payments.confirm":
            return (FormField("card", "Another test card (optional)", size=20),)
        case "refunds.create":
            rest = refundable(payment) if refundable(payment) < payment.captured_amount else None
            return (_amount("amount", code, rest), FormField("body.reason", "Reason (optional)", size=14))
        case _:
            return ()


def _amount(name: str, code: str, rest: int | None = None) -> FormField:
    exponent = exponent_of(code)
    if rest is not None:
        return FormField(f"body.{name}:{code}", f"Amount in {code}", value=format_plain(rest, exponent))
    return FormField(f"body.{name}:{code}", f"Amount in {code}, such as {format_plain(2000, exponent)} (full if empty)")


_LOOKS: Final = {
    "control.authenticate": "main", "payments.capture": "main", "payments.approve": "main", "control.settle": "main",
    "payments.confirm": "main", "refunds.create": "main", "control.fail": "bad", "payments.cancel": "bad",
    "payments.reject": "bad", "control.dispute": "bad",
}  # fmt: skip
Command = Callable[[Transaction, CommandContext, str], object]
ACTIONS: Final[Mapping[str, Command]] = {
    "control.authenticate": lambda tx, context, id: charge.authenticate(tx, context, id, Challenge.APPROVED),
    "payments.approve": settle.approve,
    "payments.reject": settle.reject,
    "payments.capture": lambda tx, context, id: capture.capture(tx, context, id, 1),
    "payments.confirm": lambda tx, context, id: _confirmable(tx, context, access.find(tx, id)),
    "refunds.create": lambda tx, context, id: refunds.create(tx, context, CreateRefund(payment_id=id, amount=1)),
    "control.settle": lambda tx, context, id: settle.settle(tx, context, id, OutcomeStatus.SUCCEEDED),
    "payments.cancel": settle.cancel,
    "control.fail": lambda tx, context, id: settle.fail_open(tx, context, id, "generic_decline"),
    "control.hold": settle.hold,
    "control.dispute": disputes.open,
}
"""The acts on a payment in the order of their buttons, and the engine's command for each."""


NEWEST: Final = 2
"""How many refunds and disputes have their forms on the payment's page, which is large otherwise (ours)."""


class _Undone(Exception):
    """Ends a transaction whose result was only asked for."""


def _is_possible(workspace: Workspace, command: Command, id: str) -> bool:
    """Whether the engine accepts a command now: it is run, and undone."""

    def tried(tx: Transaction) -> None:
        command(tx, workspace.context(workspace.now(), NO_CALL), id)
        raise _Undone

    try:
        workspace.space.transact(tried)
    except _Undone:
        return True
    except Refusal:
        return False
    raise AssertionError("a transaction that raises nothing")


def _confirmable(tx: Transaction, context: CommandContext, payment: Payment) -> None:
    """Refused as a confirmation is, whatever method it sends."""
    access.permit(payment, "confirm")
    profile = profiles.look_up(tx, payment.profile_id)
    if payment.status is P.FAILED:
        access.permit_retry(payment, profile, context.now)


def forms_of(workspace: Workspace, kept: PaymentHistory) -> Iterator[ActForm]:
    """Every possible act on the payment and its newest refunds and disputes; older ones have their own pages."""
    payment = kept.payment
    id = {"payment_id": payment.payment_id}
    for one in (*kept.refunds[:NEWEST], *kept.disputes[:NEWEST]):
        yield from owned_forms(one)
    for due in kept.due[:1]:
        says = f"Next scheduled event: {words.SCHEDULED[due.what]} at {iso_to_read(iso(due.at))}"
        yield ActForm("control.clock_advance", {}, hidden={"body.to": iso(due.at)}, says=says)
    for operation, command in ACTIONS.items():
        if _is_possible(workspace, command, payment.payment_id):
            is_own = operation == "refunds.create"
            hidden = {"body.payment_id": payment.payment_id} if is_own else {}
            label = "Confirm" if operation == "payments.confirm" and payment.status is not P.FAILED else ""
            fields = _fields(operation, payment)
            if operation in ("payments.confirm", "payments.capture"):
                hidden = {"shown": amount_of(payment)}  # what is charged, which a client may have changed meanwhile
            yield ActForm(operation, {} if is_own else id, fields, hidden, _LOOKS.get(operation, ""), label=label)
    over = tuple(what for what, act in settle.EXPIRES.items() if _is_possible(workspace, act, payment.payment_id))
    yield ActForm("control.expire", id, (FormField("body.what", "What expires", over),))


def owned_forms(one: Any) -> Iterator[ActForm]:
    """Every possible act on a refund or a dispute, by the statuses that the control API can set."""
    if isinstance(one, Refund):
        ends = tuple(end for end in ENDS if REFUND_MACHINE.between(one.status, RefundStatus(end)))
        args, says = {"refund_id": one.refund_id}, f"Refund {one.refund_id}"
        if ends:
            yield ActForm("control.settle_refund", args, (FormField("body.as", "New status", ends), _WHY), says=says)
    elif isinstance(one, Dispute):
        ends = tuple(word for word, what in HAPPENINGS.items() if one.status in DISPUTE_MACHINE.sources(what))
        ends += tuple(map(str, stages_after(one.stage)))
        args, says = {"dispute_id": one.dispute_id}, f"Dispute {one.dispute_id}"
        if decided := tuple(end for end in ends if end in _DECIDED):
            fields = (FormField("body.to", "Decision", decided),)
            yield ActForm("control.advance_dispute", args, fields, look="main", says=says, label="Decide the dispute")
        if "challenged" in ends:
            evidence = FormField("body.uncategorized_text", "Evidence, as text", size=30)
            yield ActForm("disputes.submit_evidence", {}, (evidence,), {"body.dispute_id": one.dispute_id}, says=says)
        if "accepted" in ends:
            yield ActForm("disputes.accept", args, says=says)
        if ends:
            fields = (FormField("body.to", "To", tuple(end for end in ends if end not in _DECIDED)),)
            yield ActForm("control.advance_dispute", args, fields, says=says, id="move_dispute")


_DECIDED: Final = ("won", "lost")
