"""How an open payment ends, and how its authorization changes until then: a late answer, an increment, a void."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec import structs

from mock_server.domain.cards import by_name
from mock_server.domain.commands import RetrievePayment
from mock_server.domain.errors import Cause, ObjectKind, Refusal, trigger_forbids, wrong_field
from mock_server.domain.outcomes import APPROVED, Outcome, OutcomeStatus, Settles
from mock_server.domain.paging import Page, Query
from mock_server.domain.payment import Failure, Increment, Payment, Void
from mock_server.domain.statuses import IncrementStatus, MerchantDecision, PaymentStatus, RefundStatus
from mock_server.domain.statuses import PaymentStatus as S
from mock_server.domain.transitions import ASK_BY_NAME, OPEN_AUTHORIZATION
from mock_server.domain.transitions import Trigger as H
from mock_server.engine import listing, outbox
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import PAYMENTS
from mock_server.engine.payments import access, charge, due
from mock_server.engine.payments.access import happened
from mock_server.engine.payments.capture import authorization_over, capture_settles, until_its_end
from mock_server.engine.vault import mandates
from mock_server.store.transaction import Transaction

AFTER_APPROVAL = ("capture", "void")
"""What a payment can wait for after its bank's approval; it is too late to hold the charge then."""


def approve(tx: Transaction, context: CommandContext, payment_id: str) -> Payment:
    """Approves a held payment: it is charged, or authorized if its capture is manual. Refused as `status_forbids`."""
    return reviewed(tx, context, access.find_permitted(tx, payment_id, "approve"), OutcomeStatus.SUCCEEDED)


def reject(tx: Transaction, context: CommandContext, payment_id: str) -> Payment:
    """Fails a held payment and releases its authorization. Refused as `status_forbids`."""
    return reviewed(tx, context, access.find_permitted(tx, payment_id, "reject"), OutcomeStatus.FAILED)


def reviewed(tx: Transaction, context: CommandContext, payment: Payment, word: OutcomeStatus) -> Payment:
    """Ends a review, whoever decided it."""
    due.nothing_more(tx, payment, due.SETTLE)
    if word is not OutcomeStatus.SUCCEEDED:
        mandates.withdraw(tx, context, payment)
        rejected = {"merchant_decision": MerchantDecision.REJECTED, "failure": Failure("rejected_in_review")}
        return happened(tx, context, payment, H.REJECTED, **rejected)
    payment = mandates.keep(tx, context, payment)
    approved = {"merchant_decision": MerchantDecision.APPROVED}
    held = payment.waiting.outcome if payment.waiting else APPROVED
    disputes = held.disputes or payment.planned_disputes
    if payment.is_manual and payment.authorized_amount:
        begun = payment.capture_before
        until = begun or due.authorization(tx, context, payment, held)
        planned = {"planned_disputes": disputes, "capture_before": until}
        payment = happened(tx, context, payment, H.APPROVED_AND_AUTHORIZED, **planned, **approved)
        return payment if begun is None else until_its_end(tx, context, payment)
    due.disputes(tx, context, payment, disputes)
    captured = payment.authorized_amount
    return happened(tx, context, payment, H.APPROVED_AND_CHARGED, captured_amount=captured, **approved)


def hold(tx: Transaction, context: CommandContext, payment_id: str) -> Payment:
    """Puts a payment under review (control API). Refused as `trigger_forbids`, also while a capture or void is open."""
    payment = access.find_triggered(tx, payment_id, "hold")
    if payment.waiting and payment.waiting.kind in AFTER_APPROVAL:
        states = sorted(ASK_BY_NAME["hold"].allowed - {payment.status})
        raise trigger_forbids("hold", ObjectKind.PAYMENT, payment.status, states)
    due.nothing_more(tx, payment, due.AUTHORIZATION, *due.OF_CUSTOMER, due.SETTLE)
    planned = Outcome(OutcomeStatus.REQUIRES_MERCHANT_ACTION, later=payment.later)
    waited = payment.waiting.outcome if payment.waiting else planned
    return charge.hold(tx, context, payment, structs.replace(waited, settles=None))  # only a decision ends it


