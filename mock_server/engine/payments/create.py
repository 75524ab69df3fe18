"""A new payment (interface §4.2)."""

from __future__ import annotations

from typing import Any

from mock_server.domain import ids
from mock_server.domain.commands import PaymentRequest
from mock_server.domain.customer import Customer
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.payment import AUTOMATIC, Payment
from mock_server.domain.profile import Profile
from mock_server.domain.statuses import PaymentStatus
from mock_server.engine import customers, profiles
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import PAYMENTS
from mock_server.engine.payments import rules
from mock_server.engine.payments.charge import ask_issuer
from mock_server.engine.vault.references import attach
from mock_server.store.protocol import Transaction


def create(tx: Transaction, desk: CommandContext, request: PaymentRequest) -> Payment:
    """Makes a payment; with `confirm` the issuer is asked at once.

    Refused as `link_and_confirm`, `payment_exists` and as `rules.check` and `charge` refuse.
    """
    rules.check(request)
    if request.confirm and request.echo.get("payment_link") == "true":
        raise Refusal(Cause.LINK_AND_CONFIRM)
    profile = profiles.of(tx, desk, request.profile_id)
    payment = _new(tx, desk, request, profile)
    payment = attach(tx, desk, payment, request)
    if request.confirm:
        return ask_issuer(tx, desk, payment, profile, request)
    return tx.put(PAYMENTS, payment)


def _new(tx: Transaction, desk: CommandContext, request: PaymentRequest, profile: Profile) -> Payment:
    payment_id = request.payment_id or desk.new_id(tx, "payment")
    if request.payment_id and tx.version(PAYMENTS, payment_id):
        raise Refusal(Cause.PAYMENT_EXISTS, payment_id=payment_id, extras={"reason": f"{payment_id} is taken"})
    customer = customers.of_payment(tx, desk, request)
    expiry_s = request.session_expiry or profile.session_expiry_s or desk.policy.session_expiry_s
    return Payment(
        payment_id=payment_id,
        merchant_id=desk.merchant_id,
        profile_id=profile.profile_id,
        status=PaymentStatus.REQUIRES_PAYMENT_METHOD,
        client_secret=ids.client_secret(payment_id, desk.token(tx, "client_secret")),
        created_at=desk.now,
        modified_at=desk.now,
        expires_at=desk.now + expiry_s * 1000,
        session_expiry_s=expiry_s,
        echo=request.echo,
        customer_id=customer.customer_id if customer else None,
        customer_name=request.name or (customer.name if customer else None),
        attempt_began_at=desk.now,
        link_base=desk.link_base,
        scenarios=desk.words.payment_scenarios,
        **{**request.carried, **_settled(request, profile, customer)},
    )


def _settled(request: PaymentRequest, profile: Profile, customer: Customer | None) -> dict[str, Any]:
    """What the payment keeps of a request that its customer, its profile or a default has a word in."""
    return {
        "amount": request.amount or 0,
        "currency": request.currency or "",
        "capture_method": request.capture_method or AUTOMATIC,
        "email": request.email or (customer.email if customer else None),
        "phone": request.phone or (customer.phone if customer else None),
        "phone_country_code": request.phone_country_code or (customer.phone_country_code if customer else None),
        "request_extended_authorization": _or_always(
            request.request_extended_authorization, profile.always_request_extended_authorization
        ),
        "enable_overcapture": _or_always(request.enable_overcapture, profile.always_enable_overcapture),
    }


def _or_always(asked: bool | None, always: bool) -> bool | None:
    """What the request says, else what the profile always wants (facts §2.7)."""
    return (always or None) if asked is None else asked
