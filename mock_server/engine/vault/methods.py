"""Saved methods: found, shown to who may see them, reserved, completed, changed, deleted, charged (facts §1.4, §8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import structs

from mock_server.domain.commands import MethodInput, PaymentRequest
from mock_server.domain.customer import (
    METHOD_MACHINE,
    SAVEABLE,
    CreateMethod,
    MethodTrigger,
    PaymentMethod,
    PaymentToken,
)
from mock_server.domain.errors import Cause, ObjectKind, Refusal, existing, missing, unknown, wrong_field
from mock_server.domain.limits import PAYMENT_TOKEN_MS, SESSION_EXPIRY_DEFAULT_S
from mock_server.domain.machine import apply_transition
from mock_server.domain.methods import find, named, public_words
from mock_server.domain.paging import Query
from mock_server.domain.payment import KeptMethod, Payment
from mock_server.domain.statuses import MethodStatus, PaymentStatus
from mock_server.domain.transitions import Trigger
from mock_server.engine import customers
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import CUSTOMERS, PAYMENT_METHODS, PAYMENT_TOKENS
from mock_server.engine.listing import drop_expired
from mock_server.engine.payments import instrument
from mock_server.engine.payments.rules import check_data, wrong_type
from mock_server.engine.vault import mandates
from mock_server.store.transaction import Transaction

BARE, _ATTACHED = PaymentStatus.REQUIRES_PAYMENT_METHOD, Trigger.METHOD_ATTACHED
"""Names for every create, as those of `api_keys`."""
SECRET_MS = SESSION_EXPIRY_DEFAULT_S * 1000
"""How long a browser may complete or change a reserved method (ours: as long as a payment's session)."""


def create(tx: Transaction, context: CommandContext, command: CreateMethod) -> PaymentMethod:
    """Saves a method, the same one for the same card; without data one is reserved.

    Refused as `value_missing` (customer_id), `object_unknown`, `customer_redacted`, `method_mismatch`, `data_mismatch`.
    """
    if command.customer_id is None:
        raise missing("customer_id", "is required to save a payment method")
    customers.present(tx, command.customer_id)
    _check_type(context, command)
    if command.given is None:
        return tx.put(PAYMENT_METHODS, _bare(tx, context, command, MethodTrigger.RESERVED))
    kept = _kept(tx, context, command, command.given)
    known = mandates.same(tx, command.customer_id, kept["identity"])
    if known is not None:
        return mandates.again(tx, context, known, modified_at=context.now, **kept)
    return mandates.put_new(tx, structs.replace(_bare(tx, context, command, MethodTrigger.SAVED), **kept))


def save(tx: Transaction, context: CommandContext, payment_method_id: str, command: CreateMethod) -> PaymentMethod:
    """Completes a reserved method, or gives the one that the customer has of this card; then the reserved is not used.

    Refused as `object_unknown`, `client_secret_wrong`, `client_secret_expired`, `method_status_forbids`,
    `client_change_forbidden` or `value_invalid` (customer_id), `value_missing` (payment_method_data),
    `method_mismatch`, `data_mismatch`.
    """
    method = _find_for(tx, context, payment_method_id, command.client_secret)
    if METHOD_MACHINE.after(method.status, MethodTrigger.FILLED) is None:
        raise Refusal(Cause.METHOD_STATUS_FORBIDS, action="save", status=method.status)
    if command.customer_id not in (None, method.customer_id):
        if context.call.by_client:
            raise Refusal(Cause.CLIENT_CHANGE_FORBIDDEN, field="customer_id")
        raise wrong_field("customer_id", "must equal that of the reserved method")
    if (given := command.given) is None:
        raise missing("payment_method_data", "is required to complete a payment method")
    if given.category == method.payment_method and given.name in (None, method.payment_method_type):
        type_ = command.payment_method_type or method.payment_method_type
        command = command._replace(payment_method=command.payment_method or given.category, payment_method_type=type_)
    command = command._replace(billing=command.billing or method.billing)
    _check_type(context, command)
    kept = _kept(tx, context, command, given)
    known = mandates.same(tx, method.customer_id, kept["identity"])
    if known is not None:
        tx.put(PAYMENT_METHODS, apply_transition(method, MethodTrigger.KNOWN, context.now)[0])
        return mandates.again(tx, context, known, modified_at=context.now, **kept)
    return mandates.put_new(tx, apply_transition(method, MethodTrigger.FILLED, context.now, **kept)[0])


def update(
    tx: Transaction, context: CommandContext, payment_method_id: str, client_secret: str | None, **sent: str
) -> PaymentMethod:
    """Changes a saved card's name, nickname or expiry (facts §1.4).

    Refused as `object_unknown`, `client_secret_wrong`, `client_secret_expired`, `method_status_forbids`,
    `value_invalid` (the card would have expired).
    """
    method = _find_for(tx, context, payment_method_id, client_secret)
    if method.status is not MethodStatus.ACTIVE:
        raise Refusal(Cause.METHOD_STATUS_FORBIDS, action="update", status=method.status)
    changes: dict[str, Any] = {name: sent[name] for name in ("nick_name", "metadata") if name in sent}
    card_sent = {name: sent[name] for name in ("exp_month", "exp_year", "holder", "nick_name") if name in sent}
    if card_sent and method.card is not None:
        changes["card"] = card = structs.replace(method.card, **card_sent)
        moved = [name for name in ("exp_year", "exp_month") if getattr(card, name) != getattr(method.card, name)]
        if moved and card.has_expired(context.now):
            why = "must be in the future: the card would be expired"
            raise wrong_field(f"card.card_{moved[0]}", why, rule=f"expiry_{moved[0][4:]}")
    return mandates.renewed(tx, structs.replace(method, modified_at=context.now, **changes))


def delete(tx: Transaction, context: CommandContext, payment_method_id: str) -> str:
    """Deletes a saved method. Refused as `object_unknown`, `ephemeral_key_wrong`, `default_method_stays`."""
    method = _find_for(tx, context, payment_method_id)
    customer = tx.get(CUSTOMERS, method.customer_id)
    if customer is not None and customer.default_payment_method_id == payment_method_id:
        others = {"customer_id": (method.customer_id,), "status": (MethodStatus.ACTIVE.value,)}
        if tx.count(PAYMENT_METHODS, Query(filters=others)) > 1:
            raise Refusal(Cause.DEFAULT_METHOD_STAYS)
        tx.put(CUSTOMERS, structs.replace(customer, default_payment_method_id=None))
    tx.remove(PAYMENT_METHODS, payment_method_id)
    return payment_method_id


def retrieve(tx: Transaction, context: CommandContext, payment_method_id: str) -> PaymentMethod:
    """The method of that id. Refused as `object_unknown`."""
    return existing(tx.get(PAYMENT_METHODS, payment_method_id), ObjectKind.PAYMENT_METHOD, payment_method_id)


def make_default(tx: Transaction, context: CommandContext, customer_id: str, payment_method_id: str) -> PaymentMethod:
    """Makes a method its customer's default.

    Refused as `ephemeral_key_wrong`, `object_unknown`, `customer_redacted`, `method_status_forbids`.
    """
    customers.permit_holder(context, customer_id)
    customer = customers.present(tx, customer_id)
    method = chargeable(tx, payment_method_id, customer_id, "make default")
    tx.put(CUSTOMERS, structs.replace(customer, default_payment_method_id=payment_method_id))
    return method


def _check_type(context: CommandContext, command: CreateMethod) -> None:
    """Refuses a type that is not its method's, data of another method, and what cannot be charged again."""
    category, type_, given = command.payment_method, command.payment_method_type, command.given
    if category is None:
        return
    if category not in SAVEABLE:
        said, _ = public_words(category, type_, context.policy.public)
        why, what = f"must be one of {', '.join(SAVEABLE)}: others cannot be charged again", f"saving {said}"
        raise wrong_field("payment_method", why, rule="not_offered", values={"given": what})
    if type_ is not None and find((category, type_)) is None:
        raise wrong_type(category, type_, context.policy.public)
    check_data(category, named(category, type_)[1], given, context.policy.public)


def _bare(tx: Transaction, context: CommandContext, command: CreateMethod, what: MethodTrigger) -> PaymentMethod:
    method_id = context.new_id(tx, "payment_method")
    return PaymentMethod(
        payment_method_id=method_id,
        merchant_id=context.merchant_id,
        customer_id=command.customer_id or "",
        status=METHOD_MACHINE.first(what).target,
        created_at=context.now,
        modified_at=context.now,
        payment_method=command.payment_method,
        payment_method_type=named(command.payment_method, command.payment_method_type)[1],
        billing=command.billing,
        metadata=command.metadata,
        last_used_at=context.now,
        client_secret=context.client_secret(tx, method_id),
        client_secret_expires_at=context.now + SECRET_MS,
    )


def _kept(tx: Transaction, context: CommandContext, command: CreateMethod, given: MethodInput) -> dict[str, Any]:
    """The fields of a method from its data, without the number and code of a card."""
    found: dict[str, Any] = instrument.keep(tx, context, given)
    card, method = found["card"], found["method"]
    category, type_ = named(command.payment_method or given.category, command.payment_method_type)
    sent = {
        "payment_method": category,
        "payment_method_type": type_ or given.name or (card.type if card else None),
        "nick_name": card and card.nick_name,
        "billing": command.billing,
        "metadata": command.metadata,
        "network_transaction_id": command.network_transaction_id,
        "customer_acceptance": command.customer_acceptance,
    }
    known = {name: value for name, value in sent.items() if value is not None}
    return {**known, "card": card, "method": method, "identity": mandates.identity_of(card, method)}


def _find_for(
    tx: Transaction, context: CommandContext, payment_method_id: str, client_secret: str | None = None
) -> PaymentMethod:
    """The method, if the caller may see it: a browser needs the method's client_secret, or its customer's key.

    Refused as `object_unknown`, `client_secret_wrong`, `client_secret_expired`, `ephemeral_key_wrong`.
    """
    method = retrieve(tx, context, payment_method_id)
    customers.permit_holder(context, method.customer_id)
    if context.call.by_client:
        if method.client_secret is None or client_secret != method.client_secret:
            raise Refusal(Cause.CLIENT_SECRET_WRONG, kind=ObjectKind.PAYMENT_METHOD)
        if context.now >= method.client_secret_expires_at:
            raise Refusal(Cause.CLIENT_SECRET_EXPIRED, expired_at=method.client_secret_expires_at)
    return method


def chargeable(tx: Transaction, payment_method_id: str, customer_id: str | None, act: str = "charge") -> PaymentMethod:
    """A customer's method that can be charged. Refused as `object_unknown`, `method_status_forbids`."""
    method = tx.get(PAYMENT_METHODS, payment_method_id)
    if method is None or method.customer_id != customer_id:
        raise unknown(ObjectKind.PAYMENT_METHOD, payment_method_id)
    if method.status is not MethodStatus.ACTIVE:
        raise Refusal(Cause.METHOD_STATUS_FORBIDS, action=act, status=method.status)
    return method


def hand_out(tx: Transaction, context: CommandContext, method: PaymentMethod) -> str:
    """A new token for a saved method."""
    drop_expired(tx, PAYMENT_TOKENS, context.now)
    token = context.new_id(tx, "payment_token")
    expires_at = context.now + PAYMENT_TOKEN_MS
    tx.put(PAYMENT_TOKENS, PaymentToken(token, method.payment_method_id, method.customer_id, context.now, expires_at))
    return token


def _redeem(tx: Transaction, context: CommandContext, token: str, customer_id: str | None) -> str:
    """The id of a token's method. Refused as `payment_token_over`, also for another customer's token."""
    known = tx.get(PAYMENT_TOKENS, token)
    if known is None or known.expires_at <= context.now or known.customer_id != customer_id:
        raise Refusal(Cause.PAYMENT_TOKEN_OVER)
    return known.payment_method_id


Changes = dict[str, Any]

_NAMES: Final = ("card", "method", "payment_method_id", "connector_mandate_id")
NOTHING: Mapping[str, Any] = {
    **dict.fromkeys((*_NAMES, "method_billing", "payment_token", "mandate_id")),
    **dict.fromkeys(("stored", "set_up"), False),
}
"""The fields of a payment without a method."""


def changes(tx: Transaction, context: CommandContext, payment: Payment, request: PaymentRequest) -> Changes:
    """The fields of a payment from a reference.

    Refused as `payment_token_over`, `object_unknown`, `method_status_forbids`, `method_not_off_session`,
    `data_mismatch`.
    """
    if request.payment_token is not None:
        method_id = _redeem(tx, context, request.payment_token, payment.customer_id)
        method = chargeable(tx, method_id, payment.customer_id)
        found = {**_filled(method), "payment_token": request.payment_token}
    elif request.mandate_id is not None:
        found = _by_mandate(tx, context, request.mandate_id)
    else:
        found = _by_details(tx, context, payment, request)
    category = found["payment_method"]
    if request.payment_method not in (None, category):
        said, _ = public_words(request.payment_method, request.payment_method_type, context.policy.public)
        raise Refusal(Cause.DATA_MISMATCH, method=said, given=f"a saved {category}")
    if request.payment_method is not None:  # of which the type, if there is one, was checked to be
        found["payment_method_type"] = found["payment_method_type"] or request.payment_method_type
    billing = {} if request.method_billing is None else {"method_billing": request.method_billing}
    return {**NOTHING, "stored": True, **found, **billing}


def _filled(method: PaymentMethod) -> Changes:
    names = ("payment_method", "payment_method_type", "set_up", *_NAMES)
    return {"method_billing": method.billing, **{name: getattr(method, name) for name in names}}


def _by_mandate(tx: Transaction, context: CommandContext, mandate_id: str) -> Changes:
    """By a mandate; its bounds are checked when the issuer is asked."""
    mandate = mandates.retrieve(tx, context, mandate_id)
    return {**_filled(retrieve(tx, context, mandate.payment_method_id)), "mandate_id": mandate_id}


def _by_details(tx: Transaction, context: CommandContext, payment: Payment, request: PaymentRequest) -> Changes:
    """By the type of `recurring_details` (facts §8)."""
    details = request.recurring_details
    assert details is not None
    match details.type:
        case "mandate_id":
            return _by_mandate(tx, context, details.data or "")
        case "payment_method_id":
            method = chargeable(tx, details.data or "", payment.customer_id)
            if not method.is_recurring:
                raise Refusal(Cause.METHOD_NOT_OFF_SESSION, payment_method_id=method.payment_method_id)
            return _filled(method)
        case "processor_payment_token":  # it can mean any method
            category = request.payment_method or payment.payment_method or "card"
            return _type(request, category, "credit" if category == "card" else payment.payment_method_type)
        case "network_transaction_id_and_decrypted_wallet_token_details":  # the caller decrypted it
            named = _type(request, "wallet", payment.payment_method_type or "apple_pay")
            return {**named, "method": KeptMethod("wallet", named["payment_method_type"], "{}")}
        case _:  # a card, or the network's token of one, which was authenticated when the network issued it
            assert details.card is not None
            card = instrument.keep_card(tx, context, details.card)
            return {**_type(request, "card", card.type), "card": card, "set_up": True}


def _type(request: PaymentRequest, category: str, default: str | None) -> Changes:
    return {"payment_method": category, "payment_method_type": request.payment_method_type or default}


def given(tx: Transaction, context: CommandContext, request: PaymentRequest) -> Changes:
    """The fields of a new payment from the request's own method."""
    named = {"payment_method": request.payment_method, "payment_method_type": request.payment_method_type}
    named["method_billing"] = request.method_billing
    if request.payment_method_data is None:
        return named
    changes, _ = Payment.MACHINE.changes(BARE, _ATTACHED, context.now)
    return {**changes, **named, **instrument.keep(tx, context, request.payment_method_data)}


def attach(tx: Transaction, context: CommandContext, payment: Payment, request: PaymentRequest) -> Payment:
    """The payment with the method that the request has or refers to; without one, at most with a billing address."""
    if request.method_billing is None and payment.card is None and payment.method is None:  # it was sent first
        request = structs.replace(request, method_billing=payment.method_billing)
    if request.names_saved_method:
        found = changes(tx, context, payment, request)
    else:
        alone = payment.payment_method is None and request.payment_method is not None
        kept_type = None if alone else payment.payment_method_type  # without a method it said nothing
        named = {
            "payment_method": request.payment_method or payment.payment_method,
            "payment_method_type": request.payment_method_type or kept_type,
        }
        if request.payment_method_data is None:
            return structs.replace(payment, **named, method_billing=request.method_billing or payment.method_billing)
        before = NOTHING if payment.payment_method_id or payment.stored else {}
        found = {**before, **named, **instrument.keep(tx, context, request.payment_method_data)}
        found["method_billing"] = request.method_billing
    moved, _ = apply_transition(payment, _ATTACHED, context.now, **found)
    return moved
