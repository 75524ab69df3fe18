"""The bank's challenge, walked as a customer walks it: every button ends where its API twin ends."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from mock_server.domain.cards import CARDS
from mock_server.domain.issuer import ChallengeForm
from mock_server.domain.outcomes import Challenge
from tests.pages.browser import Browser, link, query_of, verified
from tests.pages.challenges import RETURN, challenged, key_of
from tests.wire import Wire

ENDINGS = [result for result in Challenge if result is not Challenge.ABANDONED]
ASKING = {
    form: next(card.name for card in CARDS if card.issuer.form is form)
    for form in (ChallengeForm.ONE_TIME_CODE, ChallengeForm.CAPTCHA)
}


def told(api: Wire, payment: str) -> list[Any]:
    """A payment's timeline without what differs by who decided: calls, pages, ids."""
    steps = api.get(f"/_sandbox/payments/{payment}/timeline")["data"]
    return [{**step, "event_id": None} for step in steps if step["kind"] not in ("call", "page", "by_hand")]


@pytest.mark.parametrize("result", ENDINGS)
@pytest.mark.parametrize("capture", ["automatic", "manual"])
def test_every_button_ends_where_its_twin_ends(api: Wire, result: Challenge, capture: str) -> None:
    browser = Browser(api)
    by_page, by_call = (challenged(api, capture_method=capture) for _ in range(2))
    answer = browser.press(browser.open(link(by_page)), result)
    twin = api.post(f"/_sandbox/payments/{by_call['payment_id']}/authenticate", {"result": result})
    found = api.get(f"/payments/{by_page['payment_id']}")
    for name in ("status", "amount_received", "error_code", "error_message", "next_action", "unified_code"):
        assert found[name] == twin[name], name
    assert told(api, by_page["payment_id"]) == told(api, by_call["payment_id"])
    assert answer.status == 302
    assert dict(query_of(answer.location))["status"] == found["status"]


def test_the_way_back_is_signed_and_keeps_the_shops_own_query(api: Wire) -> None:
    browser, made = Browser(api), challenged(api)
    answer = browser.press(browser.open(link(made)), "approved")
    assert answer.location.startswith(RETURN + "&status=succeeded&")
    pairs = query_of(answer.location)
    assert [name for name, _ in pairs] == [
        "order", "note", "status", "payment_id", "payment_intent_client_secret", "amount", "manual_retry_allowed",
        "signature", "signature_algorithm",
    ]  # fmt: skip
    said = dict(pairs)
    assert (said["payment_id"], said["amount"], said["manual_retry_allowed"]) == (made["payment_id"], "6540", "false")
    assert said["payment_intent_client_secret"] == made["client_secret"]
    assert verified(pairs, key_of(api))
    assert not verified([(name, "failed" if name == "status" else value) for name, value in pairs], key_of(api))


def _profile(made: Any) -> str:
    return f"/account/{made['merchant_id']}/business_profile/{made['profile_id']}"


@pytest.mark.parametrize("result", ENDINGS)
@pytest.mark.parametrize("enabled", [True, False])
def test_the_way_back_says_whether_it_can_be_confirmed_again(api: Wire, result: Challenge, enabled: bool) -> None:
    browser, made = Browser(api), challenged(api)
    api.post(_profile(made), {"is_manual_retry_enabled": enabled})
    said = dict(query_of(browser.press(browser.open(link(made)), result).location))
    shown = api.get(f"/payments/{made['payment_id']}")["manual_retry_allowed"]
    assert said["manual_retry_allowed"] == ("true" if shown else "false")
    assert shown is (None if said["status"] == "succeeded" else enabled)


@pytest.mark.parametrize("result", ENDINGS)
def test_a_page_outlives_its_profile_and_its_customer(api: Wire, result: Challenge) -> None:
    browser, made = Browser(api), challenged(api)
    for gone in (_profile(made), "/customers/cus_1"):
        assert api.delete(gone).status == 200
    answer = browser.press(browser.open(link(made)), result)
    assert dict(query_of(answer.location))["status"] == api.get(f"/payments/{made['payment_id']}")["status"]


