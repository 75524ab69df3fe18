"""Mandates: created by a payment, charged within their limits, revoked (facts §2.8, §3.7, §8)."""

from __future__ import annotations

from msgspec import structs

from mock_server.domain.commands import MandateInput
from mock_server.domain.customer import MANDATE_MACHINE, Mandate, MandateTrigger, PaymentMethod
from mock_server.domain.errors import Cause, ObjectKind, Refusal
from mock_server.domain.events import EventType
from mock_server.domain.machine import apply_transition
from mock_server.domain.paging import Page, Query
from mock_server.domain.payment import Payment
from mock_server.domain.statuses import MandateStatus
from mock_server.engine import customers, outbox
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import MANDATES
from mock_server.store.transaction import Transaction


def retrieve(tx: Transaction, context: CommandContext, mandate_id: str) -> Mandate:
    """The mandate of that id. Refused as `object_unknown`."""
    mandate = tx.get(MANDATES, mandate_id)
    if mandate is None:
        raise Refusal(Cause.OBJECT_UNKNOWN, kind=ObjectKind.MANDATE, id=mandate_id)
    return mandate


def make(
    tx: Transaction, context: CommandContext, payment: Payment, agreed: MandateInput, method: PaymentMethod
) -> Mandate:
    """The mandate that a payment's customer agreed to."""
    bounds = agreed.single_use or agreed.multi_use
    row = MANDATE_MACHINE.first(MandateTrigger.AGREED)
    mandate = Mandate(
        mandate_id=context.new_id(tx, "mandate"),
        merchant_id=payment.merchant_id,
        profile_id=payment.profile_id,
        customer_id=method.customer_id,
        payment_id=payment.payment_id,
        payment_method_id=method.payment_method_id,
        status=row.target,
        created_at=context.now,
        modified_at=context.now,
        payment_method=method.payment_method,
        payment_method_type=method.payment_method_type,
        card=method.card,
        single_use=agreed.single_use is not None,
        amount=bounds.amount if bounds else None,
        currency=bounds.currency if bounds else None,
        starts_at=bounds.start_date if bounds else None,
        ends_at=bounds.end_date if bounds else None,
        customer_acceptance=agreed.customer_acceptance or payment.customer_acceptance,
    )
    return _keep(tx, context, mandate, row.event)


def permit(mandate: Mandate, payment: Payment, now: int) -> None:
    """Limits a charge to what its mandate allows.

    Refused as `mandate_used`, `mandate_status_forbids`, `mandate_differs`, `mandate_out_of_period`, `mandate_exceeded`.
    """
    mandate_id = mandate.mandate_id
    if mandate.status is not MandateStatus.ACTIVE and mandate.single_use and mandate.uses:
        raise Refusal(Cause.MANDATE_USED, mandate_id=mandate_id)
    if mandate.status is not MandateStatus.ACTIVE:
        raise Refusal(Cause.MANDATE_STATUS_FORBIDS, action="charge", mandate_id=mandate_id, status=mandate.status)
    pairs = (
        ("customer_id", mandate.customer_id, payment.customer_id),
        ("currency", mandate.currency or payment.currency, payment.currency),
    )
    names = tuple(name for name, agreed, asked in pairs if agreed != asked)
    if names:
        raise Refusal(Cause.MANDATE_DIFFERS, mandate_id=mandate_id, names=names, extras={"fields": ", ".join(names)})
    if not mandate.holds_at(now):
        raise Refusal(Cause.MANDATE_OUT_OF_PERIOD, mandate_id=mandate_id)
    if mandate.left is not None and payment.net_amount > mandate.left:
        raise Refusal(Cause.MANDATE_EXCEEDED, mandate_id=mandate_id, amount=payment.net_amount, limit=mandate.left)


def use(tx: Transaction, context: CommandContext, payment: Payment) -> None:
    """Counts a charge under its mandate; one for a single use is used up."""
    mandate = tx.get(MANDATES, payment.mandate_id or "")
    if mandate is None:
        return
    amount = mandate.used_amount + payment.net_amount
    used = structs.replace(mandate, uses=mandate.uses + 1, used_amount=amount, modified_at=context.now)
    if mandate.single_use and mandate.status is MandateStatus.ACTIVE:
        over = MandateTrigger.REVOKED if context.policy.public else MandateTrigger.USED_UP
        used, _ = apply_transition(used, over, context.now)
    tx.put(MANDATES, used)


def revoke(tx: Transaction, context: CommandContext, mandate_id: str) -> Mandate:
    """Ends a mandate. Refused as `object_unknown`, `mandate_status_forbids`."""
    mandate = retrieve(tx, context, mandate_id)
    if MANDATE_MACHINE.after(mandate.status, MandateTrigger.REVOKED) is None:
        raise Refusal(Cause.MANDATE_STATUS_FORBIDS, action="revoke", mandate_id=mandate_id, status=mandate.status)
    return _keep(tx, context, *apply_transition(mandate, MandateTrigger.REVOKED, context.now))


def page(tx: Transaction, context: CommandContext, query: Query) -> Page[Mandate]:
    """One page of mandates, newest first."""
    return tx.find(MANDATES, query)


def of_customer(tx: Transaction, context: CommandContext, customer_id: str, query: Query) -> Page[Mandate]:
    """One page of a customer's mandates. Refused as `object_unknown`."""
    customers.find(tx, customer_id)
    narrowed = {**query.filters, "customer_id": (customer_id,)}
    return tx.find(MANDATES, structs.replace(query, filters=narrowed))


def _keep(tx: Transaction, context: CommandContext, mandate: Mandate, event: EventType | None) -> Mandate:
    """Stores a mandate that changed, and sends the event, if there is one."""
    tx.put(MANDATES, mandate)
    if event is not None:
        outbox.send(
            tx,
            context,
            event,
            MANDATES,
            mandate.mandate_id,
            profile_id=mandate.profile_id,
            payment_id=mandate.payment_id,
            status=mandate.status.value,
        )
    return mandate
