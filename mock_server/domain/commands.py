"""What callers request, as frozen values.

A valid body becomes one of these. `None` always means "not sent": a `null` in an optional field is the same as leaving
it out (ours). Free-form and echoed values are JSON text (`str`), written once when they come in, so that the same text
is signed, stored and shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from msgspec import Struct, field

from mock_server.domain.records import Discreet

JsonText = str
"""A value as compact JSON text, in the form JavaScript would write it."""


class CardInput(Discreet, frozen=True, kw_only=True):
    """A card as the customer typed it; number and code are never stored (interface §2.4)."""

    HIDDEN: ClassVar = frozenset({"number", "cvc"})

    number: str
    exp_month: str
    exp_year: str
    cvc: str | None = None
    holder: str | None = None
    nick_name: str | None = None


class MethodInput(Discreet, frozen=True, kw_only=True):
    """One payload of `payment_method_data`, and what stands beside it; `sent_as` can say more than the type."""

    HIDDEN: ClassVar = frozenset({"payload"})

    category: str
    name: str | None = None
    sent_as: str | None = None
    card: CardInput | None = None
    payload: Mapping[str, object] = field(default_factory=dict)
    billing: JsonText | None = None
    holder: str | None = None


class CustomerInput(Struct, frozen=True, kw_only=True):
    """The `customer` object of a payment request (facts §2.1)."""

    id: str | None = None
    name: str | None = None
    email: str | None = None
    phone: str | None = None
    phone_country_code: str | None = None
    tax_registration_id: str | None = None
    document_details: Mapping[str, str] | None = None


class MultiUse(Struct, frozen=True, kw_only=True):
    """The bounds of a multi-use mandate: amount in minor units, instants in milliseconds (facts §8)."""

    amount: int
    currency: str
    start_date: int | None = None
    end_date: int | None = None


class MandateInput(Struct, frozen=True, kw_only=True):
    """`mandate_data`: the customer agrees to later charges (facts §8); `shown` is what answers return of it."""

    single_use: MultiUse | None = None
    multi_use: MultiUse | None = None
    customer_acceptance: JsonText | None = None
    shown: JsonText | None = None


class RecurringInput(Struct, frozen=True, kw_only=True):
    """`recurring_details`: the method of a merchant-initiated charge (facts §8)."""

    type: str
    data: str | None = None
    card: CardInput | None = None


class PaymentRequest(Discreet, frozen=True, kw_only=True):
    """The body of create, update, replace and confirm (interface §4.2, facts §2.1).

    Fields that the engine reads have a name here, that of the record's attribute if the payment has it too. `carried`
    has everything that the payment stores, by the record's attribute. `echo` has every other field of the public API,
    which is only returned, by its name, as JSON text in the documented shape (`description`, `billing`, …).
    """

    HIDDEN: ClassVar = frozenset({"client_secret"})

    payment_id: str | None = None
    amount: int | None = None
    currency: str | None = None
    profile_id: str | None = None
    confirm: bool | None = None
    capture_method: str | None = None
    payment_method: str | None = None
    payment_method_type: str | None = None
    payment_method_data: MethodInput | None = None
    method_billing: JsonText | None = None
    holder: str | None = None
    payment_token: str | None = None
    customer_id: str | None = None
    customer: CustomerInput | None = None
    customer_name: str | None = None
    email: str | None = None
    phone: str | None = None
    phone_country_code: str | None = None
    setup_future_usage: str | None = None
    off_session: bool | None = None
    customer_acceptance: JsonText | None = None
    mandate_data: MandateInput | None = None
    mandate_id: str | None = None
    recurring_details: RecurringInput | None = None
    metadata: JsonText | None = None
    session_expiry: int | None = None
    amount_to_capture: int | None = None
    order_tax_amount: int | None = None
    shipping_cost: int | None = None
    surcharge_amount: int | None = None
    surcharge_tax: int | None = None
    request_extended_authorization: bool | None = None
    enable_overcapture: bool | None = None
    client_secret: str | None = None
    carried: Mapping[str, Any] = field(default_factory=dict)
    echo: Mapping[str, JsonText] = field(default_factory=dict)

    @property
    def names_saved_method(self) -> bool:
        return bool(self.payment_token or self.mandate_id or self.recurring_details)


class RetrievePayment(Discreet, frozen=True, kw_only=True):
    """The query of a payment retrieve (facts §1.1); as a body (sync) it names the payment."""

    HIDDEN: ClassVar = frozenset({"client_secret"})

    payment_id: str | None = None
    client_secret: str | None = None
    force_sync: bool = False
    expand_attempts: bool = False
    expand_captures: bool = False
