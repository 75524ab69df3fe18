"""A new payment, and changes of one by its merchant (interface §4.2, §4.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import structs

from mock_server import jsontext
from mock_server.domain.commands import JsonText, PaymentRequest
from mock_server.domain.errors import Cause, FieldError, Refusal
from mock_server.domain.limits import METADATA_PAIRS
from mock_server.domain.machine import apply_transition
from mock_server.domain.merchant import Profile
from mock_server.domain.payment import AUTOMATIC, MANUAL, NOT_CONFIRMED, WHO_PAYS, Payment
from mock_server.domain.statuses import PaymentStatus
from mock_server.domain.transitions import Trigger
from mock_server.engine import customers, profiles
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import PAYMENTS
from mock_server.engine.payments import access, rules
from mock_server.engine.payments.charge import ask_issuer, retried
from mock_server.engine.vault import methods
from mock_server.store.transaction import Transaction


def create(tx: Transaction, context: CommandContext, request: PaymentRequest) -> Payment:
    """Creates a payment; with `confirm` the issuer is asked immediately.

    Refused as `payment_exists` and as `rules.check` and `charge` refuse.
    """
    request = rules.meant(request)
    rules.check(request, request, context.policy.public)
    profile = profiles.of_payment(tx, context, request)
    payment_id = request.payment_id or context.new_id(tx, "payment")
    if request.payment_id and tx.has(PAYMENTS, payment_id):
        raise Refusal(Cause.PAYMENT_EXISTS, payment_id=payment_id)
    return _new(tx, context, request, profile, payment_id)


def _new(
    tx: Transaction,
    context: CommandContext,
    request: PaymentRequest,
    profile: Profile,
    payment_id: str,
    before: Payment | None = None,
) -> Payment:
    """A payment with what the request says, else defaults; secret and creation are those of the one `before`."""
    created_at = before.created_at if before else context.now
    expiry_s = request.session_expiry or profile.session_expiry_s or context.policy.session_expiry_s
    values: dict[str, Any] = dict(
        request.carried,
        payment_id=payment_id,
        merchant_id=context.merchant_id,
        profile_id=profile.profile_id,
        status=methods.BARE,
        amount=request.amount or 0,
        currency=request.currency or "",
        client_secret=before.client_secret if before else context.client_secret(tx, payment_id),
        created_at=created_at,
        modified_at=context.now,
        expires_at=created_at + expiry_s * 1000,
        session_expiry_s=expiry_s,
        attempt_began_at=created_at,
        echo=request.echo,
        capture_method=request.capture_method or AUTOMATIC,
        link_base=context.link_base,
        scenarios=context.call.payment_scenarios,
    )
    if context.policy.public and request.confirm is False:
        values["echo"] = {**request.echo, NOT_CONFIRMED: "false"}
    _add_customer(tx, context, request, values)
    # The profile can set what the request does not say (facts §2.7).
    if profile.always_request_extended_authorization:
        values.setdefault("request_extended_authorization", True)
    if profile.always_enable_overcapture and (values["capture_method"] == MANUAL or not context.policy.public):
        values.setdefault("enable_overcapture", True)
    if request.names_saved_method:
        payment = methods.attach(tx, context, Payment(**values), request)
    else:
        values.update(methods.given(tx, context, request))
        payment = Payment(**values)
    return ask_issuer(tx, context, payment, profile, request.holder) if request.confirm else tx.put(PAYMENTS, payment)


def _add_customer(
    tx: Transaction, context: CommandContext, request: PaymentRequest, sent: dict[str, Any], own: tuple[str, ...] = ()
) -> None:
    """Adds what the payment has of its customer: what was never sent for the payment, now or before (`own`)."""
    named = request.customer_id
    customer = None if named is None else customers.of_payment(tx, context, request, named)
    for name, inner in WHO_PAYS.items():
        if sent.get(name):
            own = own if name in own else (*own, name)
        elif customer is not None and name not in own:
            sent[name] = getattr(customer, inner)
    sent["own"] = own


def update(tx: Transaction, context: CommandContext, payment_id: str, request: PaymentRequest) -> Payment:
    """Overwrites what was sent; with `confirm` the issuer is asked.

    Refused as `status_forbids` and as `rules.check` refuses.
    """
    payment = access.find_for(tx, context, payment_id, request.client_secret)
    access.permit(payment, "update")
    return _amended(tx, context, payment, request, profiles.find(tx, payment.profile_id))


def replace(tx: Transaction, context: CommandContext, payment_id: str, request: PaymentRequest) -> Payment:
    """Makes the payment anew, with its ids: what the request leaves out goes back to its default (ours)."""
    payment = access.find_permitted(tx, payment_id, "update")
    request = rules.meant(request)
    rules.check(request, request, context.policy.public)
    _keep_ids(context, payment, request)
    return _new(tx, context, request, profiles.find(tx, payment.profile_id), payment_id, payment)


def _keep_ids(context: CommandContext, payment: Payment, request: PaymentRequest) -> None:
    others = [one for one in ("payment_id", "profile_id") if getattr(request, one) not in (None, getattr(payment, one))]
    if others and not context.policy.public:  # which passes them over
        raise Refusal.of_fields([FieldError(name, "must equal that of the payment, which is fixed") for name in others])


def _amended(
    tx: Transaction, context: CommandContext, payment: Payment, request: PaymentRequest, profile: Profile
) -> Payment:
    """Changes what was sent, if no rule between all fields forbids it; with `confirm` the issuer is asked."""
    request = rules.meant(request, payment)
    by_profile = context.policy.public and profile.always_enable_overcapture
    if by_profile and request.capture_method and payment.enable_overcapture is not False:
        payment = structs.replace(payment, enable_overcapture=request.capture_method == MANUAL or None)
    rules.check(_beside(payment, request), request, context.policy.public)
    _keep_ids(context, payment, request)
    is_moved = request.customer_id not in (None, payment.customer_id)
    if context.call.by_client and is_moved:  # facts §4.4
        raise Refusal(Cause.CLIENT_CHANGE_FORBIDDEN, field="customer_id")
    if request.customer_id is None and payment.customer_id is not None:
        customers.present(tx, payment.customer_id)
    sent: dict[str, Any] = dict(request.carried)
    if request.echo:
        sent["echo"] = {**payment.echo, **request.echo}
    if request.metadata is not None:
        sent["scenarios"] = context.call.payment_scenarios
    if request.session_expiry is not None:
        sent["session_expiry_s"] = request.session_expiry
        sent["expires_at"] = payment.created_at + request.session_expiry * 1000
    _add_customer(tx, context, request, sent, payment.own)
    payment = structs.replace(payment, modified_at=context.now, **sent)
    is_another = request.payment_method not in (None, payment.payment_method) or (is_moved and payment.stored)
    if is_another and payment.status is PaymentStatus.REQUIRES_CONFIRMATION:
        none = {**methods.NOTHING, "payment_method_type": None}
        payment, _ = apply_transition(payment, Trigger.METHOD_DETACHED, context.now, **none)
    payment = methods.attach(tx, context, payment, request)
    return ask_issuer(tx, context, payment, profile, request.holder) if request.confirm else tx.put(PAYMENTS, payment)


_BESIDE: Final = frozenset(PaymentRequest.__struct_fields__).intersection(Payment.__struct_fields__) - {
    "payment_method_type", "payment_token", "mandate_id",
}  # fmt: skip
"""What a request can say that its payment may have already; a type is its method's, a reference that of one call."""


