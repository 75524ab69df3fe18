"""The pages of the other methods: hosted ones, codes, instructions, wait screens; and the way back by a form."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import pytest
from msgspec import structs

from mock_server.domain.merchant import Profile
from mock_server.domain.methods import METHODS, Flow
from mock_server.engine.kinds import PROFILES
from mock_server.pages.links import KINDS, MAIN, MORE
from mock_server.pages.showing import BANKS
from tests.api.places import workspace
from tests.pages.browser import Browser, Seen, link, query_of, verified
from tests.pages.challenges import RETURN, challenged, key_of
from tests.wire import Wire

SHOWN = [method for method in METHODS if method.flow is not Flow.CHARGE]
CURRENCY = {"pix": "BRL", "boleto": "BRL", "upi_collect": "INR", "upi_intent": "INR"}
DATA: dict[str, dict[str, str]] = {"upi_collect": {"vpa_id": "success@upi"}}


def paid_by(api: Wire, category: str, type: str, **fields: Any) -> Any:
    """A payment by a method whose customer has something to do."""
    body = {
        "amount": 6540, "currency": CURRENCY.get(type, "EUR"), "profile_id": "pro_shop", "confirm": True,
        "return_url": RETURN, "email": "ada@example.test", "billing": {"address": {"country": "NL"}},
        "payment_method": category, "payment_method_type": type,
        "payment_method_data": {category: {type: DATA.get(type, {"any": 1} if category == "wallet" else {})}}, **fields,
    }  # fmt: skip
    made = api.post("/payments", body)
    assert made["status"] == "requires_action", made.raw
    return made.json


@pytest.mark.parametrize("method", SHOWN, ids=lambda method: method.type)
def test_every_method_that_asks_its_customer_has_a_page(api: Wire, method: Any) -> None:
    browser, made = Browser(api), paid_by(api, method.category, method.type)
    page = browser.open(link(made))
    assert page.status == 200
    assert f"page-{method.flow}" in page.seen.ids
    if method.type == "upi_collect":  # its end is fixed by the address
        assert page.seen.refresh
        return
    assert {button.result for button in (*MAIN[method.flow], *MORE)} <= set(page.seen.ids)
    answer = browser.press(page, "approved")
    status = "pending" if method.asynchronous else "succeeded"
    assert dict(query_of(answer.location))["status"] == status
    line = api.get("/_sandbox/journal?operation=page.*")["data"][0]
    assert line["operation"] == f"page.{method.flow}"


def test_every_kind_of_page_has_its_buttons() -> None:
    assert set(MAIN) == set(KINDS)


@pytest.mark.parametrize("type", BANKS)
def test_a_bank_is_chosen(api: Wire, type: str) -> None:
    browser = Browser(api)
    page = browser.open(link(paid_by(api, "bank_redirect", type)))
    chosen = BANKS[type][1]
    assert chosen in page.text
    assert browser.press(page, "approved", bank=chosen).status == 302
    line = api.get("/_sandbox/journal?operation=page.*")["data"][-1]
    assert line["because"][0]["text"] == f"the customer chose approved at {chosen}"


@pytest.mark.parametrize("type", ["ali_pay", "we_chat_pay"])
def test_a_code_is_drawn(api: Wire, type: str) -> None:
    made = paid_by(api, "wallet", type)
    picture = Browser(api).open(made["next_action"]["qr_code_url"])
    assert (picture.status, picture.headers["Content-Type"]) == (200, "image/svg+xml")
    assert ET.fromstring(picture.text).tag.endswith("svg")
    (source,) = [attributes["src"] for tag, attributes in Browser(api).open(link(made)).seen.tags if tag == "img"]
    assert made["next_action"]["qr_code_url"].endswith(str(source))


def test_a_page_without_a_code_draws_none(api: Wire) -> None:
    assert Browser(api).open(link(challenged(api)) + "/qr.svg").status == 404


@pytest.mark.parametrize(("type", "shown"), [("sepa", "iban"), ("ach", "routing_number"), ("bacs", "sort_code")])
def test_instructions_are_the_ones_that_the_shop_got(api: Wire, type: str, shown: str) -> None:
    made = paid_by(api, "bank_transfer", type)
    (steps,) = [
        value
        for name, value in made["next_action"]["bank_transfer_steps_and_charges_details"].items()
        if name != "receiver"
    ]
    text = Browser(api).open(link(made)).seen.texts["instructions"]
    assert all(str(value) in text for value in steps.values())
    assert steps[shown] in text


@pytest.mark.parametrize("type", ["boleto", "multibanco"])
def test_a_voucher_shows_its_reference_and_until_when(api: Wire, type: str) -> None:
    made = paid_by(api, "bank_transfer", type)
    seen = Browser(api).open(link(made)).seen
    assert made["next_action"]["voucher_details"]["reference"] in seen.texts["instructions"]
    assert seen.texts["open-until"].startswith("Open until 2026-01-04 00:00")


def test_a_wait_screen_goes_on_by_itself(api: Wire) -> None:
    browser, made = Browser(api), paid_by(api, "upi", "upi_collect")
    page = browser.open(link(made))
    assert page.seen.refresh == link(made).rpartition("/")[2]
    api.post("/_sandbox/clock/advance", {"by": "2s"})
    assert dict(query_of(browser.open(link(made)).location))["status"] == "succeeded"


def set_profile(api: Wire, **fields: Any) -> Profile:
    """The shop's profile with other settings."""

    def change(tx: Any) -> Profile:
        found: Profile = tx.put(PROFILES, structs.replace(tx.get(PROFILES, "pro_shop"), **fields))
        return found

    found: Profile = workspace(api).space.transact(change)
    return found


