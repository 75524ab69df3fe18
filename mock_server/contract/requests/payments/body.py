"""The body of create, update, replace and confirm (interface §4.2, facts §2.1): one definition for all four."""

from __future__ import annotations

from operator import itemgetter
from typing import Final

from mock_server.contract.kinds.base import (
    DROPPED,
    ECHOED,
    ECHOED_FREE,
    KEPT,
    OWN,
    READ_AND_KEPT,
    FieldPlace,
    Loaded,
    known_text,
    metadata_text,
    read_as,
)
from mock_server.contract.kinds.objects import Body, Items, ObjectOf
from mock_server.contract.kinds.rules import ValueRule, has_letter
from mock_server.contract.kinds.texts import (
    CallerId,
    Choice,
    Text,
    Timestamp,
    country_code,
    currency_code,
    email_address,
    web_url,
)
from mock_server.contract.kinds.values import Amount, Anything, Flag, Free, Metadata
from mock_server.contract.requests.payments import methods, parts
from mock_server.contract.requests.payments.consent import CustomerAcceptance, MandateData, recurring_reference
from mock_server.contract.requests.payments.inputs import CUSTOMER, mandate_input, method_input, recurring_input
from mock_server.contract.requests.payments.stored import stored
from mock_server.domain import limits
from mock_server.jsontext import canonical

_I: Final = "interface §4.2"
_F11: Final = "facts §1.1"
_PAYMENT_TYPES: Final = ("normal", "new_mandate", "setup_mandate", "recurring_mandate", "installment")
_MIT: Final = ("installment", "unscheduled", "recurring", "resubmission")
_CHANNELS: Final = ("ecommerce", "mail_order", "telephone_order")
_NAME: Final = "creds_identifier"
_IS_CHANNEL: Final = ValueRule(
    lambda sent: sent in _CHANNELS or (isinstance(sent, dict) and isinstance(sent.get("other"), str)),
    f"must be one of {', '.join(_CHANNELS)}, or an object with other",
)
EXPERIENCES: Final = (
    "redirect_to_url", "invoke_sdk_client", "display_qr_code", "one_click", "link_wallet", "invoke_payment_app",
    "display_wait_screen", "collect_otp",
)  # fmt: skip


def _country(billing: Loaded) -> str | None:
    address = billing["address"]
    return None if address is None else address["country"]


_BILLING: Final = FieldPlace(echo=True, write=known_text, parts={"billing_country": _country})
_SURCHARGE: Final = FieldPlace(
    echo=True,
    write=known_text,
    parts={"surcharge_amount": itemgetter("surcharge_amount"), "surcharge_tax": lambda sent: sent["tax_amount"] or 0},
    read_parts=True,
)
_CREDENTIALS: Final = FieldPlace(echo=True, write=lambda sent: canonical({_NAME: sent[_NAME]}))
"""Of a real processor's credentials only the name is stored."""


