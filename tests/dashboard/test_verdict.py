"""The page of the verdict."""

from __future__ import annotations

from tests.dashboard.visitor import Visitor
from tests.wire import card_payment


def test_the_page_tells_what_was_done_wrong_and_where(visitor: Visitor) -> None:
    assert "There is nothing to check yet" in visitor.read("verdict")
    visitor.api.post("/payments", {**card_payment(), "amount": "1<b>"})
    page = visitor.read("verdict")
    assert 'data-testid="amount-not-whole"' in page
    number = visitor.api.get("/_sandbox/journal")["data"][-1]["number"]
    assert f"/journal/{number}" in page
    assert "1&lt;b&gt;" in page
    assert "rules not checked" in page


def test_the_page_says_that_nothing_was_found(visitor: Visitor) -> None:
    visitor.api.pay()
    assert "No problems were found by the rules that could be checked" in visitor.read("verdict")


def test_an_answer_that_lists_all_statuses_is_none_of_a_payment(visitor: Visitor) -> None:
    visitor.api.pay()
    assert "succeeded" in visitor.api.post("/payments/filter", {})["status"]
    assert "No problems were found by the rules that could be checked" in visitor.read("verdict")
