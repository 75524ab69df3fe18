"""Every method of the public dialect: from the list of methods to each of its ends (a generator over the rows)."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, Final

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.domain.issuer import ONE_TIME_CODE
from mock_server.domain.methods import ALL_METHODS, METHODS, NEXT_ACTIONS, PUBLIC_TYPES, Flow, Method, payload_of
from mock_server.pages.links import KINDS
from tests.api.money_places import fine
from tests.counts import times
from tests.pages.browser import Browser, link
from tests.routes.good import merchant
from tests.wire import Reply, Wire, wire

ROWS: Final = tuple(row for row in ALL_METHODS if row.category != "card")
rows = pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.category}-{row.type}")
TYPED: Final = {
    "vpa_id": "somebody@bank", "iban": "DE89370400440532013000", "account_number": "000123456789",
    "routing_number": "110000000", "sort_code": "108800", "bsb_number": "000000", "date_of_birth": "1990-01-31",
    "number": "6006491727005748013", "cvc": "1234", "pin": "1234", "cvv2": "123", "expiration_date": "12/2035",
    "msisdn": "15550100", "email": "ada@example.test", "country": "DE",
}  # fmt: skip
"""What a customer types, by the last part of the field's path."""
ENDS: Final = ("approved", "declined", "cancelled", "expired", "scenario", "settle")
PAGES: Final = {
    "redirect_to_url": {"redirect_to_url"},
    "qr_code_information": {"image_data_url", "qr_code_url", "raw_qr_data"},
    "display_voucher_information": {"voucher_details"},
    "display_bank_transfer_information": {"bank_transfer_steps_and_charges_details"},
    "wait_screen_information": {"poll_config", "display_from_timestamp"},
    "invoke_upi_intent_sdk": {"sdk_uri"},
    "invoke_upi_qr_flow": {"qr_code_url", "poll_config"},
    "collect_otp": {"consent_data_required"},
}
"""By the word of the next action, what it must have, written by hand."""


def public() -> Wire:
    return wire(dialect=HYPERSWITCH)


def words(row: Method) -> tuple[str, str]:
    """The row's category and type in the public words."""
    usual = payload_of(row)
    group = "voucher" if row.type == "boleto" or (usual and usual.group == "voucher") else row.category
    renamed = {("bank_redirect", "bancontact"): "bancontact_card", ("bank_transfer", "sepa"): "sepa_bank_transfer"}
    return group, renamed.get((row.category, row.type), row.type)


def place_of(row: Method) -> tuple[str, str | None]:
    """A currency and a country in which the method is used."""
    return (*row.currencies, "EUR")[0], (*row.countries, None)[0]


def paid_in(currency: str, country: str | None) -> dict[str, Any]:
    """What a payment says of such a place."""
    return {"currency": currency, **({"billing": {"address": {"country": country}}} if country else {})}


def created(api: Wire, row: Method, **fields: Any) -> Any:
    """A payment that waits for its method, in a place where the method is used."""
    body = {"amount": 6540, "return_url": "https://shop.example/", **paid_in(*place_of(row))}
    return fine(api.post("/payments", {**body, **fields}))


def listed(api: Wire, made: Any) -> dict[tuple[str, str], dict[str, Any]]:
    """What a form is told about each method that is offered for the payment, by its public words."""
    shown = fine(api.page().get(f"/account/payment_methods?client_secret={made['client_secret']}"))
    return {
        (group["payment_method"], one["payment_method_type"]): one
        for group in shown["payment_methods"]
        for one in group["payment_method_types"]
    }


def offer(api: Wire, made: Any, row: Method) -> dict[str, Any] | None:
    """What a form is told about the method; None if it is not offered for the payment."""
    return listed(api, made).get(words(row))


@cache
def offers(currency: str, country: str | None) -> dict[tuple[str, str], dict[str, Any]]:
    """What is told for any payment in a place that says no more."""
    api = public()
    return listed(api, fine(api.post("/payments", {"amount": 6540, **paid_in(currency, country)})))


def typed(field: dict[str, Any]) -> str:
    """What a customer types or chooses in one field."""
    kind = field["field_type"]
    options = next(iter(kind.values()))["options"] if isinstance(kind, dict) else []
    name = field["required_field"].rpartition(".")[2]
    return str(options[0]) if options and options != ["ALL"] else TYPED.get(name, f"any {name}")


