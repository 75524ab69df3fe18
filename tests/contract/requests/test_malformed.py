"""Every way to be wrong that we thought of: one row, one mistake, and the path that it is told by."""

# ruff: noqa: E501 — one row, one mistake

from __future__ import annotations

from typing import Any, Final

import pytest

from mock_server.domain.errors import Cause
from tests.contract.requests.bodies import CARD, CREATE, GONE, LEAST, paths, refused, spoiled, wrong

LONG: Final = "x" * 256
CARD_AT: Final = "payment_method_data.card"
ADDRESS: Final = "billing.address"
BOUNDS: Final = "mandate_data.mandate_type.multi_use"

WRONG_VALUES: Final[tuple[tuple[str, object], ...]] = (
    # Integers are integers.
    ("amount", "6540"), ("amount", 1.0), ("amount", 65.4), ("amount", True), ("amount", -1), ("amount", 1_000_000_000),
    ("amount", [6540]), ("amount", {}), ("amount_to_capture", -1), ("amount_to_capture", "1"),
    ("order_tax_amount", -1), ("shipping_cost", 1.5), ("shipping_cost", 1_000_000_000), ("discount_amount", "0"),
    ("shipping_amount_tax", False), ("duty_amount", -5), ("session_expiry", 59), ("session_expiry", 7_890_001),
    ("session_expiry", "900"), ("session_expiry", 900.0),
    # Words of a list.
    ("currency", "usd"), ("currency", "US"), ("currency", "XYZ"), ("currency", "XAU"), ("currency", 840),
    ("currency", ""), ("currency", " USD"), ("currency", "USDD"), ("currency", ["USD"]),
    ("capture_method", "later"), ("capture_method", "Automatic"), ("capture_method", ""), ("capture_method", True),
    ("authentication_type", "3ds"), ("authentication_type", None.__class__.__name__), ("payment_method", "cards"),
    ("payment_method", 1), ("payment_method_type", "creditt"), ("payment_method_type", {}),
    ("setup_future_usage", "both"), ("payment_type", "odd"), ("payment_experience", "by_mail"),
    ("business_country", "USA"), ("business_country", "us"), ("business_country", "XX"),
    # Flags are flags.
    ("confirm", "true"), ("confirm", 1), ("confirm", 0), ("confirm", "yes"), ("off_session", "false"),
    ("request_incremental_authorization", 1), ("request_extended_authorization", "1"), ("enable_overcapture", []),
    ("enable_partial_authorization", "no"), ("force_3ds_challenge", 0), ("is_stored_credential", "t"),
    ("payment_link", "true"), ("all_keys_required", 1),
    # Texts are texts, and end somewhere.
    ("description", 42), ("description", "x" * 5_001), ("description", ["x"]), ("name", LONG), ("name", False),
    ("phone", LONG), ("phone", 5550100), ("phone_country_code", LONG), ("merchant_order_reference_id", LONG),
    ("merchant_order_reference_id", 1001), ("statement_descriptor_suffix", LONG), ("payment_token", LONG),
    ("mandate_id", "m" * 65), ("statement_descriptor_name", "x" * 23), ("statement_descriptor_name", "12345"),
    ("statement_descriptor_name", ""), ("statement_descriptor_name", 22), ("business_label", LONG),
    ("tax_status", 1), ("mit_category", LONG), ("payment_channel", {}), ("tokenization", 0),
    # Ids.
    ("payment_id", ""), ("payment_id", "p" * 65), ("payment_id", "pay 1"), ("payment_id", "pay/1"),
    ("payment_id", "list"), ("payment_id", "aggregate"), ("payment_id", "sync"), ("payment_id", 1),
    ("payment_id", "päy"), ("customer_id", "cus.1"), ("customer_id", ""), ("customer_id", 7), ("customer_id", "c" * 65),
    ("profile_id", "pro 1"), ("profile_id", 1), ("profile_id", ""), ("merchant_id", "mer 1"),
    # Email and links.
    ("email", ""), ("email", "jane"), ("email", "jane@"), ("email", "@example.com"), ("email", "jane@example"),
    ("email", "jane doe@example.com"), ("email", "jane@@example.com"), ("email", "jane.@example.com"),
    ("email", "jane..doe@example.com"), ("email", "jane@-example.com"), ("email", "jane@example..com"),
    ("email", "j" * 65 + "@example.com"), ("email", 1), ("email", "jane@" + "x." * 126 + "com"),
    ("email", "jane@example.com\n"),
    ("return_url", ""), ("return_url", "shop.example.com"), ("return_url", "ftp://example.com"),
    ("return_url", "javascript:alert(1)"), ("return_url", "https://"), ("return_url", "https:///path"),
    ("return_url", "http://exa mple.com"), ("return_url", "https://example.com/a b"), ("return_url", 1),
    ("return_url", "https://example.com/\n"), ("return_url", "https://example.com:99999/"),
    ("return_url", "https://example.com:port/"), ("return_url", "https://example.com/" + "x" * 2_029),
    ("return_url", "https://good.example\\@bad.example/"), ("return_url", "//example.com"),
    # Instants.
    ("order_date", "yesterday"), ("order_date", "2027-13-01"), ("order_date", "2027-01-15T08:00:00"),
    ("order_date", 1_800_000_000), ("order_date", "2027-02-30T00:00:00Z"),
    # Objects are objects, arrays are arrays.
    ("metadata", []), ("metadata", "order_id=1"), ("metadata", 1), ("billing", "Harrison Street"), ("shipping", []),
    ("browser_info", 1), ("payment_method_data", "card"), ("payment_method_data", []), ("customer", "cus_1"),
    ("surcharge_details", 100), ("mandate_data", True), ("customer_acceptance", "yes"), ("recurring_details", "man_1"),
    ("order_details", {}), ("order_details", "shirt"), ("connector_metadata", []), ("frm_metadata", "x"),
    ("feature_metadata", 1), ("routing", "stripe"), ("split_payments", []), ("billing_descriptor", "x"),
    ("connector", "stripe"), ("allowed_payment_method_types", "card"), ("installment_data", 3),
    ("payment_link_config", "x"), ("partner_merchant_identifier_details", 1),
    # Cards.
    (CARD_AT, "4242424242424242"), (CARD_AT, []), (f"{CARD_AT}.card_number", "4242424242424241"),
    (f"{CARD_AT}.card_number", 4242424242424242), (f"{CARD_AT}.card_number", "4242 4242 4242 4242"),
    (f"{CARD_AT}.card_number", "4242-4242-4242-4242"), (f"{CARD_AT}.card_number", ""),
    (f"{CARD_AT}.card_number", "424242424242"), (f"{CARD_AT}.card_number", "42424242424242424242"),
    (f"{CARD_AT}.card_number", "４２４２４２４２４２４２４２４２"), (f"{CARD_AT}.card_number", "4242x24242424242"),
    (f"{CARD_AT}.card_exp_month", "3"), (f"{CARD_AT}.card_exp_month", "00"), (f"{CARD_AT}.card_exp_month", "13"),
    (f"{CARD_AT}.card_exp_month", 3), (f"{CARD_AT}.card_exp_month", ""), (f"{CARD_AT}.card_exp_month", "0３"),
    (f"{CARD_AT}.card_exp_year", "35"), (f"{CARD_AT}.card_exp_year", 2035), (f"{CARD_AT}.card_exp_year", "20355"),
    (f"{CARD_AT}.card_exp_year", "2026"), (f"{CARD_AT}.card_exp_year", "1999"), (f"{CARD_AT}.card_exp_year", "２０３５"),
    (f"{CARD_AT}.card_exp_year", "year"), (f"{CARD_AT}.card_cvc", "73"), (f"{CARD_AT}.card_cvc", "73737"),
    (f"{CARD_AT}.card_cvc", 737), (f"{CARD_AT}.card_cvc", "7a7"), (f"{CARD_AT}.card_cvc", ""),
    (f"{CARD_AT}.card_cvc", "７３７"), (f"{CARD_AT}.card_cvc", "737\n"), (f"{CARD_AT}.card_holder_name", LONG),
    (f"{CARD_AT}.nick_name", 1), (f"{CARD_AT}.card_network", LONG), (f"{CARD_AT}.bank_code", []), ("card_cvc", "12"),
    # Addresses.
    (f"{ADDRESS}.line1", LONG), (f"{ADDRESS}.line1", 1), (f"{ADDRESS}.line2", LONG), (f"{ADDRESS}.line3", LONG),
    (f"{ADDRESS}.city", LONG), (f"{ADDRESS}.state", 1), (f"{ADDRESS}.zip", 94122), (f"{ADDRESS}.country", "USA"),
    (f"{ADDRESS}.country", "us"), (f"{ADDRESS}.country", "ZZ"), (f"{ADDRESS}.country", ""), (f"{ADDRESS}.first_name", LONG),
    (f"{ADDRESS}.last_name", []), (f"{ADDRESS}.origin_zip", 1), (ADDRESS, "street"), ("billing.phone", "5550100"),
    ("billing.phone.number", 5550100), ("billing.phone.country_code", LONG), ("billing.email", "jane"),
    ("shipping.address.country", "U"), ("payment_method_data.billing.address.country", "Us"),
    ("payment_method_data.billing.phone.number", LONG),
    # The browser.
    ("browser_info.ip_address", 1), ("browser_info.user_agent", "x" * 2_049), ("browser_info.color_depth", "24"),
    ("browser_info.color_depth", -1), ("browser_info.screen_height", 1.5), ("browser_info.screen_width", True),
    ("browser_info.time_zone", "0"), ("browser_info.java_enabled", 0), ("browser_info.java_script_enabled", "true"),
    ("browser_info.os_type", LONG), ("browser_info.os_version", 10), ("browser_info.language", LONG),
    # The customer and what they agreed to.
    ("customer.id", "cus 1"), ("customer.name", LONG), ("customer.email", "jane"), ("customer.phone", 1),
    ("customer.phone_country_code", LONG), ("customer.customer_document_details", "x"),
    ("customer_acceptance.acceptance_type", "oral"), ("customer_acceptance.accepted_at", "now"),
    ("customer_acceptance.online", "yes"), ("customer_acceptance.online.ip_address", 1),
    (f"{BOUNDS}.amount", "6540"), (f"{BOUNDS}.amount", -1), (f"{BOUNDS}.currency", "usd"),
    (f"{BOUNDS}.start_date", "soon"), (f"{BOUNDS}.end_date", 1), (f"{BOUNDS}.metadata", "x"),
    ("mandate_data.update_mandate_id", "m" * 65), ("recurring_details.type", "iou"), ("recurring_details.data", 1),
    ("recurring_details.data", ""), ("surcharge_details.surcharge_amount", "1"), ("surcharge_details.tax_amount", -1),
    # Inside arrays.
    ("order_details.0", "shirt"), ("order_details.0", None), ("order_details.0.amount", "1"),
    ("order_details.0.amount", -1), ("order_details.0.quantity", 1.5), ("order_details.0.quantity", 65_536),
    ("order_details.0.product_name", LONG), ("order_details.0.requires_shipping", "no"),
    ("order_details.0.tax_rate", "7"), ("order_details.0.tax_rate", True), ("connector.1", 7), ("connector.0", None),
    # Metadata.
    ("metadata.long", "x" * 501), ("metadata.big", {"a": "x" * 493}), ("metadata.list", ["x" * 499]),
)  # fmt: skip