def test_a_profile_can_want_a_form(api: Wire) -> None:
    browser, made = Browser(api), challenged(api)
    set_profile(api, redirect_to_merchant_with_http_post=True)
    for answer in (browser.press(browser.open(link(made)), "approved"), browser.open(link(made))):
        assert answer.status == 200
        (form,) = answer.seen.forms
        assert form.action == RETURN
        assert form.fields["status"] == "succeeded"
        assert (form.fields["order"], "amount" in form.fields) == ("42", False)
        assert verified(list(form.fields.items()), key_of(api))
        assert scripts(answer.text) == ["document.forms[0].submit()"]
        assert "script-src 'sha256-" in answer.headers["Content-Security-Policy"]


def scripts(text: str) -> list[str]:
    import re

    return re.findall(r"<script>(.*?)</script>", text)


def test_a_profile_can_leave_the_signature_out(api: Wire) -> None:
    browser, made = Browser(api), challenged(api)
    set_profile(api, enable_payment_response_hash=False)
    said = dict(query_of(browser.press(browser.open(link(made)), "approved").location))
    assert "signature" not in said
    assert said["status"] == "succeeded"


def test_a_profiles_own_key_signs(api: Wire) -> None:
    browser, made = Browser(api), challenged(api)
    set_profile(api, payment_response_hash_key="of this profile", is_manual_retry_enabled=True)
    answer = browser.press(browser.open(link(made)), "declined")
    assert verified(query_of(answer.location), "of this profile")


@pytest.mark.parametrize(
    ("url", "begins"),
    [
        ("https://shop.example.test", "https://shop.example.test?status="),
        ("https://shop.example.test/a?b", "https://shop.example.test/a?b&status="),
        ("https://shop.example.test/a?b=1&b=2#frag", "https://shop.example.test/a?b=1&b=2&status="),
        ("http://localhost:3000/zurück?ü=é", "http://localhost:3000/zurück?ü=é&status="),
    ],
)
def test_any_return_url_is_kept_as_it_was_written(api: Wire, url: str, begins: str) -> None:
    from mock_server.pages.answers import way_back
    from mock_server.pages.links import find

    made = api.pay("visa_3ds_required", return_url=url).json
    found = find(api.sandbox, made["payment_id"], made["merchant_id"], f"{made['payment_id']}_1")
    way = way_back(found.payment, found.profile, api.sandbox.dialect)
    assert way is not None
    assert way.location.startswith(begins)
    assert ("#" in url) == way.location.endswith("#frag")
    assert verified(query_of(way.location), key_of(api))
    assert Browser(api).press(Browser(api).open(link(made)), "approved").status == 302


def test_a_profiles_return_url_stands_in(api: Wire) -> None:
    browser = Browser(api)
    made = api.pay("visa_3ds_required").json
    set_profile(api, return_url="https://of.the.profile/x")
    answer = browser.press(browser.open(link(made)), "approved")
    assert answer.location.startswith("https://of.the.profile/x?status=succeeded")


def test_pages_speak_plainly_in_any_dialect() -> None:
    from tests.dialects.nonsense import MARK, NONSENSE
    from tests.wire import wire

    api = wire(dialect=NONSENSE)
    made = api.pay("visa_3ds_required", return_url=RETURN).json
    path = f"/payments/redirect/{made['payment_id']}/{made['merchant_id']}/{made['payment_id']}_1"
    page = Browser(api).open(path)
    assert MARK not in page.text
    answer = Browser(api).press(page, "approved")
    assert dict(query_of(answer.location))["status"].startswith(MARK)
    assert Seen(page.text).ids


ELSEWHERE = [("bank_transfer", "pix"), ("wallet", "ali_pay"), ("bank_transfer", "boleto"), ("bank_transfer", "sepa")]


@pytest.mark.parametrize(("category", "type"), ELSEWHERE)
def test_a_page_that_looks_whether_it_is_still_open_leaves_no_trace(api: Wire, category: str, type: str) -> None:
    browser, made = Browser(api), paid_by(api, category, type)
    page = browser.open(link(made))
    assert "X-Sandbox-Look" in page.text
    assert "connect-src 'self'" in page.headers["Content-Security-Policy"]
    before = api.get("/_sandbox/journal")["data"]
    looks = [browser.open(link(made), X_Sandbox_Look="1").status]
    api.post(f"/_sandbox/payments/{made['payment_id']}/authenticate", {"result": "approved"})
    after = api.get("/_sandbox/journal")["data"]
    looks += [browser.open(link(made), X_Sandbox_Look="1").status for _ in range(2)]
    assert looks == [204, 200, 200]
    assert api.get("/_sandbox/journal")["data"] == after
    assert [line for line in before if line["operation"].startswith("page.")] == before[-1:]
    assert browser.open(link(made)).status == 302


def test_a_page_that_decides_here_looks_for_nothing(api: Wire) -> None:
    page = Browser(api).open(link(challenged(api)))
    assert "X-Sandbox-Look" not in page.text
    assert "connect-src 'none'" in page.headers["Content-Security-Policy"]
    assert Browser(api).open(link(challenged(api)) + "0", X_Sandbox_Look="1").status == 404


@pytest.mark.parametrize("type", ["sepa", "pix", "multibanco"])
def test_what_is_to_be_typed_elsewhere_has_a_button_that_copies_it(api: Wire, type: str) -> None:
    page = Browser(api).open(link(paid_by(api, "bank_transfer", type)))
    rows = page.text.partition('data-testid="instructions"')[2].partition("</dl>")[0]
    assert 0 < rows.count("<dt>") == rows.count('data-testid="copy"') == rows.count("data-copy hidden")