LATE = Settles()


def settle(
    tx: Transaction,
    context: CommandContext,
    payment_id: str,
    word: OutcomeStatus,
    *,
    decline: str | None = None,
    amount: int | None = None,
) -> Payment:
    """Ends an open payment (control API), also with a part of the amount. Refused as `trigger_forbids`."""
    payment = access.find_triggered(tx, payment_id, "settle")
    if word is OutcomeStatus.PENDING:
        return payment if payment.status is PaymentStatus.PENDING else see_money(tx, context, payment)
    if payment.status is PaymentStatus.REQUIRES_ACTION and word is OutcomeStatus.SUCCEEDED:
        payment = see_money(tx, context, payment)
    charges = payment.waiting is None or payment.waiting.kind not in AFTER_APPROVAL
    if amount is not None and (payment.is_manual or not charges or amount > payment.net_amount):
        problem = f"is for a part of {payment.net_amount}, and only of what is captured when its money arrives"
        raise wrong_field("amount", problem)
    return close(tx, context, payment, word, decline, amount)


def see_money(tx: Transaction, context: CommandContext, payment: Payment) -> Payment:
    """The customer has paid, and the money is on its way."""
    due.nothing_more(tx, payment, *due.OF_CUSTOMER)
    outcome = payment.waiting.outcome.then if payment.waiting else None
    if outcome is None or outcome.word is not OutcomeStatus.PENDING:
        outcome = Outcome(OutcomeStatus.PENDING, then=outcome, settles=LATE)
    waiting = due.settlement(tx, context, payment.payment_id, "issuer", outcome)
    return happened(tx, context, payment, H.MONEY_SEEN, waiting=waiting)


def close(
    tx: Transaction,
    context: CommandContext,
    payment: Payment,
    word: OutcomeStatus,
    decline: str | None,
    amount: int | None = None,
) -> Payment:
    """Ends what the payment waits for, with success or without; a charge also with a part of its amount."""
    due.nothing_more(tx, payment, due.SETTLE, *due.OF_CUSTOMER)
    kind = payment.waiting.kind if payment.waiting else "issuer"
    if kind == "capture":
        return capture_settles(tx, context, payment, word, decline)
    if kind == "void" and word is not OutcomeStatus.SUCCEEDED:
        return _not_released(tx, context, payment, decline)
    if kind == "void":
        return happened(tx, context, payment, H.VOIDED_REST if payment.captured_amount else H.VOIDED)
    if kind == "review":
        return reviewed(tx, context, payment, word)
    if word is not OutcomeStatus.SUCCEEDED:
        return charge.fail(tx, context, payment, H.DECLINED, decline or "processing_error")
    # The approval that was planned, or the open answer as an approval, with what it says about later operations.
    waited = payment.waiting.outcome if payment.waiting else APPROVED
    planned = waited.then
    if planned is None or planned.word is not OutcomeStatus.SUCCEEDED:
        planned = structs.replace(waited, word=OutcomeStatus.SUCCEEDED, then=None, settles=None)
    return charge.approve(tx, context, payment, planned, amount)


def due_settlement(
    tx: Transaction, context: CommandContext, payment: Payment, planned: Settles | None = None
) -> Payment:
    """The payment after the clock, as was planned, or the last poll ended what it waits for."""
    settles = planned or (payment.waiting.outcome.settles if payment.waiting else None) or LATE
    return close(tx, context, payment, settles.word, settles.decline)


def fail_open(tx: Transaction, context: CommandContext, payment_id: str, decline: str) -> Payment:
    """Fails an open payment for a named reason (control API). Refused as `trigger_forbids`."""
    payment = access.find_triggered(tx, payment_id, "fail")
    if payment.status is PaymentStatus.REQUIRES_ACTION:
        due.nothing_more(tx, payment, *due.OF_CUSTOMER)
        return charge.fail(tx, context, payment, H.DECLINED, decline)
    return close(tx, context, payment, OutcomeStatus.FAILED, decline)


