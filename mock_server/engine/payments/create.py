"""A new payment (interface §4.2)."""

from __future__ import annotations

from typing import Any

from mock_server.domain import ids
from mock_server.domain.commands import PaymentRequest
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.merchant import Profile
from mock_server.domain.payment import AUTOMATIC, NOT_CONFIRMED, Payment
from mock_server.domain.statuses import PaymentStatus
from mock_server.engine import customers, profiles
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import PAYMENTS
from mock_server.engine.payments import rules
from mock_server.engine.payments.charge import ask_issuer
from mock_server.engine.vault import methods
from mock_server.store.transaction import Transaction


def create(tx: Transaction, context: CommandContext, request: PaymentRequest) -> Payment:
    """Creates a payment; with `confirm` the issuer is asked immediately.

    Refused as `link_and_confirm`, `payment_exists` and as `rules.check` and `charge` refuse.
    """
    rules.check(request, request, context.policy.public)
    if request.confirm and request.echo.get("payment_link") == "true":
        raise Refusal(Cause.LINK_AND_CONFIRM)
    profile = profiles.of_payment(tx, context, request)
    payment = _new(tx, context, request, profile)
    if request.confirm:
        return ask_issuer(tx, context, payment, profile)
    return tx.put(PAYMENTS, payment)


def _new(tx: Transaction, context: CommandContext, request: PaymentRequest, profile: Profile) -> Payment:
    payment_id = request.payment_id or context.new_id(tx, "payment")
    if request.payment_id and tx.version(PAYMENTS, payment_id):
        raise Refusal(Cause.PAYMENT_EXISTS, payment_id=payment_id, extras={"reason": f"{payment_id} is taken"})
    customer = customers.of_payment(tx, context, request)
    now = context.now
    expiry_s = request.session_expiry or profile.session_expiry_s or context.policy.session_expiry_s
    values: dict[str, Any] = dict(
        request.carried,
        payment_id=payment_id,
        merchant_id=context.merchant_id,
        profile_id=profile.profile_id,
        status=PaymentStatus.REQUIRES_PAYMENT_METHOD,
        amount=request.amount or 0,
        currency=request.currency or "",
        client_secret=ids.client_secret(payment_id, context.token(tx, "client_secret")),
        created_at=now,
        modified_at=now,
        expires_at=now + expiry_s * 1000,
        session_expiry_s=expiry_s,
        attempt_began_at=now,
        echo=request.echo,
        capture_method=request.capture_method or AUTOMATIC,
        customer_name=request.name,
        link_base=context.link_base,
        scenarios=context.call.payment_scenarios,
    )
    if context.policy.public and request.confirm is False:
        values["echo"] = {**request.echo, NOT_CONFIRMED: "false"}
    if customer is not None:
        values["customer_id"] = customer.customer_id
        values["customer_name"] = request.name or customer.name
        for name in ("email", "phone", "phone_country_code"):
            values[name] = values.get(name) or getattr(customer, name)
    # The profile can set what the request does not say (facts §2.7).
    if profile.always_request_extended_authorization:
        values.setdefault("request_extended_authorization", True)
    if profile.always_enable_overcapture:
        values.setdefault("enable_overcapture", True)
    if methods.names_one(request):
        return methods.attach(tx, context, Payment(**values), request)
    values.update(methods.given(tx, context, request))
    return Payment(**values)