def _beside(payment: Payment, request: PaymentRequest) -> PaymentRequest:
    """The request with what the payment already has, so that rules between fields see both."""
    is_same_method = request.payment_method in (None, payment.payment_method)
    names = (*_BESIDE, "payment_method_type") if is_same_method else _BESIDE
    return structs.replace(
        request, **{name: getattr(payment, name) for name in names if getattr(request, name) is None}
    )


def merge_metadata(
    tx: Transaction, context: CommandContext, /, payment_id: str, metadata: Mapping[str, JsonText], **echo: JsonText
) -> Payment:
    """Merges top-level keys into the metadata (facts §3.3), and replaces the feature metadata if it was sent (`echo`).

    Refused as `status_forbids`, `metadata_over_limit`.
    """
    payment = access.find_permitted(tx, payment_id, "update_metadata")
    text = jsontext.merged(payment.metadata, metadata)
    pairs = jsontext.count(text)
    if pairs > METADATA_PAIRS:
        raise Refusal(Cause.METADATA_OVER_LIMIT, count=pairs, limit=METADATA_PAIRS)
    return access.changed(tx, context, payment, metadata=text, echo={**payment.echo, **echo})


def confirm(tx: Transaction, context: CommandContext, payment_id: str, request: PaymentRequest) -> Payment:
    """Changes what the request sends, then asks the issuer.

    Refused as `status_forbids`, `retry_disabled`, `retry_window_over`, and as `rules.check` and `charge` refuse.
    """
    payment = access.find_for(tx, context, payment_id, request.client_secret)
    access.permit(payment, "confirm")
    profile = profiles.find(tx, payment.profile_id)
    if payment.status is PaymentStatus.FAILED:
        access.permit_retry(payment, profile, context.now)
        payment = retried(payment, context.now)
    return _amended(tx, context, payment, structs.replace(request, confirm=True), profile)