def retrieve(tx: Transaction, context: CommandContext, payment_id: str, query: RetrievePayment) -> Payment:
    """The payment; counts as one poll if it settles after some, and asks the connector if requested (`force_sync`).

    Refused as `object_unknown`, and for a publishable key as `client_secret_wrong`, `client_secret_expired`.
    """
    payment = access.find_for(tx, context, payment_id, query.client_secret)
    if payment.status is not PaymentStatus.PENDING:
        return access.as_now(tx, payment, context.now)
    row = by_name(payment.card.name) if query.force_sync and payment.card else None
    if row is not None and row.issuer.on_sync:  # the connector has an answer by now that it had not sent (ours)
        return due_settlement(tx, context, payment)
    return outbox.polled(tx, context, payment, due_settlement, PAYMENTS)


def page(tx: Transaction, context: CommandContext, query: Query) -> Page[Payment]:
    """One page of payments, newest first. Refused as `object_unknown` for a cursor that is no payment.

    With only `newer_than`, the page ends with the payment just after the cursor.
    """
    _find_cursors(tx, query)
    turned = query.newer_than is not None and query.older_than is None and not query.ascending
    found = listing.page(tx, PAYMENTS, structs.replace(query, ascending=turned or query.ascending))
    items = tuple(access.as_now(tx, payment, context.now) for payment in found.items)
    return structs.replace(found, items=items[::-1] if turned else items)


def aggregate(tx: Transaction, context: CommandContext, query: Query) -> Mapping[object, int]:
    """The number of payments in each status (ours: decisions, Reporting). Refused as `page` is."""
    _find_cursors(tx, query)
    return listing.aggregates(PAYMENTS)(tx, context, query)


def _find_cursors(tx: Transaction, query: Query) -> None:
    for cursor in (query.older_than, query.newer_than):
        if cursor is not None:
            access.find(tx, cursor)


def increment(
    tx: Transaction, context: CommandContext, payment_id: str, amount: int, reason: str | None = None
) -> Payment:
    """Raises the authorized amount to a new total (minor units).

    Refused as `status_forbids`, `increment_not_allowed`, `increment_not_larger`, `mandate_exceeded`.
    """
    payment = access.find_permitted(tx, payment_id, "increment")
    if not payment.request_incremental_authorization:
        raise Refusal(Cause.INCREMENT_NOT_ALLOWED)
    if amount <= payment.authorized_amount:
        raise Refusal(Cause.INCREMENT_NOT_LARGER, amount=amount, authorized=payment.authorized_amount)
    access.permit_amount(amount)
    mandates.permit_more(tx, payment, amount)
    outcome = charge.decided(tx, context, payment, "payments.incremental_authorization")
    failed = outcome.word is OutcomeStatus.FAILED
    entry = Increment(
        authorization_id=context.new_id(tx, "authorization"),
        amount=amount,
        status=IncrementStatus.FAILURE if failed else IncrementStatus.SUCCESS,
        previously_authorized=payment.authorized_amount,
        reason=reason,
        failure=Failure(outcome.decline or "generic_decline") if failed else None,
    )
    raised: dict[str, int] = {}
    if not failed:
        extra = payment.net_amount - payment.amount
        raised = {"amount": amount - extra, "authorized_amount": amount}
    return access.changed(tx, context, payment, increments=(*payment.increments, entry), **raised)


def extend(tx: Transaction, context: CommandContext, payment_id: str) -> Payment:
    """Restarts the authorization's time, unless it ends later or never. Refused as `status_forbids`."""
    payment = access.find_permitted(tx, payment_id, "extend")
    until, before = payment.capture_before, due.authorization(tx, context, payment)
    until = max(until, before) if until and before else None
    moved = access.changed(tx, context, payment, capture_before=until, extended_at=context.now)
    return until_its_end(tx, context, moved)


