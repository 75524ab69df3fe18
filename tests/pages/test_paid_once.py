"""A customer without scripts who reloads, presses twice or has a second tab pays once, and reads what became of it."""

from __future__ import annotations

import re
from html import unescape
from itertools import product
from typing import Final
from urllib.parse import urlencode, urljoin, urlsplit

import pytest

from mock_server.domain.cards import CARDS as CARDS_OF_ALL
from tests.pages.link_pages import CARD, linked
from tests.wire import Reply, Wire

FORM: Final = {"Content-Type": "application/x-www-form-urlencoded"}
CARDS: Final = {
    "visa_success": "succeeded",
    "visa_insufficient_funds": "failed",
    "visa_3ds_required": "requires_action",
    "visa_pending_succeeds": "pending",
}
"""The card and what it leads to."""
NUMBERS: Final = {row.name: row.number for row in CARDS_OF_ALL if row.name in CARDS}
CASES: Final = tuple(product(CARDS, (True, False), ("https://shop.example.test/back", None)))


class Tab:
    """A tab with the page of a payment link: its form as it was opened, and the last answer."""

    def __init__(self, api: Wire, path: str) -> None:
        self.api, self.path = api.as_key(None), path
        self.form = self.read(self.api.get(path))
        self.answer: Reply

    def read(self, reply: Reply) -> dict[str, str]:
        html = reply.raw.decode()
        return {name: unescape(value) for name, value in re.findall(r'hidden" name="(\w+)" value="([^"]*)"', html)}

    def pay(self, number: str) -> None:
        sent = urlencode({**self.form, **CARD, "card_number": number}).encode()
        self.answer = self.api.call("POST", self.path, raw=sent, headers=FORM)

    def there(self) -> Reply | None:
        """The page that the answer leads to; None if it is the shop's."""
        if self.answer.status != 302:
            return self.answer
        there = urlsplit(urljoin(f"http://localhost{self.path}", self.answer.headers["Location"]))
        return self.api.get(there.path) if there.netloc == "localhost" else None

    def reload(self, number: str) -> None:
        """Sends again what the shown page came from."""
        if self.answer.status != 302:
            self.pay(number)


@pytest.mark.parametrize(("card", "retries", "goes_back_to"), CASES)
def test_a_payment_is_tried_once(api: Wire, card: str, retries: bool, goes_back_to: str | None) -> None:
    made, number = linked(api, return_url=goes_back_to), NUMBERS[card]
    profile = f"/account/{made['merchant_id']}/business_profile/{made['profile_id']}"
    assert api.post(profile, {"is_manual_retry_enabled": retries}).status == 200
    path = urlsplit(made["payment_link"]["link"]).path
    tab, other = Tab(api, path), Tab(api, path)
    tab.pay(number)
    first = api.get(f"/payments/{made['payment_id']}").json
    assert first["attempt_count"] == 1
    assert first["status"] == CARDS[card]
    for one, again in ((tab, tab.reload), (tab, tab.pay), (tab, tab.reload), (other, other.pay), (other, other.reload)):
        again(number)
        assert api.get(f"/payments/{made['payment_id']}").json == first
        page = one.there()
        assert page is None or page.status < 400, page.raw
        if page is not None and first["status"] == "failed":
            assert "insufficient funds" in page.raw.decode()


def test_a_card_that_is_blocked_can_be_replaced_by_another(api: Wire) -> None:
    """Its refusal stores that the payment failed: the page with it has the form of that state."""
    made, tries = linked(api, return_url=None), iter((NUMBERS["visa_success"], "5555555555554444"))
    profile = f"/account/{made['merchant_id']}/business_profile/{made['profile_id']}"
    assert api.post(profile, {"is_manual_retry_enabled": True}).status == 200
    api.post("/blocklist/toggle?status=true")
    assert api.post("/blocklist", {"type": "card_bin", "data": "424242"}).status == 200
    tab = Tab(api, urlsplit(made["payment_link"]["link"]).path)
    tab.pay(next(tries))
    assert tab.answer.status == 422
    tab.form = tab.read(tab.answer)
    tab.pay(next(tries))
    paid = api.get(f"/payments/{made['payment_id']}")
    assert (paid["status"], paid["attempt_count"]) == ("succeeded", 2)