def test_the_page_shows_what_is_paid_by_whom_to_whom(api: Wire) -> None:
    seen = Browser(api).open(link(challenged(api))).seen
    assert seen.texts["amount"] == "65.40 USD"
    assert seen.texts["customer"] == "Ada Lovelace"
    assert seen.texts["merchant"] == "Sandbox merchant"
    assert seen.texts["description"] == "two seats"
    assert seen.texts["method"] == "Visa •••• " + next(c.number for c in CARDS if c.name == "visa_3ds_required")[-4:]
    assert "Sandbox" in seen.texts["sandbox-notice"]
    assert {*ENDINGS, "more", "page-challenge"} <= set(seen.ids)


def test_the_scenario_that_is_on_is_shown(api: Wire) -> None:
    from tests.api.places import workspace

    workspace(api).space.transact(
        lambda tx: tx.set_fact("scenarios.active", [{"name": "a_b", "at": 0, "run": 1, "by": "active"}])
    )
    assert Browser(api).open(link(challenged(api))).seen.texts["scenarios"] == "a_b"


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_looking_changes_nothing(api: Wire, method: str) -> None:
    made = challenged(api)
    for path in ("", "/qr.svg", "/finish"):
        Browser(api).open(link(made) + path, method)
    assert api.get(f"/payments/{made['payment_id']}")["status"] == "requires_action"


def test_a_link_is_for_one_decision(api: Wire) -> None:
    browser, made = Browser(api), challenged(api)
    page = browser.open(link(made))
    first = browser.press(page, "declined")
    for again in (browser.press(page, "approved"), browser.open(link(made)), browser.open(link(made))):
        assert again.status == 302
        assert again.location == first.location
    assert api.get(f"/payments/{made['payment_id']}")["status"] == "failed"


def test_a_decision_that_the_twin_made_first_stands(api: Wire) -> None:
    browser, made = Browser(api), challenged(api)
    page = browser.open(link(made))
    api.post(f"/_sandbox/payments/{made['payment_id']}/authenticate", {"result": "cancelled"})
    answer = browser.press(page, "approved")
    assert dict(query_of(answer.location))["status"] == "failed"


def test_without_a_return_url_a_page_of_ours_says_how_it_stands(api: Wire) -> None:
    browser = Browser(api)
    made = api.pay("visa_3ds_required").json
    answer = browser.press(browser.open(link(made)), "approved")
    assert (answer.status, answer.location) == (302, link(made))
    done = browser.open(answer.location)
    assert (done.status, done.seen.texts["status"]) == (200, "succeeded")
    assert "page-done" in done.seen.ids


def test_a_link_whose_time_is_over_says_so(api: Wire) -> None:
    made = challenged(api)
    page = Browser(api).open(link(made))
    api.post("/_sandbox/clock/advance", {"by": "1h"})
    for over in (Browser(api).open(link(made)), Browser(api).press(page, "approved")):
        assert over.status == 410
        assert over.seen.texts["status"] == "expired"
        (way,) = [attributes["href"] for tag, attributes in over.seen.tags if attributes.get("data-testid") == "go-on"]
        assert verified(query_of(str(way)), key_of(api))
    assert api.get(f"/payments/{made['payment_id']}")["status"] == "expired"


UNKNOWN = [
    ("{p}/{m}/{p}_2", "an attempt that was not made"),
    ("{p}/{m}/{p}", "no attempt"),
    ("{p}/{m}/{p}_01", "another spelling"),
    ("{p}/mer_other/{p}_1", "another merchant"),
    ("pay_none/{m}/pay_none_1", "another payment"),
    ("pay_none/{m}/{p}_1", "another payment's attempt"),
]


