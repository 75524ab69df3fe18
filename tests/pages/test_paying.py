"""The page of a payment link: a customer pays there by card or by another method of the profile (facts §1.6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.api.money_places import fine
from tests.clocks import ManualClock
from tests.pages.browser import Seen
from tests.pages.link_pages import CARD, linked, page, stands
from tests.pages.test_hosted import set_profile
from tests.wire import Wire


def test_a_card_is_paid_and_the_customer_goes_back_with_a_signature(api: Wire) -> None:
    made = linked(api)
    assert made["payment_link"]["payment_link_id"] == f"plink_{made['payment_id']}"
    assert b'value="bank_redirect.ideal"' in page(api, made).raw
    back = page(api, made, **CARD, card_number="4242 4242 4242 4242")
    assert back.status == 302
    told = parse_qs(urlsplit(back.headers["Location"]).query)
    assert back.headers["Location"].startswith("https://shop.example/done?")
    assert told["status"] == ["succeeded"]
    assert told["signature"]
    assert stands(api, made) == "succeeded"
    assert "4242424242424242" not in repr(api.sandbox.workspaces()[0].space.dump())
    assert page(api, made).status == 302


def test_a_challenge_and_a_bank_go_on_to_their_pages(api: Wire) -> None:
    for form in ({**CARD, "card_number": "4000003800000446"}, {"method": "bank_redirect.ideal"}):
        made = linked(api)
        onward = page(api, made, **form)
        assert onward.status == 302
        assert f"/payments/redirect/{made['payment_id']}/" in onward.headers["Location"]
        assert stands(api, made) == "requires_action"
        own = f"/payments/{made['payment_id']}/{made['merchant_id']}/redirect/response/payment_sandbox"
        assert "status=requires_action" in api.as_key(None).get(own).headers["Location"]


def test_what_is_wrong_is_said_and_can_be_put_right(api: Wire) -> None:
    made = linked(api)
    for number in ("4242424242424241", "", "x" * 500):
        wrong = page(api, made, **CARD, card_number=number)
        assert wrong.status == 422
        assert b'data-testid="mistake"' in wrong.raw
    assert page(api, made, method="cash").status == 422
    assert page(api, made, **CARD, card_number="4242424242424242", token="x").status == 403
    assert stands(api, made) == "requires_payment_method"


@pytest.mark.parametrize("allowed", [True, False])
def test_a_declined_payment_says_why_and_how_to_try_again(api: Wire, allowed: bool) -> None:
    made = linked(api, return_url=None)
    path = f"/account/{made['merchant_id']}/business_profile/{made['profile_id']}"
    fine(api.post(path, {"is_manual_retry_enabled": allowed}))
    for _ in range(2):
        assert page(api, made, **CARD, card_number="4000000000009995").status == 302
        declined = page(api, made)
        assert declined.status == 200 and stands(api, made) == "failed"
        assert b"insufficient funds (DC_08)." in declined.raw
        if not allowed:
            assert b"It cannot be paid again on this page" in declined.raw and b'name="card_number"' not in declined.raw
            return
        assert b"You can try again." in declined.raw
    page(api, made, **CARD, card_number="4242424242424242")
    assert stands(api, made) == "succeeded"


ENDS: dict[str, Callable[[Wire, dict[str, Any]], object]] = {
    "cancelled": lambda api, made: fine(api.post(f"/payments/{made['payment_id']}/cancel")),
    "expired": lambda api, _: fine(api.post("/_sandbox/clock/advance", {"by": "901s"})),
    "paid": lambda api, made: page(api, made, **CARD, card_number="4242424242424242"),
    "declined": lambda api, made: page(api, made, **CARD, card_number="4000000000009995"),
    "expired at the bank": lambda api, made: (
        page(api, made, **CARD, card_number="4000003800000446"),
        fine(api.post("/_sandbox/clock/advance", {"by": "11h"})),
    ),
}


@pytest.mark.parametrize("end", ENDS)
def test_a_link_that_ended_says_of_its_payment_what_the_api_says(api: Wire, end: str) -> None:
    made = linked(api, return_url=None)
    ENDS[end](api, made)
    said, payment = Seen(page(api, made).raw.decode()).texts, api.get(f"/payments/{made['payment_id']}").json
    assert said["status"] == payment["status"].replace("_", " ")
    assert ("method" in said) is (payment["payment_method"] is not None)


def test_a_link_ends_with_the_payments_session(api: Wire, clock: ManualClock) -> None:
    made = linked(api)
    path = f"/payment_link/{made['payment_link']['payment_link_id']}"
    shown = fine(api.get(path))
    assert (shown["status"], shown["link_to_pay"]) == ("active", made["payment_link"]["link"])
    assert fine(api.page().get(f"{path}?client_secret={made['client_secret']}"))["amount"] == 6540
    clock.advance(901_000)
    assert fine(api.get(path))["status"] == "expired"
    assert page(api, made).status == 410
    assert page(api, made, **CARD, card_number="4242424242424242").status == 410


def test_no_link_was_asked_for(api: Wire) -> None:
    made = linked(api, payment_link=False)
    assert made["payment_link"] is None
    assert api.get(f"/payment_link/plink_{made['payment_id']}").status == 404
    assert api.as_key(None).get(f"/payment_link/{made['merchant_id']}/{made['payment_id']}").status == 404
    assert api.as_key(None).get("/payment_link/mer_nobody/pay_nothing").status == 404


@pytest.mark.parametrize("of", ["payment", "profile", None])
def test_methods_that_lead_back_are_offered_where_there_is_a_way_back(api: Wire, of: str | None) -> None:
    """By the form without scripts, and by the one that replaces it."""
    back = "https://shop.example/back"
    made = linked(api, return_url=back if of == "payment" else None)
    set_profile(api, return_url=back if of == "profile" else None)
    shown = page(api, made).raw.decode()
    assert ('value="bank_redirect.ideal"' in shown, "ideal" in shown.split('data-hidden="')[1].split('"')[0]) == (
        of is not None,
        of is None,
    )