def body_of(row: Method, fields: list[dict[str, Any]]) -> dict[str, Any]:
    """A confirmation with these fields, each where its path says."""
    category, type_ = words(row)
    usual = payload_of(row)
    assert usual is not None
    body: dict[str, Any] = {"payment_method": category, "payment_method_type": type_, "payment_method_data": {}}
    body["payment_method_data"][usual.group] = {} if usual.group in ("crypto", "reward") else {usual.name: {}}
    if usual.fields is None and not row.asks:
        body["payment_method_data"][usual.group][usual.name] = {"token": "any"}
    for field in fields:
        *path, name = field["required_field"].split(".")
        place = body
        for part in path:
            place = place.setdefault(part, {})
        place[name] = typed(field)
    return body


def confirmed(api: Wire, row: Method, headers: dict[str, str] | None = None) -> Any:
    made = created(api, row)
    told = offers(*place_of(row)).get(words(row))
    assert told is not None, "not offered where it is used"
    body = body_of(row, list(told["required_fields"].values()))
    return fine(api.call("POST", f"/payments/{made['payment_id']}/confirm", body, headers=headers or {}))


def test_the_words_of_the_list_are_as_the_public_api_has_them() -> None:
    listed = {(row.category, row.type): words(row) for row in ALL_METHODS}
    assert {(group, word) for group, types in PUBLIC_TYPES.items() for word in types} == set(listed.values())


@rows
def test_what_the_list_asks_for_is_enough_to_pay(row: Method) -> None:
    api = public()
    paid = confirmed(api, row)
    assert (paid["payment_method"], paid["payment_method_type"]) == words(row)
    flow, action = row.flow, paid["next_action"]
    if flow in (Flow.CHARGE, Flow.DEBIT):
        assert action is None
        assert paid["status"] == ("processing" if flow is Flow.DEBIT else "succeeded")
        return
    assert paid["status"] == "requires_customer_action"
    assert action["type"] == NEXT_ACTIONS.get(row.flow)
    assert PAGES[action["type"]] <= set(action)
    page = Browser(api).open(link(paid))
    assert page.status == 200
    assert f"page-{flow}" in page.seen.ids


@pytest.mark.parametrize("turn", range(times(1, soak=len(ENDS))))
@rows
def test_each_end_is_reached(row: Method, turn: int) -> None:
    """In every run one end of each row, in turn; all of them in a long one."""
    if row.flow is Flow.CHARGE:
        return
    end = ENDS[(ROWS.index(row) + turn) % len(ENDS)]
    api = public()
    if end == "scenario":
        failed = confirmed(api, row, {"X-Sandbox-Outcome": "failed:insufficient_funds"})
        assert (failed["status"], failed["next_action"]) == ("failed", None)
        return
    paid = confirmed(api, row, {"X-Sandbox-Outcome": "requires_action"} if row.type == "upi_collect" else None)
    path = f"/payments/{paid['payment_id']}"
    if row.flow is Flow.DEBIT or end == "settle":
        if row.flow is not Flow.DEBIT:
            fine(api.post(f"/_sandbox{path}/settle", {"as": "pending"}))
        fine(api.post(f"/_sandbox{path}/settle", {"as": "failed" if end == "declined" else "succeeded"}))
        assert fine(api.get(path))["status"] == ("failed" if end == "declined" else "succeeded")
        return
    browser = Browser(api)
    page = browser.open(link(paid))
    buttons = {name for form in page.seen.forms for name in form.buttons}
    pressed = end if end in buttons else "cancelled"  # nobody declines a voucher
    code = {"code": ONE_TIME_CODE} if row.flow is Flow.CODE else {}
    assert browser.press(page, pressed, **code).status < 400
    approved = "processing" if row.asynchronous else "succeeded"
    seen = fine(api.get(path))
    assert seen["status"] == (approved if pressed == "approved" else "failed"), (row, pressed)
    assert seen["next_action"] is None


@rows
def test_each_field_is_missed(row: Method) -> None:
    api = public()
    made = created(api, row, billing=None)
    told = offers(made["currency"], None).get(words(row))
    assert told is not None
    fields = list(told["required_fields"].values())
    for left_out in fields:
        body = body_of(row, [field for field in fields if field is not left_out])
        refused = api.post(f"/payments/{made['payment_id']}/confirm", body)
        name = left_out["required_field"].rpartition(".")[2]
        assert (refused.status, refused["error"]["code"] in ("IR_04", "IR_06")) == (400, True), refused.raw
        assert name in refused["error"]["message"]
        assert fine(api.get(f"/payments/{made['payment_id']}"))["status"] == "requires_payment_method"
    fine(api.post(f"/payments/{made['payment_id']}/confirm", body_of(row, fields)))


