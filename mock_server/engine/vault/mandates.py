"""Mandates, and what a successful charge saves for later: a method, a mandate, its use (facts §2.8, §3.7, §8)."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from msgspec import structs

from mock_server.domain.commands import MandateInput
from mock_server.domain.customer import (
    MANDATE_MACHINE,
    METHOD_MACHINE,
    OFF_SESSION,
    SAVEABLE,
    Mandate,
    MandateTrigger,
    MethodTrigger,
    PaymentMethod,
)
from mock_server.domain.errors import Cause, ObjectKind, Refusal, existing
from mock_server.domain.machine import apply_transition
from mock_server.domain.paging import Page, Query
from mock_server.domain.payment import KeptCard, KeptMethod, Payment
from mock_server.domain.statuses import MandateStatus, MethodStatus
from mock_server.engine import customers, listing, outbox
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import CUSTOMERS, MANDATE_IN_FLIGHT, MANDATES, PAYMENT_METHODS, PAYMENTS
from mock_server.store.transaction import Transaction


def retrieve(tx: Transaction, context: CommandContext, mandate_id: str) -> Mandate:
    """The mandate of that id. Refused as `object_unknown`."""
    return existing(tx.get(MANDATES, mandate_id), ObjectKind.MANDATE, mandate_id)


def _make(
    tx: Transaction, context: CommandContext, payment: Payment, agreed: MandateInput, method: PaymentMethod
) -> Mandate:
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
        nick_name=method.nick_name,
        connector=payment.connector,
    )
    return outbox.keep(tx, context, mandate, row.event, MANDATES)


def permit(tx: Transaction, context: CommandContext, payment: Payment, mandate_id: str) -> None:
    """Limits a charge to what its mandate allows beside the charges that are not finished.

    Refused as `object_unknown`, `mandate_used`, `mandate_status_forbids`, `mandate_differs`, `mandate_out_of_period`,
    `mandate_exceeded`.
    """
    mandate = retrieve(tx, context, mandate_id)
    in_flight = _in_flight(tx, mandate_id, payment)
    if mandate.single_use and (any(in_flight) if mandate.status is MandateStatus.ACTIVE else mandate.uses):
        raise Refusal(Cause.MANDATE_USED, mandate_id=mandate_id)
    if mandate.status is not MandateStatus.ACTIVE:
        raise Refusal(Cause.MANDATE_STATUS_FORBIDS, action="charge", mandate_id=mandate_id, status=mandate.status)
    both = ("customer_id", "currency")
    names = tuple(name for name in both if getattr(mandate, name) not in (None, getattr(payment, name)))
    if names:
        raise Refusal(Cause.MANDATE_DIFFERS, mandate_id=mandate_id, names=names, extras={"fields": ", ".join(names)})
    if not mandate.holds_at(context.now):
        raise Refusal(Cause.MANDATE_OUT_OF_PERIOD, mandate_id=mandate_id)
    _hold_to(mandate, in_flight, payment.net_amount)


def permit_more(tx: Transaction, payment: Payment, amount: int) -> None:
    """Limits what is taken in one piece after the approval, more than that was for. Refused as `mandate_exceeded`."""
    mandate = tx.get(MANDATES, payment.mandate_id or "") if payment.stored else None
    if mandate is not None:
        _hold_to(mandate, _in_flight(tx, mandate.mandate_id, payment), amount)


def _in_flight(tx: Transaction, mandate_id: str, but: Payment) -> Iterator[Payment]:
    found = tx.scan(PAYMENTS, Query(filters={MANDATE_IN_FLIGHT: (mandate_id,)}))
    return (one for one in found if one.payment_id != but.payment_id)  # read only where they count: many can be


def _hold_to(mandate: Mandate, others: Iterator[Payment], amount: int) -> None:
    if mandate.left is not None and amount > (left := mandate.left - sum(one.most_taken for one in others)):
        raise Refusal(Cause.MANDATE_EXCEEDED, mandate_id=mandate.mandate_id, amount=amount, limit=left)


def use(tx: Transaction, context: CommandContext, payment: Payment) -> None:
    """Counts what was captured under a mandate, when nothing more will be; one for a single use is used up."""
    mandate = tx.get(MANDATES, payment.mandate_id or "")
    if mandate is None:
        return
    amount = mandate.used_amount + payment.captured_amount
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
    return outbox.keep(tx, context, *apply_transition(mandate, MandateTrigger.REVOKED, context.now), MANDATES)


def withdraw(tx: Transaction, context: CommandContext, payment: Payment) -> None:
    """Ends the mandate that a charge made, as it was rejected after its approval (ours)."""
    mandate = None if payment.stored else tx.get(MANDATES, payment.mandate_id or "")
    if mandate is not None and mandate.status is MandateStatus.ACTIVE:
        revoke(tx, context, mandate.mandate_id)


page = listing.pages(MANDATES)


def of_customer(tx: Transaction, context: CommandContext, customer_id: str, query: Query) -> Page[Mandate]:
    """One page of a customer's mandates. Refused as `object_unknown`."""
    customers.find(tx, customer_id)
    return tx.find(MANDATES, query.within("customer_id", customer_id))