MISSING: Final = (
    "amount",
    "currency",
    "profile_id",
    f"{CARD_AT}.card_number",
    f"{CARD_AT}.card_exp_month",
    f"{CARD_AT}.card_exp_year",
    f"{CARD_AT}.card_cvc",
    "surcharge_details.surcharge_amount",
    "customer_acceptance.acceptance_type",
    f"{BOUNDS}.amount",
    f"{BOUNDS}.currency",
    "recurring_details.type",
    "recurring_details.data",
    "order_details.0.product_name",
    "order_details.0.quantity",
    "order_details.0.amount",
)

UNKNOWN: Final = (
    ("amont", "(did you mean amount?)"),
    ("Amount", "(did you mean amount?)"),
    ("payment_methods", "(did you mean payment_method?)"),
    ("_schema", None),
    ("payment_method_data.cheque", None),
    ("payment_method_data.bank_transfers", "(did you mean bank_transfer?)"),
    (f"{CARD_AT}.number", "(did you mean card_number?)"),
    (f"{CARD_AT}.card_cvv", "(did you mean card_cvc?)"),
    (f"{ADDRESS}.street", None),
    (f"{ADDRESS}.postcode", None),
    (f"{ADDRESS}.citty", "(did you mean city?)"),
    ("billing.phone.prefix", None),
    ("browser_info.useragent", "(did you mean user_agent?)"),
    ("customer.customer_id", None),
    ("customer_acceptance.online.ip", None),
    (f"{BOUNDS}.ammount", "(did you mean amount?)"),
    ("recurring_details.dat", "(did you mean data?)"),
    ("surcharge_details.amount", None),
    ("order_details.0.name", None),
    ("order_details.0.quantiy", "(did you mean quantity?)"),
)


