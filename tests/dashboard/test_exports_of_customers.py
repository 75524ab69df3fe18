"""What a customer did is exported as it was done: each result, in each way, ends alike in a replay."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import urljoin

import pytest

from mock_server.dialects import get
from mock_server.domain.methods import METHODS, Flow
from mock_server.domain.outcomes import Challenge
from mock_server.pages.links import MAIN, MORE
from mock_server.scenario.story.requests import STEPS
from mock_server.testing.sandbox import Sandbox
from tests.counts import SOAK
from tests.dashboard.test_exports_as_made import PAID, RULE, all_records, as_pytest, as_scenario, exported
from tests.dashboard.visitor import Visitor
from tests.pages.browser import Browser, Shown, link
from tests.pages.link_pages import CARD, MADE, page
from tests.pages.test_hosted import CURRENCY, DATA
from tests.wire import Wire, card_payment

ID: Final = str(PAID["payment_id"])
CHALLENGED: Final = {**PAID, **card_payment("visa_3ds_required"), "return_url": "https://shop.example/done"}
EACH_FLOW: Final = {method.flow: method for method in METHODS if method.flow in MAIN and method.type != "upi_collect"}


def by_page(api: Wire, result: Challenge) -> object:
    return pressed(api, api.post("/payments", CHALLENGED).json, result)


def pressed(api: Wire, made: Any, result: Challenge) -> Shown | None:
    """The page after a button was pressed; a page has none for what no customer decides."""
    browser = Browser(api)
    shown = browser.open(link(made))
    return browser.press(shown, result) if result in shown.seen.ids else None


def by_call(api: Wire, result: Challenge) -> object:
    api.post("/payments", CHALLENGED)
    return api.post(f"/_sandbox/payments/{ID}/authenticate", {"result": result})


def by_header(api: Wire, result: Challenge) -> object:
    return finished(api, api.post("/payments", CHALLENGED, X_Sandbox_Outcome=f"requires_action:{result}").json)


def finished(api: Wire, made: Any) -> object:
    """The page whose result is fixed, after it completed itself."""
    browser = Browser(api)
    shown = browser.open(link(made))
    return shown.seen.refresh and browser.open(urljoin(shown.url, shown.seen.refresh))


def by_header_and_call(api: Wire, result: Challenge) -> object:
    api.post("/payments", CHALLENGED, X_Sandbox_Outcome=f"requires_action:{result}")
    return api.post(f"/payments/{ID}/complete_authorize")


def by_scenario(api: Wire, result: Challenge) -> object:
    put(api, RULE.format(when="").replace("decline: expired_card", f"challenge: {result}"))
    return finished(api, api.post("/payments", CHALLENGED).json)


def put(api: Wire, rules: str) -> None:
    api.call("PUT", "/_sandbox/scenarios/mine", raw=rules.encode(), headers={"Content-Type": "application/yaml"})
    assert api.post("/_sandbox/scenarios/mine/activate").status == 200


def by_link(api: Wire, result: Challenge) -> object:
    """The form of a payment link, then the bank's page."""
    page(api, linked(api), **CARD, card_number=str(number("visa_3ds_required")))
    return pressed(api, api.get(f"/payments/{ID}").json, result)


def linked(api: Wire, **fields: Any) -> dict[str, Any]:
    made: dict[str, Any] = api.post("/payments", {**MADE, "payment_id": ID, **fields}).json
    return made


def number(card: str) -> object:
    return card_payment(card)["payment_method_data"]["card"]["card_number"]


def by_link_and_method(api: Wire, result: Challenge) -> object:
    """The form of a payment link, by another method than a card."""
    page(api, linked(api, currency="EUR"), method="bank_redirect.ideal")
    return pressed(api, api.get(f"/payments/{ID}").json, result)


def by_link_alone(api: Wire, result: Challenge) -> object:
    """The form of a payment link, whose card needs no bank's page; then, if it failed, once more."""
    card = "success" if result is Challenge.APPROVED else "insufficient_funds"
    made = linked(api, return_url=None)  # so that the page itself offers another try
    if result is Challenge.CANCELLED:
        profile = f"/account/{made['merchant_id']}/business_profile/{made['profile_id']}"
        assert api.post(profile, {"is_manual_retry_enabled": True}).status == 200
    page(api, made, **CARD, card_number=str(number(card)))
    if result is Challenge.CANCELLED:
        page(api, made, **CARD, card_number=str(number("mastercard_success")))
        assert api.get(f"/payments/{ID}")["status"] == "succeeded"
    return made


