"""Rules between fields of one request (facts §4.4, decisions "Errors")."""

from __future__ import annotations

import json
from typing import Any, Final

from msgspec import structs

from mock_server import jsontext
from mock_server.domain.commands import CustomerInput, MandateInput, MethodInput, PaymentRequest
from mock_server.domain.errors import Cause, Refusal, missing
from mock_server.domain.limits import AMOUNT_MAX
from mock_server.domain.methods import PUBLIC_TYPES, find, named, public_words, types_of
from mock_server.domain.payment import AUTOMATIC, MANUAL, WHO_PAYS, Payment, added

SCHEDULED: Final = "scheduled"
CLICK_TO_PAY: Final = "ctp_service_details"
_WITHOUT_CUSTOMER: Final = "network_transaction_id_and_card_details"
"""The kind of reference that the public server charges without a customer."""


def meant(request: PaymentRequest, payment: Payment | None = None) -> PaymentRequest:
    """The request with the engine's words for its method, and with what it says within `customer` beside that.

    With the payment that it changes, its method is the one of a type alone, and its mandate is completed. A type
    without any category says nothing, and stays as it was sent.
    """
    category = payment.payment_method if payment else None
    group, word = named(request.payment_method or category, request.payment_method_type)
    meant = group if request.payment_method else None, word
    if meant != (request.payment_method, request.payment_method_type):
        request = structs.replace(request, payment_method=meant[0], payment_method_type=word)
    said: dict[str, Any] = {}
    given = request.payment_method_data
    if given is not None and (given.billing or given.holder):
        data = given if given.category else None
        request = structs.replace(request, payment_method_data=data, method_billing=given.billing, holder=given.holder)
    if request.customer is not None:
        inside = ((name, getattr(request.customer, inner)) for name, inner in _TWICE.items())
        said.update((name, value) for name, value in inside if value and not getattr(request, name))
    if request.mandate_data is not None and payment is not None and payment.mandate_data is not None:
        said["mandate_data"] = _completed(request.mandate_data, payment.mandate_data)
    return structs.replace(request, carried={**request.carried, **said}, **said) if said else request


def _completed(mandate: MandateInput, known: MandateInput) -> MandateInput:
    """A mandate with what was said of it before: its kind and its acceptance may come in different calls."""
    new = {name: jsontext.canonical(value) for name, value in json.loads(mandate.shown or "{}").items() if value}
    kind = mandate if "mandate_type" in new else known
    return MandateInput(
        single_use=kind.single_use,
        multi_use=kind.multi_use,
        customer_acceptance=mandate.customer_acceptance or known.customer_acceptance,
        shown=jsontext.merged(known.shown or "{}", new),
    )


def check(request: PaymentRequest, sent: PaymentRequest, public: bool) -> None:
    """Refuses a request whose fields contradict each other; most requests have few of the checked fields.

    `request` has also what its payment already has, `sent` has not. `public`: by the public server's rules.
    """
    if sent.confirm and sent.echo.get("payment_link") == "true":
        raise Refusal(Cause.LINK_AND_CONFIRM)
    if public:
        _method_as_sent(sent)
    _method(request, public)
    if request.amount_to_capture is not None or request.capture_method == SCHEDULED:
        _capture(request)
    if public and request.enable_overcapture and request.capture_method != MANUAL:
        raise Refusal(Cause.OVERCAPTURE_NEEDS_MANUAL)
    if request.customer is not None:
        _customer(request, request.customer)
    if request.recurring_details is not None or request.mandate_id is not None:
        _recurring(request, public)
    if request.setup_future_usage or request.mandate_data is not None:
        _future(request, public)
    # All that the customer pays is limited too (facts §4.4).
    total = (request.amount or 0) + sum(filter(None, added(request)))
    if total > AMOUNT_MAX:
        raise Refusal(Cause.AMOUNT_TOO_LARGE, total=total, limit=AMOUNT_MAX)


_TWICE: Final = {"customer_id": "id", **WHO_PAYS}
"""What says the same of the customer beside `customer` and in it."""


def _customer(request: PaymentRequest, customer: CustomerInput) -> None:
    for name, inner in _TWICE.items():
        one, other = getattr(request, name), getattr(customer, inner)
        if one and other and one != other:
            flat = name if inner == "id" else inner
            raise Refusal(Cause.CUSTOMER_CONFLICT, name=flat, value=one, inner=inner, other=other)


def _method_as_sent(sent: PaymentRequest) -> None:
    """What belongs to a method is sent together with it, whatever the payment has (facts §4.4)."""
    category, given = sent.payment_method, sent.payment_method_data
    if category is None and given is not None:
        raise missing("payment_method", "is required together with payment_method_data")
    if category not in (None, "card") and sent.payment_method_type is None:
        raise missing("payment_method_type", f"is required for payment_method {category}")
    saved = sent.payment_token or sent.recurring_details or CLICK_TO_PAY in sent.echo
    if category is not None and given is None and not saved:
        raise missing("payment_method_data", "is required together with payment_method")