@pytest.mark.parametrize(("path", "value"), WRONG_VALUES, ids=lambda part: str(part)[:40])
def test_a_wrong_value_is_told_by_its_path(path: str, value: object) -> None:
    body = spoiled(path, value)
    (error,) = wrong(CREATE, body)
    assert error.field == path
    assert error.cause is Cause.VALUE_INVALID
    assert error.message.startswith(("must ", "may ", "has ", "is "))


@pytest.mark.parametrize("path", MISSING)
@pytest.mark.parametrize(("value", "says"), [(GONE, "is required"), (None, "is required and must not be null")])
def test_what_is_required_is_neither_missing_nor_null(path: str, value: object, says: str) -> None:
    refusal = refused(CREATE, spoiled(path, value))
    assert refusal.cause is Cause.VALUE_MISSING
    assert [(error.field, error.message) for error in refusal.fields] == [(path, says)]


@pytest.mark.parametrize(("path", "hint"), UNKNOWN)
def test_an_unknown_field_is_refused_with_the_nearest_name(path: str, hint: str | None) -> None:
    refusal = refused(CREATE, spoiled(path, 1))
    assert refusal.cause is Cause.UNKNOWN_FIELD
    (error,) = refusal.fields
    assert error.field == path
    if hint:
        assert error.message == f"is not a known field {hint}"
    else:
        assert error.message.startswith("is not a known field")