def keep(tx: Transaction, context: CommandContext, payment: Payment) -> Payment:
    """The payment after it saved its method and a new mandate; done once, even if it is approved several times."""
    if payment.kept or not (payment.setup_future_usage or payment.stored):
        return payment
    method = _saved(tx, context, payment)
    if method is not None:
        payment = structs.replace(
            payment, payment_method_id=method.payment_method_id, connector_mandate_id=method.connector_mandate_id
        )
    if payment.mandate_id is None and payment.mandate_data is not None and method is not None:
        made = _make(tx, context, payment, payment.mandate_data, method)
        payment = structs.replace(payment, mandate_id=made.mandate_id)
    return structs.replace(payment, kept=True)


def prepare(tx: Transaction, context: CommandContext, payment: Payment) -> Payment:
    """The payment with the method that it will save, shown while the customer acts; it cannot be charged yet."""
    if payment.payment_method_id or not payment.setup_future_usage or not _is_saveable(tx, payment):
        return payment
    method = same(tx, payment.customer_id or "", identity_of(payment.card, payment.method))
    if method is None:
        method = tx.put(PAYMENT_METHODS, _new(tx, context, payment, MethodTrigger.PREPARED))
    return structs.replace(payment, payment_method_id=method.payment_method_id)


def _saved(tx: Transaction, context: CommandContext, payment: Payment) -> PaymentMethod | None:
    """The customer's method: the charged one, that of the same card, or a new one; None if nobody agreed to it."""
    seen: dict[str, Any] = {"last_used_at": context.now}
    if payment.payment_method_id:
        known = tx.get(PAYMENT_METHODS, payment.payment_method_id)
        if known is None:
            return None
    else:
        if not _is_saveable(tx, payment):
            return None
        known = same(tx, payment.customer_id or "", identity_of(payment.card, payment.method))
        if known is None:
            new = _new(tx, context, payment, MethodTrigger.SAVED)
            return put_new(tx, structs.replace(new, **_grown(tx, context, new, payment)))
    if known.status is MethodStatus.INACTIVE:
        seen["network_transaction_id"] = payment.network_transaction_id
    return again(tx, context, known, **seen, **_grown(tx, context, known, payment))


def again(tx: Transaction, context: CommandContext, known: PaymentMethod, **changes: Any) -> PaymentMethod:
    """Saves a known method once more: a card keeps its name without a new one; a prepared method becomes active."""
    if (card := changes.get("card")) is not None and known.card is not None:
        changes["card"] = structs.replace(card, holder=card.holder or known.card.holder)
    if known.status is MethodStatus.INACTIVE:
        return put_new(tx, apply_transition(known, MethodTrigger.SAVED, context.now, **changes)[0])
    return renewed(tx, structs.replace(known, **changes))