class _InterfacesFields(Body, source=_I):
    """The fields in the interface's own table."""

    amount = Amount("Amount in minor units.", late=True, example=6540, place=READ_AND_KEPT)
    currency = currency_code("Three-letter ISO 4217 code.", example="USD", place=READ_AND_KEPT)
    profile_id = CallerId("ID of the business profile.", example="pro_0123456789abcdefghij")
    payment_id = CallerId("Unique ID. Generated if omitted.", example="pay_order_1001")
    confirm = Flag("Whether to confirm the payment immediately.", example=True)
    customer_id = CallerId("ID of the customer.", example="cus_shopper_42", place=READ_AND_KEPT)
    description = Text("Free text.", most=limits.DESCRIPTION, example="Order 1001", place=ECHOED)
    return_url = web_url("URL to which the customer returns.", example="https://shop.example.com/return", place=KEPT)
    capture_method = Choice(
        ("automatic", "manual", "manual_multiple", "sequential_automatic", "scheduled"),
        "Capture now (the default) or later.",
        named="CaptureMethod",
        example="automatic",
        place=READ_AND_KEPT,
    )
    authentication_type = methods.authentication_type("By default, no 3-D Secure.", example="no_three_ds", place=KEPT)
    email = email_address("Customer's email address.", example="jane.doe@example.com", place=READ_AND_KEPT)
    payment_method = methods.category("Payment method category; required if confirm is true.", _I)
    payment_method_type = methods.method_type("Payment method type within the category.", _I)
    payment_method_data = ObjectOf(
        lambda: methods.PaymentMethodData,
        "Details of the payment method.",
        words=("reward",),
        place=read_as(method_input),
    )
    setup_future_usage = Choice(
        ("on_session", "off_session"),
        "Save the payment method for later use.",
        named="FutureUsage",
        example="off_session",
        place=READ_AND_KEPT,
    )
    merchant_order_reference_id = Text(
        "Your own order reference.", most=limits.MERCHANT_ORDER_REFERENCE_ID, example="order-1001", place=KEPT
    )
    shipping = ObjectOf(lambda: parts.Contact, "Shipping address.", place=ECHOED)
    billing = ObjectOf(lambda: parts.Contact, "Billing address.", place=_BILLING)
    statement_descriptor_name = Text(
        "Name on the card statement, with at least one letter.",
        most=limits.STATEMENT_DESCRIPTOR,
        rules=[ValueRule(has_letter, "must contain at least one letter")],
        example="EXAMPLE SHOP",
        place=ECHOED,
    )
    statement_descriptor_suffix = Text("Suffix of the statement descriptor.", example="1001", place=ECHOED)
    metadata = Metadata(example={"order_id": "1001"}, place=FieldPlace(OWN, OWN, write=metadata_text))
    browser_info = ObjectOf(lambda: parts.BrowserInfo, "The customer's browser.", place=ECHOED)