@pytest.mark.parametrize(("path", "what"), UNKNOWN)
def test_a_link_that_was_never_given_out_leads_nowhere(api: Wire, path: str, what: str) -> None:
    made = challenged(api)
    path = path.format(p=made["payment_id"], m=made["merchant_id"])
    reply = Browser(api).open(f"/payments/redirect/{path}")
    assert reply.status == 404, what
    assert "page-refused" in reply.seen.ids
    assert reply.headers["Content-Type"].startswith("text/html")


@pytest.mark.parametrize("card", ["visa_success", "visa_generic_decline"])
def test_a_payment_that_asked_nobody_has_no_page(api: Wire, card: str) -> None:
    made = api.pay(card, return_url=RETURN).json
    path = f"/payments/redirect/{made['payment_id']}/{made['merchant_id']}/{made['payment_id']}_1"
    assert Browser(api).open(path).status == 404


def test_the_link_of_an_earlier_attempt_is_over(api: Wire) -> None:
    from mock_server.engine.kinds import PROFILES
    from tests.api.places import workspace
    from tests.wire import card_payment

    made = challenged(api)
    Browser(api).press(Browser(api).open(link(made)), "declined")

    def allow_retries(tx: Any) -> None:
        tx.put(PROFILES, structs.replace(tx.get(PROFILES, "pro_shop"), is_manual_retry_enabled=True))

    workspace(api).space.transact(allow_retries)
    again = api.post(
        f"/payments/{made['payment_id']}/confirm",
        {"payment_method_data": card_payment("visa_3ds_required")["payment_method_data"], "payment_method": "card"},
    )
    assert again["status"] == "requires_action", again.raw
    assert Browser(api).open(link(made)).status == 410
    assert Browser(api).open(link(again)).status == 200


# what the bank asks for


def test_the_one_time_code_is_asked_for_until_it_is_right(api: Wire) -> None:
    browser, made = Browser(api), challenged(api, ASKING[ChallengeForm.ONE_TIME_CODE])
    page = browser.open(link(made))
    assert "code" in page.seen.ids
    for wrong in ("", "000000", "12345", "１２３４５６"):
        page = browser.press(page, "approved", code=wrong)
        assert (page.status, page.seen.texts["mistake"]) == (422, "That code is not correct. Please try again.")
    assert api.get(f"/payments/{made['payment_id']}")["status"] == "requires_action"
    assert dict(query_of(browser.press(page, "approved", code=" 123456 ").location))["status"] == "succeeded"


def test_declining_needs_no_code(api: Wire) -> None:
    browser, made = Browser(api), challenged(api, ASKING[ChallengeForm.ONE_TIME_CODE])
    assert browser.press(browser.open(link(made)), "cancelled").status == 302


def test_the_captcha_wants_a_tick(api: Wire) -> None:
    browser, made = Browser(api), challenged(api, ASKING[ChallengeForm.CAPTCHA])
    page = browser.press(browser.open(link(made)), "approved")
    assert (page.status, page.seen.texts["mistake"]) == (422, "Please tick the box to continue.")
    assert browser.press(page, "approved", human="yes").status == 302


# the journal


def test_pages_are_in_the_journal_with_their_reasons_and_count_for_nothing_else(api: Wire) -> None:
    browser, made = Browser(api), challenged(api, ASKING[ChallengeForm.ONE_TIME_CODE])
    page = browser.open(link(made))
    assert "X-RateLimit-Limit" not in page.headers
    browser.press(browser.press(page, "approved", code="777777"), "approved", code="123456")
    lines = api.get("/_sandbox/journal?operation=page.*")["data"]
    assert [(line["operation"], line["method"], line["status"]) for line in lines] == [
        ("page.challenge", "GET", 200), ("page.challenge", "POST", 422), ("page.challenge", "POST", 302),
    ]  # fmt: skip
    assert all(line["payment_id"] == made["payment_id"] and line["because"] and not line["key"] for line in lines)
    assert lines[2]["because"][0]["text"] == "the customer chose approved"
    assert "777777" not in str(lines)
    assert page.headers["X-Sandbox-Because"] == "the customer opened the page: challenge"