def _method(request: PaymentRequest, public: bool) -> None:
    """`payment_method_data` needs `payment_method`; a type must be one of the method's, data must be for it."""
    category, type_, given = request.payment_method, request.payment_method_type, request.payment_method_data
    if category is None:
        if given is not None:
            raise missing("payment_method", "is required together with payment_method_data")
        if type_ is not None and not public:
            raise missing("payment_method", "is required together with payment_method_type")
        if request.confirm and not request.names_saved_method:
            raise missing("payment_method", "is required when confirm is true", Cause.METHOD_MISSING_AT_CONFIRM)
        return
    if type_ is None:
        if category != "card" and given is not None:
            raise missing("payment_method_type", f"is required for payment_method {category}")
    elif find((category, type_)) is None:
        raise wrong_type(category, type_, public)
    check_data(category, type_, given, public)


def check_data(category: str, type_: str | None, given: MethodInput | None, public: bool) -> None:
    """Refuses data of another method than the one that is named."""
    if given is not None and (given.category != category or (type_ and given.name not in (None, type_))):
        shown, own = (public_words(*pair, public) for pair in ((given.category, given.name), (category, type_)))
        raise Refusal(Cause.DATA_MISMATCH, method=own[given.category == category], given=".".join(filter(None, shown)))


def wrong_type(category: str, type_: str, public: bool) -> Refusal:
    """The refusal of a type that is not its method's."""
    offered = PUBLIC_TYPES[category] if public else types_of(category)
    return Refusal(Cause.METHOD_MISMATCH, method=category, method_type=type_, offered=offered)


def _capture(request: PaymentRequest) -> None:
    if request.capture_method == SCHEDULED:
        raise Refusal(Cause.FEATURE_NOT_OFFERED, feature="capture_method scheduled")
    wanted = request.amount_to_capture
    if wanted is None or request.amount is None:
        return
    if wanted > request.amount:
        raise Refusal(Cause.AMOUNT_TO_CAPTURE_OVER_AMOUNT, amount_to_capture=wanted, amount=request.amount)
    if wanted != request.amount and request.capture_method in (None, AUTOMATIC):
        raise Refusal(Cause.AMOUNT_TO_CAPTURE_NOT_AMOUNT, amount_to_capture=wanted, amount=request.amount)


def _future(request: PaymentRequest, public: bool) -> None:
    if request.mandate_data is not None:
        _mandate(request.mandate_data, request.customer_id, public)
    if request.confirm and request.setup_future_usage and not request.customer_id:
        raise Refusal(Cause.SETUP_FUTURE_USAGE_NEEDS_CUSTOMER)
    if request.mandate_data is None:
        return
    if request.setup_future_usage != "off_session":
        raise Refusal(Cause.MANDATE_DATA_NEEDS_OFF_SESSION)
    is_accepted = request.mandate_data.customer_acceptance or request.customer_acceptance
    if not is_accepted and (request.confirm or not public):
        raise missing("mandate_data.customer_acceptance", "is required: a mandate needs the customer's acceptance")


def _mandate(agreed: MandateInput, customer: str | None, public: bool) -> None:
    """That it does not end before it starts, and what only the public server asks of a mandate (facts §4.4)."""
    if public and not customer:
        raise Refusal(Cause.MANDATE_NEEDS_CUSTOMER)
    acceptance = json.loads(agreed.customer_acceptance or "{}") if public else {}
    if acceptance.get("acceptance_type") == "online" and acceptance.get("online") is None:
        raise Refusal(Cause.ACCEPTANCE_NEEDS_ONLINE)
    for kind in ("single_use", "multi_use"):
        bounds = getattr(agreed, kind)
        if bounds and bounds.start_date and bounds.end_date and bounds.start_date > bounds.end_date:
            raise Refusal(Cause.MANDATE_DATES_REVERSED, kind=kind)


def _recurring(request: PaymentRequest, public: bool) -> None:
    details = request.recurring_details
    for other in ("payment_token", "mandate_id", *(("mandate_data",) if public else ())):
        if details is not None and getattr(request, other):
            raise Refusal(Cause.RECURRING_DATA_DOUBLED, other=other)
    has_reference = public and details is not None and details.type == _WITHOUT_CUSTOMER
    if not request.customer_id and not has_reference:
        raise missing("customer_id", "is required for a charge of a saved method", Cause.CUSTOMER_NEEDED)
    for field in ("confirm", "off_session"):
        if getattr(request, field) is not True:
            raise Refusal(Cause.RECURRING_NEEDS, field=field)
