"""Records that a scenario gives before the first call: made as they would be by now, without events (ours)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import structs

from mock_server import jsontext
from mock_server.domain import cards
from mock_server.domain import payment as payments
from mock_server.domain.card_brands import EXPIRY
from mock_server.domain.customer import Customer
from mock_server.domain.dispute import CHALLENGE_MS, FIGHTABLE, HOLDING, REASON_CODES, Dispute, covers
from mock_server.domain.events import EventType
from mock_server.domain.methods import Flow
from mock_server.domain.outcomes import APPROVED
from mock_server.domain.payment import Payment
from mock_server.domain.refund import OPEN, Refund
from mock_server.domain.statuses import CaptureStatus, DisputeStage, DisputeStatus, RefundStatus
from mock_server.domain.statuses import PaymentStatus as S
from mock_server.domain.transitions import OPEN_AUTHORIZATION
from mock_server.engine import disputes, profiles
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import CUSTOMERS, DISPUTES, PAYMENTS, REFUNDS
from mock_server.engine.payments import charge, due, instrument
from mock_server.scenario.given.generated_payments import PaymentSeed, Seed, captured_of
from mock_server.store.transaction import Transaction

ASKED = frozenset(S) - {S.REQUIRES_PAYMENT_METHOD, S.REQUIRES_CONFIRMATION, S.CANCELLED}
NOT_AUTHORIZED = frozenset(
    {S.REQUIRES_PAYMENT_METHOD, S.REQUIRES_CONFIRMATION, S.REQUIRES_ACTION, S.PENDING, S.FAILED, S.CANCELLED, S.EXPIRED}
)
WAITS = {S.PENDING: "issuer", S.REQUIRES_ACTION: Flow.REDIRECT, S.REQUIRES_MERCHANT_ACTION: "review"}


def give(tx: Transaction, context: CommandContext, seeds: Sequence[Seed]) -> None:
    """Puts given records into the workspace; those whose ID is used already are passed over."""
    blank = Payment(  # what all given payments share: a quarter of a million of them can be made from it
        payment_id="",
        merchant_id=context.merchant_id,
        profile_id=profiles.default(tx, context).profile_id,
        status=S.SUCCEEDED,
        amount=0,
        currency="",
        client_secret="",
        created_at=0,
        modified_at=0,
        expires_at=0,
        session_expiry_s=context.policy.session_expiry_s,
        link_base=context.link_base,
    )
    for seed in seeds:
        if isinstance(seed, Customer):
            _customer(tx, seed)
        else:
            _payment(tx, context, blank, seed)


def _customer(tx: Transaction, customer: Customer) -> None:
    if not tx.has(CUSTOMERS, customer.customer_id):
        tx.put(CUSTOMERS, customer)


def _payment(tx: Transaction, context: CommandContext, blank: Payment, seed: PaymentSeed) -> None:
    payment_id = seed.payment_id or context.new_id(tx, "payment")
    if tx.has(PAYMENTS, payment_id):
        return
    if seed.customer is not None:
        _customer(tx, seed.customer)
    payment = _made(tx, context, blank, payment_id, seed)
    payment = _running(tx, context, charge.at_connector(tx, context, payment) if payment.status in ASKED else payment)
    if not seed.refunds and not seed.disputes:
        tx.put(PAYMENTS, payment)
        return
    new = (refund for refund in seed.refunds if not tx.has(REFUNDS, refund.get("refund_id", "")))
    refunds = [_refund(tx, context, payment, refund) for refund in new]
    payment = structs.replace(
        payment,
        refunded_amount=sum(row.amount for row in refunds if row.status is RefundStatus.SUCCEEDED),
        refund_pending_amount=sum(row.amount for row in refunds if row.status in OPEN),
        refund_count=len(refunds),
        dispute_count=len(seed.disputes),
    )
    opened = [_dispute(tx, context, payment, dispute) for dispute in seed.disputes]
    held = sum(row.amount for row in opened if row.status in HOLDING)
    changes = [payment.modified_at, *(row.modified_at for row in refunds), *(row.modified_at for row in opened)]
    tx.put(PAYMENTS, structs.replace(payment, disputed_amount=held, modified_at=max(changes)))


def _made(tx: Transaction, context: CommandContext, blank: Payment, payment_id: str, seed: PaymentSeed) -> Payment:
    status, customer = S(seed.status), seed.customer
    has_method = status is not S.REQUIRES_PAYMENT_METHOD
    is_manual = seed.capture_method != payments.AUTOMATIC
    is_in_part = status is S.PARTIALLY_AUTHORIZED
    authorized = 0 if status in NOT_AUTHORIZED else seed.amount
    captured = captured_of(seed.status, seed.amount)
    captures: tuple[payments.Capture, ...] = ()
    if captured and (is_manual or captured < authorized):
        number, closes = context.new_id(tx, "connector_transaction"), seed.capture_method != payments.MANUAL_MULTIPLE
        captures = (payments.Capture(1, captured, CaptureStatus.CHARGED, 1, seed.created_at, number, closes=closes),)
    void = None
    if status is S.CANCELLED_POST_CAPTURE:
        void_id = context.new_id(tx, "connector_transaction")
        void = payments.Void(RefundStatus.SUCCEEDED, seed.created_at, void_id)
    return structs.replace(
        blank,
        payment_id=payment_id,
        status=status,
        amount=seed.amount,
        currency=seed.currency,
        client_secret=context.client_secret(tx, payment_id),
        created_at=seed.created_at,
        modified_at=seed.created_at,
        expires_at=seed.created_at + blank.session_expiry_s * 1000,
        metadata=seed.metadata,
        echo={} if seed.description is None else {"description": jsontext.canonical(seed.description)},
        capture_method=seed.capture_method,
        authorized_amount=-(-authorized // 2) if is_in_part else authorized,
        captured_amount=captured,
        captures=captures,
        enable_partial_authorization=is_in_part or None,
        customer_id=customer.customer_id if customer else None,
        customer_name=customer.name if customer else None,
        email=seed.email,
        phone=customer.phone if customer else None,
        phone_country_code=customer.phone_country_code if customer else None,
        billing_country=seed.country,
        merchant_order_reference_id=seed.merchant_order_reference_id,
        payment_method="card" if has_method else None,
        payment_method_type="credit" if has_method else None,
        card=_card(context, seed) if has_method else None,
        attempt_began_at=seed.created_at,
        failure=payments.Failure(seed.decline or "generic_decline") if status is S.FAILED else None,
        waiting=payments.Waiting(WAITS[status], APPROVED) if status in WAITS else None,
        hold=payments.Hold("given by a scenario", 75, is_manual) if status is S.REQUIRES_MERCHANT_ACTION else None,
        void=void,
    )


def _running(tx: Transaction, context: CommandContext, payment: Payment) -> Payment:
    """The payment, whose authorization or customer's time ends by the clock; its customer has a page."""
    if payment.status is S.REQUIRES_ACTION:
        shown = due.customer(tx, context, payment, APPROVED)
        return structs.replace(payment, next_action=shown, told=(EventType.ACTION_REQUIRED,))
    time_ms, is_open = context.policy.authorization_expiry_ms, payment.status in OPEN_AUTHORIZATION
    if not time_ms or not (is_open or payment.captures):
        return payment
    at = _end(context, payment.created_at, time_ms) if is_open else payment.created_at + time_ms
    if is_open:
        tx.schedule(at, due.AUTHORIZATION, payment.payment_id)
    return structs.replace(payment, capture_before=at)


