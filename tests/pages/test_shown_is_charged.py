"""A customer is charged what the page showed, whatever the shop changed while it was open."""

from __future__ import annotations

import re
from html import unescape
from random import Random
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

import pytest

from tests.api.money_places import fine
from tests.counts import times
from tests.pages.link_pages import CARD, linked
from tests.wire import Reply, Wire

NUMBER: Final = "4242424242424242"
FORM: Final = {"Content-Type": "application/x-www-form-urlencoded"}
CHANGES: Final[tuple[dict[str, Any], ...]] = (
    {"amount": 9900},
    {"amount": 1},
    {"currency": "JPY"},
    {"currency": "KWD"},
    {"shipping_cost": 500},
    {"order_tax_amount": 120},
    {"surcharge_details": {"surcharge_amount": 77, "tax_amount": 3}},
    {"amount": 654, "currency": "JPY"},
    {"description": "Two seats"},
    {"metadata": {"order_id": "1"}},
    {},
)
PLACES: Final = {"JPY": 0, "KWD": 3}


class Window:
    """The page of a payment link in a browser without scripts."""

    def __init__(self, api: Wire, made: dict[str, Any]) -> None:
        self.api, self.path = api.as_key(None), urlsplit(made["payment_link"]["link"]).path
        self.form: dict[str, str] = {}
        self.shown = ""
        self.see(self.api.get(self.path))

    def see(self, reply: Reply) -> None:
        html = reply.raw.decode()
        self.form = {name: unescape(value) for name, value in re.findall(r'hidden" name="(\w+)" value="([^"]*)"', html)}
        self.shown = unescape(re.findall(r'data-testid="amount">([^<]*)', html)[0])

    def pay(self) -> Reply:
        sent = urlencode({**self.form, **CARD, "card_number": NUMBER}).encode()
        return self.api.call("POST", self.path, raw=sent, headers=FORM)


def in_words(payment: Any) -> str:
    places = PLACES.get(payment["currency"], 2)
    return f"{payment['net_amount'] / 10**places:,.{places}f} {payment['currency']}"


@pytest.mark.parametrize("seed", range(times(12, soak=300)))
def test_what_is_charged_was_shown(api: Wire, seed: int) -> None:
    random = Random(seed)
    made = linked(api)
    path = f"/payments/{made['payment_id']}"
    window = Window(api, made)
    for change in random.choices(CHANGES, k=random.randint(1, 3)):
        before = api.get(path)
        fine(api.post(path, change))
        now = api.get(path)
        assert window.shown == in_words(before)
        if in_words(now) == in_words(before):
            continue
        stale = window.pay()
        assert (stale.status, api.get(path)["amount_received"] or 0) == (422, 0), change
        assert f"The amount is now {in_words(now)}." in unescape(stale.raw.decode())
        window.see(stale)
    shown = window.shown
    assert window.pay().status == 302
    paid = api.get(path)
    assert (paid["status"], in_words(paid)) == ("succeeded", shown)
    assert paid["amount_received"] == paid["net_amount"]


def test_a_program_that_posts_no_amount_pays(api: Wire) -> None:
    window = Window(api, linked(api))
    window.form.pop("shown", None)
    assert window.pay().status == 302
