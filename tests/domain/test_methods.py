"""The table of payment methods and what a payment by each comes to."""

from __future__ import annotations

import pytest

from mock_server.domain import methods
from mock_server.domain.issuer import NO_SUCH_VPA, VPAS, Vpa, method_answer
from mock_server.domain.methods import METHODS, NEXT_ACTIONS, PAYLOADS, PUBLIC_METHODS, Flow, Method, Need, Payload
from mock_server.domain.outcomes import APPROVED, Challenge, OutcomeStatus

INTERFACE = {
    "card": "credit debit",
    "wallet": "apple_pay google_pay paypal samsung_pay ali_pay we_chat_pay",
    "pay_later": "klarna affirm afterpay_clearpay",
    "bank_redirect": "ideal sofort bancontact eps giropay",
    "bank_transfer": "pix ach sepa bacs multibanco boleto",
    "upi": "upi_collect upi_intent",
}
"""The table of interface §4.2."""


def test_the_table_is_the_interfaces() -> None:
    assert set(methods.categories()) == set(INTERFACE)
    for category, types in INTERFACE.items():
        assert set(methods.types_of(category)) == set(types.split())
    assert len(METHODS) == 24


@pytest.mark.parametrize("method", METHODS, ids=lambda row: row.type)
def test_every_method_is_found_and_consistent(method: Method) -> None:
    assert methods.find((method.category, method.type)) is method
    for alias in method.aliases:
        assert methods.find((method.category, alias)) is method
    assert (method.flow not in NEXT_ACTIONS) is (method.flow is Flow.CHARGE)
    assert method.customer_time_ms > 0


@pytest.mark.parametrize("method", METHODS, ids=lambda row: row.type)
def test_what_is_not_settled_at_once_is_pending_in_between(method: Method) -> None:
    found = method_answer(method)
    if method.flow is Flow.CHARGE:
        assert found is APPROVED
        return
    assert found.word is OutcomeStatus.REQUIRES_ACTION
    assert found.challenge_kind in NEXT_ACTIONS
    assert found.then is not None
    assert found.then.word is (OutcomeStatus.PENDING if method.category == "bank_transfer" else OutcomeStatus.SUCCEEDED)
    assert (found.then.settles is not None) is method.asynchronous


@pytest.mark.parametrize(
    ("category", "needs"),
    [
        ("bank_redirect", (Need.RETURN_URL,)),
        ("pay_later", (Need.EMAIL, Need.BILLING_COUNTRY)),
        ("bank_transfer", ()),
        ("upi", ()),
    ],
)
def test_what_a_category_needs(category: str, needs: tuple[Need, ...]) -> None:
    assert {row.needs for row in METHODS if row.category == category} == {needs}


def test_two_wallets_need_an_identity() -> None:
    assert [row.type for row in METHODS if Need.WALLET_IDENTITY in row.needs] == ["apple_pay", "google_pay"]


@pytest.mark.parametrize(
    ("category", "type_"), [("card", "ideal"), ("wallet", "credit"), ("crypto", "bitcoin"), ("", "")]
)
def test_a_pair_that_is_none_is_not_found(category: str, type_: str) -> None:
    assert methods.find((category, type_)) is None


def test_an_unknown_category_has_no_types() -> None:
    assert methods.types_of("crypto") == ()


@pytest.mark.parametrize(
    ("category", "type_", "meant"),
    [
        ("bank_redirect", "bancontact_card", "bancontact"),
        ("bank_transfer", "sepa_bank_transfer", "sepa"),
        ("voucher", "boleto", "boleto"),
    ],
)
def test_the_public_apis_words_are_understood(category: str, type_: str, meant: str) -> None:
    found = methods.find((category, type_))
    assert found is not None
    assert found.type == meant


@pytest.mark.parametrize("row", PAYLOADS, ids=lambda row: f"{row.group}.{row.name}")
def test_every_payload_is_of_a_method(row: Payload) -> None:
    assert methods.payload(row.group, row.name) is row
    assert methods.find((row.category, row.type)) is not None
    assert set(row.required) <= set(row.fields or ())
    assert methods.payload(row.group, row.name) is row


@pytest.mark.parametrize("method", [row for row in METHODS if row.category != "card"], ids=lambda row: row.type)
def test_every_method_has_a_payload_of_its_own_name_and_flow(method: Method) -> None:
    row = methods.payload(method.category, method.type)
    assert row is not None
    assert row.flow is method.flow


@pytest.mark.parametrize(
    ("type_", "name", "flow"),
    [
        ("google_pay", None, Flow.CHARGE),
        ("google_pay", "google_pay_redirect", Flow.REDIRECT),
        ("apple_pay", "apple_pay_redirect", Flow.REDIRECT),
        ("ali_pay", "ali_pay_qr", Flow.QR_CODE),
        ("we_chat_pay", "we_chat_pay_redirect", Flow.REDIRECT),
        ("paypal", "paypal_sdk", Flow.REDIRECT),
        ("paypal", "google_pay", Flow.REDIRECT),
        ("paypal", "no_such_name", Flow.REDIRECT),
    ],
)
def test_a_payloads_name_can_choose_the_way(type_: str, name: str | None, flow: Flow) -> None:
    method = methods.find(("wallet", type_))
    assert method is not None
    assert methods.flow_of(method, name) is flow


def test_a_wallets_redirect_asks_its_customer() -> None:
    method = methods.find(("wallet", "google_pay"))
    assert method is not None
    assert method_answer(method, "google_pay_redirect").challenge_kind == "redirect"