def _end(context: CommandContext, began: int, time_ms: int) -> int:
    """When a time ends: of what is open though it would be over by now, as if it began now."""
    return (began if began + time_ms > context.now else context.now) + time_ms


def _card(context: CommandContext, seed: PaymentSeed) -> payments.KeptCard | None:
    row = cards.by_name(seed.card)
    if row is None:
        return None
    holder = seed.customer.name if seed.customer else None
    mark = instrument.fingerprint(context.fingerprints, row.number or row.brand)
    month, year = EXPIRY.values()
    return payments.KeptCard(row.name, row.brand, row.type, row.number[-4:], row.number[:6], month, year, holder, mark)


def _refund(tx: Transaction, context: CommandContext, payment: Payment, said: Mapping[str, Any]) -> Refund:
    given = {
        "refund_id": said.get("refund_id") or context.new_id(tx, "refund"),
        **payments.repeated(payment),
        **said,
        "status": RefundStatus(said["status"]),
        "modified_at": said["created_at"],
        "connector_refund_id": context.new_id(tx, "connector_transaction"),
        "failure": payments.Failure("refund_failed") if said["status"] == RefundStatus.FAILED else None,
    }
    return tx.put(REFUNDS, Refund(**given))


def _dispute(tx: Transaction, context: CommandContext, payment: Payment, said: Mapping[str, Any]) -> Dispute:
    dispute_id, until = context.new_id(tx, "dispute"), None
    if said["status"] == DisputeStatus.OPENED and said["stage"] in FIGHTABLE:
        until = _end(context, said["created_at"], CHALLENGE_MS)
        tx.schedule(until, disputes.DEADLINE, dispute_id)
    given = {
        "dispute_id": dispute_id,
        "attempt_id": payment.attempt_id,
        **payments.repeated(payment),
        **said,
        "stage": DisputeStage(said["stage"]),
        "status": DisputeStatus(said["status"]),
        "connector_dispute_id": context.new_id(tx, "connector_transaction"),
        "reason_code": REASON_CODES.get(said["reason"]),
        "modified_at": said["created_at"],
        "challenge_required_by": until,
        "is_already_refunded": covers(payment, said["amount"]),
    }
    return tx.put(DISPUTES, Dispute(**given))