@pytest.mark.parametrize("body", [[], [LEAST], "amount", 1, 1.5, True])
def test_a_body_must_be_an_object(body: object) -> None:
    refusal = refused(CREATE, body)
    assert refusal.cause is Cause.BODY_NOT_OBJECT
    assert refusal.values["expected"] == "object"


@pytest.mark.parametrize("body", [None, {}])
def test_no_body_is_an_empty_object(body: object) -> None:
    assert paths(CREATE, body) == ["amount", "currency", "profile_id"]


def test_all_mistakes_are_found_at_once_in_the_schemas_order() -> None:
    body: dict[str, Any] = {
        "zz": 1,
        "amonut": 1,
        "metadata": {"k" * 41: "v", "ok": "v"},
        "billing": {"address": {"country": "USA", "street": "x"}, "email": 1},
        "payment_method_data": {"card": {**CARD, "card_exp_month": "13", "card_cvc": "1"}},
        "currency": "usd",
        "order_details": [{"product_name": "a", "quantity": 1, "amount": 1}, {"quantity": "1", "amount": 1}],
        "profile_id": "pro_1",
    }
    refusal = refused(CREATE, body)
    assert refusal.cause is Cause.VALUE_INVALID
    assert [error.field for error in refusal.fields] == [
        "amount",
        "currency",
        "payment_method_data.card.card_exp_month",
        "payment_method_data.card.card_cvc",
        "billing.address.country",
        "billing.address.street",
        "billing.email",
        f"metadata.{'k' * 40}…",
        "order_details.1.product_name",
        "order_details.1.quantity",
        "zz",
        "amonut",
    ]


def test_the_table_is_as_long_as_it_says() -> None:
    assert len(WRONG_VALUES) + 2 * len(MISSING) + len(UNKNOWN) >= 150
    assert len({(path, repr(value)) for path, value in WRONG_VALUES}) == len(WRONG_VALUES)