@pytest.mark.parametrize("row", VPAS, ids=lambda row: row.address)
def test_upi_addresses_decide(row: Vpa) -> None:
    collect, intent = methods.find(("upi", "upi_collect")), methods.find(("upi", "upi_intent"))
    assert collect is not None
    assert intent is not None
    assert method_answer(collect, vpa=row.address.upper()) is row.says
    assert method_answer(intent, vpa=row.address).challenge_kind == Flow.UPI_INTENT


def test_the_three_addresses_mean_what_their_names_say() -> None:
    said = {row.address: row.says for row in VPAS}
    assert said["success@upi"].challenge is Challenge.APPROVED
    assert said["success@upi"].challenge_kind == Flow.WAIT_SCREEN
    assert said["failure@upi"].decline == "upi_payment_failed"
    assert said["pending@upi"].word is OutcomeStatus.PENDING


@pytest.mark.parametrize("address", ["somebody@bank", "a.b-c_d@okaxis", "9876543210@ybl", " Jane.Doe@OKHDFCBANK "])
def test_an_address_that_no_table_names_is_paid_from(address: str) -> None:
    collect = methods.find(("upi", "upi_collect"))
    assert collect is not None
    assert method_answer(collect, vpa=address) == method_answer(collect, vpa="success@upi")


@pytest.mark.parametrize("address", ["", "nobody", "@upi", "jane@", "jane doe@upi", "jane@up@i", "jane@1", "j@upi"])
def test_what_cannot_be_an_address_is_none(address: str) -> None:
    collect = methods.find(("upi", "upi_collect"))
    assert collect is not None
    assert method_answer(collect, vpa=address) is NO_SUCH_VPA
    assert method_answer(collect).word is OutcomeStatus.REQUIRES_ACTION


MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
PAID_WITHIN = {
    "charge": 10 * HOUR,
    "redirect": 10 * HOUR,
    "qr_code": HOUR,
    "voucher": 7 * DAY,
    "bank_transfer": 7 * DAY,
    "debit": 7 * DAY,
    **dict.fromkeys(("wait_screen", "upi_intent", "upi_qr", "phone_code"), 5 * MINUTE),
}
"""How long a customer has, by flow: decisions "The other methods"."""
OWN_TIMES = {"pix": DAY, "boleto": 3 * DAY}


@pytest.mark.parametrize("method", methods.ALL_METHODS, ids=lambda row: f"{row.category}.{row.type}")
def test_every_method_leaves_the_time_of_its_flow_and_settles_as_its_flow_does(method: Method) -> None:
    assert method.customer_time_ms == OWN_TIMES.get(method.type, PAID_WITHIN[method.flow])
    later = method.flow in (Flow.VOUCHER, Flow.BANK_TRANSFER, Flow.DEBIT)
    assert method.asynchronous is (later or method.type == "pix")
    assert method.is_public is (method not in METHODS)
    to_a_bank = method.category in ("bank_redirect", "card_redirect") and method.flow is Flow.REDIRECT
    assert (Need.RETURN_URL in method.needs) is to_a_bank
    assert (Need.EMAIL in method.needs) is (Need.BILLING_COUNTRY in method.needs) is (method.category == "pay_later")
    assert all(len(code) == 3 for code in method.currencies)
    assert all(len(code) == 2 for code in method.countries)


@pytest.mark.parametrize("method", methods.ALL_METHODS, ids=lambda row: f"{row.category}.{row.type}")
def test_a_methods_usual_data_are_of_it(method: Method) -> None:
    row = methods.payload_of(method)
    assert (row is None) is (method.category == "card")
    if row is not None:
        assert (row.category, row.type) == (method.category, method.type)
        assert row in methods.payloads_of(row.group)
        assert set(method.asks) <= set(row.required)
    assert method.type in methods.types_of(method.category, public=True)
    assert (method.type in methods.types_of(method.category)) is not method.is_public


@pytest.mark.parametrize("row", methods.ALL_METHODS, ids=lambda row: f"{row.category}-{row.type}")
def test_every_name_of_a_method_means_it(row: Method) -> None:
    public = methods.PUBLIC_WORDS[row[:2]]
    for category, word in (row[:2], public, *((row.category, alias) for alias in row.aliases)):
        assert methods.named(category, word) == row[:2]
    assert methods.named(None, public[1]) == (None, public[1])
    assert row.is_public or methods.named(None, row.type) == (None, row.type)
    assert methods.named(public[0], None) == (row.category, None)


def test_the_categories_of_the_public_dialect_follow_the_interfaces() -> None:
    assert methods.categories(public=True)[: len(INTERFACE)] == methods.categories() == tuple(INTERFACE)
    assert {row.category for row in methods.ALL_METHODS} == set(methods.categories(public=True))
    assert set(methods.types_of("voucher", public=True)) == set(methods.types_of("bank_transfer", public=True))


@pytest.mark.parametrize("row", PUBLIC_METHODS, ids=lambda row: row.type)
def test_what_a_public_method_comes_to(row: Method) -> None:
    for digits in (None, "0000", "1116", "3001", "11160"):
        found = method_answer(row, None, digits)
        if row.flow is Flow.CHARGE:
            assert found is APPROVED, digits
        elif row.flow is Flow.DEBIT:
            settles = found.settles
            assert (found.word, settles and settles.after_ms) == (OutcomeStatus.PENDING, 3 * DAY), digits
            returned = (OutcomeStatus.FAILED, "insufficient_funds")
            ends = returned if digits in ("1116", "3001") else (OutcomeStatus.SUCCEEDED, None)
            assert settles and (settles.word, settles.decline) == ends, digits
        else:
            assert (found.word, found.challenge_kind) == (OutcomeStatus.REQUIRES_ACTION, row.flow), digits