class PaymentBody(_InterfacesFields, source="facts §2.1"):
    """A payment. Which fields are required to create one depends on the dialect."""

    # Fields of the public API that are not in the interface's table.
    merchant_id = CallerId("Your merchant ID. Accepted, but has no effect.", place=DROPPED)
    amount_to_capture = Amount("Amount to capture, if not the full amount.", example=6540, place=READ_AND_KEPT)
    order_tax_amount = Amount("Tax on the order.", example=540, place=READ_AND_KEPT)
    shipping_cost = Amount("Shipping.", example=500, place=READ_AND_KEPT)
    surcharge_details = ObjectOf(lambda: parts.SurchargeDetails, "Additional fee.", place=_SURCHARGE)
    customer = ObjectOf(lambda: parts.CustomerBody, "The customer, as an object.", place=CUSTOMER)
    name = Text("Customer's name.", example="Jane Doe", place=FieldPlace("customer_name", "customer_name"))
    phone = Text("Customer's phone.", example="5550100", place=READ_AND_KEPT)
    phone_country_code = Text("Dialling code.", example="+1", place=READ_AND_KEPT)
    off_session = Flag("Whether the customer is absent.", example=False, place=READ_AND_KEPT)
    payment_token = Text("Token of a saved payment method.", example="token_0123456789abcdefghij")
    card_cvc = methods.card_cvc(place=DROPPED)
    customer_acceptance = ObjectOf(
        lambda: CustomerAcceptance,
        "The customer's acceptance of later charges.",
        source="facts §8",
        place=FieldPlace(OWN, OWN, write=known_text),
    )
    mandate_data = ObjectOf(
        lambda: MandateData, "Creates a mandate.", source="facts §8", place=FieldPlace(OWN, OWN, write=mandate_input)
    )
    mandate_id = Text("Mandate to charge.", most=limits.MANDATE_ID, example="man_0123456789abcdefghij")
    recurring_details = recurring_reference(
        "Charges a saved method without the customer.", source="facts §8", place=read_as(recurring_input)
    )
    payment_type = Choice(_PAYMENT_TYPES, "Payment type.", example="normal", place=KEPT)
    session_expiry = parts.session_expiry()
    request_incremental_authorization = Flag("Whether the authorization can be incremented.", place=KEPT)
    request_extended_authorization = Flag("Whether to request a longer authorization.", place=READ_AND_KEPT)
    enable_partial_authorization = Flag("Whether a partial authorization is accepted.", place=KEPT)
    enable_overcapture = Flag("Whether to allow a capture above the authorized amount.", place=READ_AND_KEPT)
    connector = Items(
        methods.connector(),
        "Connectors to route to; the first one with an account in the profile is used.",
        place=FieldPlace(record="wanted_connectors", write=tuple),
    )

    # Returned as they were sent.
    order_details = Items(ObjectOf(lambda: parts.OrderLine), "Items of the order.", place=ECHOED_FREE)
    payment_experience = Choice(EXPERIENCES, "How the customer pays.", place=ECHOED)
    allowed_payment_method_types = Items(methods.method_type("", _I, narrows=True), "Methods to offer.", place=ECHOED)
    connector_metadata = Free("Metadata for the connector.", place=ECHOED_FREE)
    feature_metadata = Free("Metadata for features.", place=ECHOED_FREE)
    frm_metadata = Free("Metadata for fraud checks.", place=ECHOED_FREE)
    billing_descriptor = stored("billing_descriptor", "Statement descriptor, in parts.")
    business_country = country_code("Country of the merchant.", place=ECHOED)
    business_label = Text("Label of the merchant.", place=ECHOED)
    business_sub_label = Text("Sub-label of the merchant.", place=ECHOED)
    force_3ds_challenge = Flag("Whether to request a 3-D Secure challenge.", place=ECHOED)
    payment_channel = Anything("Channel, such as ecommerce or telephone_order.", rules=[_IS_CHANNEL], place=ECHOED_FREE)
    split_payments = Free("How the payment is split.", place=ECHOED_FREE)
    is_iframe_redirection_enabled = Flag("Whether redirects open in an iframe.", place=ECHOED)
    is_stored_credential = Flag("Whether the method was saved before.", place=ECHOED)
    mit_category = Choice(_MIT, "Category of a merchant-initiated charge.", place=ECHOED)
    tokenization = Choice(("skip_psp", "tokenize_at_psp"), "Whether the connector stores a token.", place=ECHOED)
    partner_merchant_identifier_details = stored("partner_merchant_identifier_details", "Integration partner.")
    installment_options = stored("[installment_options]", "Instalment plans to offer.")
    installment_data = stored("installment_data", "The chosen instalment plan.")
    routing = Free("Details of the connector.", place=ECHOED_FREE)
    payment_link = Flag("Whether to create a payment link; its URL is in `payment_link` of the answer.", place=ECHOED)
    payment_link_config = stored("payment_link_config", "Appearance of the payment link.")
    payment_link_config_id = Text("ID of a configuration for payment links.", place=ECHOED)
    request_external_three_ds_authentication = Flag("Whether 3-D Secure is performed externally.", place=ECHOED)
    all_keys_required = Flag("Accepted, but has no effect: answers are always complete.", place=DROPPED)
    tax_status = Choice(("taxable", "exempt"), "Tax status of the order.", place=ECHOED)
    discount_amount = Amount("Discount.", place=ECHOED)
    shipping_amount_tax = Amount("Tax on shipping.", place=ECHOED)
    duty_amount = Amount("Duty.", place=ECHOED)
    order_date = Timestamp("Date of the order.", place=ECHOED)
    capture_on = Timestamp("Time of a scheduled capture. The sandbox does not schedule captures.", place=ECHOED)
    psd2_sca_exemption_type = Choice(
        ("low_value", "transaction_risk_analysis"), "Exemption from strong customer authentication.", place=ECHOED
    )
    skip_external_tax_calculation = Flag(
        "Whether to skip the tax calculation. The sandbox never calculates tax.", place=ECHOED
    )
    external_surcharge_strategy = Choice(("apply", "waive"), "Handling of a surcharge.", place=ECHOED)
    profile_acquirer_id = Text("Acquirer of the profile.", place=ECHOED)
    threeds_method_comp_ind = parts.comp_ind(place=ECHOED)
    three_ds_data = ObjectOf(lambda: parts.ThreeDsData, "Result of external 3-D Secure.", place=ECHOED)
    ctp_service_details = ObjectOf(lambda: parts.ClickToPay, "Details of the click-to-pay service.", place=ECHOED)
    merchant_connector_details = stored(
        "merchant_connector_details",
        "Merchant credentials to use. Only their name is returned.",
        source=_F11,
        place=_CREDENTIALS,
    )

    # From the client, on update and confirm.
    client_secret = Text("Client secret, in calls from the browser with a publishable key.", source=_F11)
    retry_action = Choice(("manual_retry", "requeue"), "How a failed payment is retried.", source=_F11, place=ECHOED)


PLACES: Final = PaymentBody.places()