def _is_saveable(tx: Transaction, payment: Payment) -> bool:
    """Whether the customer, who was not deleted, agreed to save the method, and it can be saved."""
    if _acceptance(payment) is None or payment.payment_method not in SAVEABLE:
        return False
    customer = tx.get(CUSTOMERS, payment.customer_id or "")
    return customer is not None and not customer.redacted


def _new(tx: Transaction, context: CommandContext, payment: Payment, what: MethodTrigger) -> PaymentMethod:
    return PaymentMethod(
        payment_method_id=context.new_id(tx, "payment_method"),
        merchant_id=payment.merchant_id,
        customer_id=payment.customer_id or "",
        status=METHOD_MACHINE.first(what).target,
        created_at=context.now,
        modified_at=context.now,
        payment_method=payment.payment_method,
        payment_method_type=payment.payment_method_type,
        identity=identity_of(payment.card, payment.method),
        card=payment.card,
        method=payment.method,
        billing=payment.method_billing or payment.echo.get("billing"),
        usage=payment.setup_future_usage or OFF_SESSION,
        set_up=payment.authenticated,
        customer_acceptance=_acceptance(payment),
        network_transaction_id=payment.network_transaction_id,
        last_used_at=context.now,
    )


def renewed(tx: Transaction, method: PaymentMethod) -> PaymentMethod:
    """Saves a method whose card may be another now, which its mandates show."""
    known = tx.get(PAYMENT_METHODS, method.payment_method_id)
    if known is None or (known.card, known.nick_name) != (method.card, method.nick_name):
        for mandate in tuple(tx.scan(MANDATES, Query(filters={"payment_method_id": (method.payment_method_id,)}))):
            tx.put(MANDATES, structs.replace(mandate, card=method.card, nick_name=method.nick_name))
    return tx.put(PAYMENT_METHODS, method)


def put_new(tx: Transaction, method: PaymentMethod) -> PaymentMethod:
    """Saves a method that is active from now on; a customer's first one is the default (ours)."""
    customer = tx.get(CUSTOMERS, method.customer_id)
    if customer is not None and customer.default_payment_method_id is None:
        tx.put(CUSTOMERS, structs.replace(customer, default_payment_method_id=method.payment_method_id))
    return tx.put(PAYMENT_METHODS, method)


def same(tx: Transaction, customer_id: str, identity: str) -> PaymentMethod | None:
    """The customer's method of this card or account, the oldest if there are several."""
    query = Query(filters={"customer_id": (customer_id,), "identity": (identity,)}, limit=1, ascending=True)
    return next(iter(tx.find(PAYMENT_METHODS, query).items), None)


def identity_of(card: KeptCard | None, method: KeptMethod | None) -> str:
    """The same for the same card or account in one workspace."""
    if card is not None:
        return card.fingerprint
    text = f"{method.category}/{method.name}/{method.shown}{method.account or ''}" if method is not None else ""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:40]


def _acceptance(payment: Payment) -> str | None:
    """The customer's acceptance, beside the mandate or in it."""
    mandate = payment.mandate_data
    return payment.customer_acceptance or (mandate.customer_acceptance if mandate else None)


def _grown(tx: Transaction, context: CommandContext, method: PaymentMethod, payment: Payment) -> dict[str, object]:
    """What a charge changes in a saved method: its usage, what the customer typed, and what its bank made of it."""
    agreed = payment.setup_future_usage == OFF_SESSION and _acceptance(payment) is not None
    usage = OFF_SESSION if agreed else method.usage
    known = method.connector_mandate_id
    if known is None and usage == OFF_SESSION:
        known = context.new_id(tx, "connector_mandate")
    grown = {"usage": usage, "set_up": method.set_up or payment.authenticated, "connector_mandate_id": known}
    if payment.stored or method.modified_at > payment.attempt_began_at:  # nothing was typed, or something newer
        return grown
    card, billing = payment.card or method.card, payment.method_billing or method.billing
    typed = {"card": card, "billing": billing, "nick_name": (card and card.nick_name) or method.nick_name}
    return {**grown, **typed, "modified_at": context.now}