def expire_authorization(tx: Transaction, context: CommandContext, payment_id: str) -> Payment:
    """Ends an authorization (control API, clock). Refused as `trigger_forbids`."""
    payment = access.find_triggered(tx, payment_id, "expire_authorization")
    due.nothing_more(tx, payment, due.AUTHORIZATION)
    until = min(payment.capture_before or context.now, context.now)
    return authorization_over(tx, context, structs.replace(payment, capture_before=until))


def expire_customer(tx: Transaction, context: CommandContext, payment_id: str) -> Payment:
    """Ends the customer's time for a page, voucher or transfer (control API, clock). Refused as `trigger_forbids`."""
    payment = access.find_triggered(tx, payment_id, "expire_customer")
    due.nothing_more(tx, payment, *due.OF_CUSTOMER)
    return happened(tx, context, payment, H.CUSTOMER_TIME_OVER)


def expire_session(tx: Transaction, context: CommandContext, payment_id: str) -> Payment:
    """Ends a payment's session: its status stays, its client_secret is not valid any more (decisions "Clock")."""
    payment = access.find(tx, payment_id)
    return access.changed(tx, context, payment, expires_at=min(payment.expires_at, context.now))


EXPIRES: Final = {"session": expire_session, "customer": expire_customer, "authorization": expire_authorization}
"""What can be made to expire, by its word in the control API."""


def cancel(
    tx: Transaction, context: CommandContext, payment_id: str, cancellation_reason: str | None = None
) -> Payment:
    """Cancels, or releases the rest of what was partly captured. Refused as `status_forbids`."""
    payment = access.find_permitted(tx, payment_id, "cancel")
    asked = payment.status in OPEN_AUTHORIZATION  # in others there is nothing for the connector to release
    outcome = charge.decided(tx, context, payment, "payments.cancel") if asked else APPROVED
    due.nothing_more(tx, payment, due.AUTHORIZATION, *due.OF_CUSTOMER)
    payment = structs.replace(payment, cancellation_reason=cancellation_reason)
    if outcome.word is OutcomeStatus.FAILED:
        return _not_released(tx, context, payment, outcome.decline)
    if outcome.word is OutcomeStatus.PENDING:
        waiting = due.settlement(tx, context, payment_id, "void", outcome)
        return happened(tx, context, payment, H.VOID_SUBMITTED, waiting=waiting)
    part = payment.status is S.PARTIALLY_CAPTURED_AND_CAPTURABLE
    return happened(tx, context, payment, H.REST_RELEASED if part else H.CANCELLED)


def _not_released(tx: Transaction, context: CommandContext, payment: Payment, decline: str | None) -> Payment:
    what = H.REST_NOT_RELEASED if payment.captured_amount else H.VOID_FAILED
    failure = Failure(decline or "processing_error")
    return until_its_end(tx, context, happened(tx, context, payment, what, failure=failure, cancellation_reason=None))


def reversal(tx: Transaction, context: CommandContext, payment_id: str) -> Payment:
    """The payment with its reversal. Refused as `status_forbids` if it can have none."""
    payment = access.find(tx, payment_id)
    if payment.void is None:
        access.permit(payment, "cancel_post_capture")
    return access.as_now(tx, payment, context.now)


def cancel_post_capture(
    tx: Transaction, context: CommandContext, payment_id: str, cancellation_reason: str | None = None
) -> Payment:
    """Reverses a captured payment as a whole. Refused as `status_forbids`, `void_after_refund`."""
    payment = access.find_permitted(tx, payment_id, "cancel_post_capture")
    if payment.refunded_amount or payment.refund_pending_amount or payment.disputed_amount:
        raise Refusal(Cause.VOID_AFTER_REFUND, payment_id=payment_id)
    due.nothing_more(tx, payment, due.DISPUTE)
    reference = context.new_id(tx, "connector_transaction")
    void = Void(RefundStatus.SUCCEEDED, context.now, reference, cancellation_reason)
    return happened(tx, context, payment, H.REVERSED, void=void, cancellation_reason=cancellation_reason)