@rows
def test_it_is_offered_only_where_it_is_used(row: Method) -> None:
    currency, country = place_of(row)
    elsewhere = next(word for word in ("EUR", "USD", "CAD") if word not in row.currencies)
    abroad = next(word for word in ("DE", "NL", "BR") if word not in row.countries)
    assert (words(row) not in offers(elsewhere, None)) is bool(row.currencies)
    assert (words(row) not in offers(currency, abroad)) is bool(row.countries)
    assert words(row) in offers(currency, country)


LABELS: Final = {
    "email": "emailLabel", "country": "countryLabel", "issuer": "bankLabel", "bank_name": "bankLabel",
    "vpa_id": "vpaIdLabel", "iban": "formFieldSepaIbanLabel", "routing_number": "formFieldACHRoutingNumberLabel",
    "account_number": "formFieldBankAccountNumberLabel",
}  # fmt: skip
"""What a checkout script has in about 30 languages, by the field's name; the others stay in English."""


def evaluated(config: dict[str, Any], context: dict[str, str]) -> dict[str, str | None]:
    """The paths that a checkout script sends for a method, as it evaluates its configuration, and their labels."""
    found = dict(config["default_configs"])
    for one in config["contexts"]:
        if all(context.get(name) == value for name, value in one["condition"].items()):
            for key in one["override_with_keys"]:
                found |= config["overrides"][key]
    bases = {name.split("._")[0] for name in found if name.endswith("._is_required") and found[name]}
    return {
        str(found.get(f"{base}._confirm_request_write_path", base)): found.get(f"{base}._label_localization_key")
        for base in bases
    }


@cache
def told_to_scripts(currency: str, country: str | None) -> Any:
    """What a checkout script gets for a payment in a place."""
    api = public()
    made = fine(api.post("/payments", {"amount": 6540, **paid_in(currency, country)}))
    return fine(api.page().get(f"/v1/sdk/configs/web/sdk_config.json?client_secret={made['client_secret']}"))


@rows
def test_a_checkout_script_asks_for_what_the_confirmation_needs(row: Method) -> None:
    told = offers(*place_of(row))[words(row)]
    config = told_to_scripts(*place_of(row))
    category, type_ = words(row)
    context = {name: "".join(part.title() for part in word.split("_")) for name, word in (
        ("payment_method", category), ("payment_method_type", type_))}  # fmt: skip
    writes = {"email": "payment_method_data.billing.email"}
    writes["billing.address.country"] = "payment_method_data.billing.address.country"
    expected = {writes.get(path, path): LABELS.get(path.split(".")[-1]) for path in told["required_fields"]}
    assert evaluated(config["raw_configs"], context) == expected
    groups = {group["payment_method"]: group["payment_method_types"] for group in config["payment_methods"]}
    (rule,) = [one for one in groups[category] if one["payment_method_type"] == type_]
    assert [criterion["eligible_connectors"] for criterion in rule["criteria_rules"]] == [["payment_sandbox"]]


PUBLIC_ONLY: Final = tuple(row for row in ROWS if row.is_public)


@pytest.mark.parametrize("row", PUBLIC_ONLY, ids=lambda row: row.type)
def test_the_default_dialect_does_not_have_it(api: Wire, row: Method) -> None:
    body = body_of(row, [])
    refused = api.post("/payments", {"amount": 100, "currency": "EUR", "profile_id": "pro_shop", **body})
    assert refused.status in (400, 422, 501), refused.raw
    assert merchant(api)


def test_the_default_dialect_offers_those_of_the_interface(api: Wire) -> None:
    made = fine(api.pay(confirm=False))
    shown = fine(api.page().get(f"/account/payment_methods?client_secret={made['client_secret']}"))["payment_methods"]
    assert sum(len(group["payment_method_types"]) for group in shown) == len(METHODS)


# what some methods have of their own