def decided_later(api: Wire, result: Challenge) -> object:
    """The bank's decision comes after the customer's, from the queue."""
    put(api, RULE.format(when="times: 1, ").replace("decline: expired_card", "outcome: requires_action"))
    made = api.post("/payments", CHALLENGED).json
    api.post("/_sandbox/next", {"on": "charge", "then": {"decline": "lost_card"}})
    return pressed(api, made, result)


def delayed(api: Wire, result: Challenge) -> object:
    """Rules ask for the bank's page, and delay it."""
    put(api, RULE.format(when="").replace("decline: expired_card", "outcome: requires_action")
        + "  - {on: page.challenge, then: {delay: 1ms}}\n")  # fmt: skip
    return pressed(api, api.post("/payments", CHALLENGED).json, result)


def by(flow: Flow) -> Callable[[Wire, Challenge], object]:
    """The page of another method than a card."""

    def paid(api: Wire, result: Challenge) -> object:
        method = EACH_FLOW[flow]
        category, type_ = method.category, method.type
        data = DATA.get(type_, {"any": 1} if category == "wallet" else {})
        made = api.post("/payments", {
            "payment_id": ID, "profile_id": "pro_shop", "amount": 6540, "confirm": True,
            "currency": CURRENCY.get(type_, "EUR"), "return_url": "https://shop.example/done",
            "email": "ada@example.test", "billing": {"address": {"country": "NL"}}, "payment_method": category,
            "payment_method_type": type_, "payment_method_data": {category: {type_: data}},
        })  # fmt: skip
        return pressed(api, made.json, result)

    return paid


Way = Callable[[Wire, Challenge], object]
WAYS: Final[dict[str, Way]] = {
    way.__name__: way
    for way in (
        *(by_page, by_call, by_header, by_header_and_call, by_scenario),
        *(by_link, by_link_and_method, by_link_alone, decided_later, delayed),
    )
} | {str(flow): by(flow) for flow in EACH_FLOW}
NO_BUTTON: Final = {(Flow.VOUCHER, Challenge.DECLINED)}


def cases() -> Iterator[Any]:
    """Every way with every result; in CI the dialects and forms take turns."""
    turns = [(dialect, form) for dialect in ("interface", "hyperswitch") for form in (as_scenario, as_pytest)]
    for at, way in enumerate(WAYS):
        for of, result in enumerate(Challenge):
            for dialect, form in turns if SOAK else [turns[(at + of) % len(turns)]]:
                yield pytest.param(way, result, dialect, form, id=f"{way}-{result}-{dialect}-{form.__name__}")


@pytest.mark.parametrize(("way", "result", "dialect", "form"), list(cases()))
def test_a_replay_ends_as_the_customer_ended(
    visitor: Visitor,
    payment_sandbox: Sandbox,
    tmp_path: Path,
    way: str,
    result: Challenge,
    dialect: str,
    form: Callable[..., None],
) -> None:
    visitor.api.put("/_sandbox/dialect", {"dialect": dialect})
    visitor.api.speaks = get(dialect)
    if not WAYS[way](visitor.api, result):
        assert (way, result) in NO_BUTTON or result is Challenge.ABANDONED
        return
    before = all_records(lambda path: visitor.api.get(f"/_sandbox/{path}").json)
    assert exported(visitor, "scenario").startswith("# verified: "), exported(visitor, "scenario")
    form(visitor, payment_sandbox, tmp_path)
    assert all_records(lambda path: payment_sandbox.control.get(f"/{path}")) == before


def test_a_story_can_do_whatever_a_customer_can() -> None:
    assert {step.body["result"] for step in STEPS.values() if "result" in step.body} == set(Challenge)
    assert {button.result for button in (*MORE, *MAIN["challenge"])} == set(Challenge) - {Challenge.ABANDONED}