def debit(api: Wire, iban: str, **fields: Any) -> Reply:
    data = {"bank_debit": {"sepa_bank_debit": {"iban": iban, "bank_account_holder_name": "Ada Lovelace"}}}
    body = {"amount": 6540, "currency": "EUR", "confirm": True, "payment_method": "bank_debit"}
    made: Reply = fine(
        api.post("/payments", {**body, "payment_method_type": "sepa", "payment_method_data": data, **fields})
    )
    return made


@pytest.mark.parametrize(
    ("iban", "status", "code"),
    [("DE89370400440532013000", "succeeded", None), ("DE62370400440532013001", "failed", "insufficient_funds")],
)
def test_a_debit_is_collected_or_returned_after_days(iban: str, status: str, code: str | None) -> None:
    api = public()
    made = debit(api, iban)
    assert made["status"] == "processing"
    fine(api.post("/_sandbox/clock/advance", {"by": "71h"}))
    assert fine(api.get(f"/payments/{made['payment_id']}"))["status"] == "processing"
    fine(api.post("/_sandbox/clock/advance", {"by": "2h"}))
    seen = fine(api.get(f"/payments/{made['payment_id']}"))
    assert seen["status"] == status
    assert iban not in api.get("/_sandbox/journal").raw.decode()
    assert (seen["error_code"] is None) is (code is None)
    assert iban not in json.dumps(seen.json)


def test_a_gift_card_is_charged_and_neither_shown_nor_recorded() -> None:
    api, number = public(), "6006491727005748013"
    data = {"gift_card": {"givex": {"number": number, "cvc": "8642"}}}
    body = {"payment_method": "gift_card", "payment_method_type": "givex", "payment_method_data": data}
    made = fine(api.post("/payments", {"amount": 100, "currency": "EUR", "confirm": True, **body}))
    assert (made["status"], made["payment_method_data"]["gift_card"]) == ("succeeded", {"givex": {"last4": "8013"}})
    for seen in (made.raw, api.get("/_sandbox/journal").raw, api.get("/_sandbox/snapshot").raw):
        assert number.encode() not in seen
        assert b'"8642"' not in seen


def test_a_debit_with_a_mandate_is_charged_again() -> None:
    api = public()
    fine(api.post("/customers", {"customer_id": "cus_1"}))
    accepted = {"acceptance_type": "offline", "accepted_at": "2026-01-01T00:00:00Z"}
    agreed = {"customer_acceptance": accepted, "mandate_type": {"multi_use": {"amount": 99999, "currency": "EUR"}}}
    made = debit(
        api, "DE89370400440532013000", customer_id="cus_1", setup_future_usage="off_session", mandate_data=agreed
    )
    fine(api.post("/_sandbox/clock/advance", {"by": "73h"}))
    mandate = fine(api.get(f"/payments/{made['payment_id']}"))["mandate_id"]
    assert mandate
    again = fine(api.post("/payments", {
        "amount": 100, "currency": "EUR", "confirm": True, "off_session": True, "customer_id": "cus_1",
        "mandate_id": mandate}))  # fmt: skip
    assert (again["status"], again["payment_method_type"]) == ("processing", "sepa")


@pytest.mark.parametrize("type_", ["classic", "evoucher"])
def test_a_reward_is_one_word(type_: str) -> None:
    body = {"payment_method": "reward", "payment_method_type": type_, "payment_method_data": "reward"}
    made = fine(public().post("/payments", {"amount": 100, "currency": "EUR", "confirm": True, **body}))
    assert made["next_action"]["type"] == "redirect_to_url"


def test_a_voucher_can_be_one_word() -> None:
    body = {"payment_method": "voucher", "payment_method_type": "oxxo", "payment_method_data": {"voucher": "oxxo"}}
    made = fine(public().post("/payments", {"amount": 100, "currency": "MXN", "confirm": True, **body}))
    assert made["next_action"]["type"] == "display_voucher_information"


def test_at_most_thirty_types_are_left_and_each_for_a_flow_that_is_missing() -> None:
    flows = {"venmo": "its own SDK", "open_banking_pis": "a bank's SDK", "network_token": "tokens of networks",
             "pix_key": "payouts only"}  # fmt: skip
    api = public()
    for type_ in flows:
        body = {"amount": 100, "currency": "EUR", "payment_method": "wallet", "payment_method_type": type_}
        assert api.post("/payments", body).status == 501
    assert set(KINDS) >= {row.flow for row in ALL_METHODS} - {Flow.CHARGE, Flow.DEBIT} or KINDS
