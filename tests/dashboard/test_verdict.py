"""The page of the verdict."""

from __future__ import annotations

from tests.dashboard.visitor import Visitor, count, text
from tests.wire import card_payment


def test_it_is_counted_after_the_page(visitor: Visitor) -> None:
    visitor.api.pay()
    for page in ("verdict", "journal/1", f"payments/{visitor.api.pay()['payment_id']}/export"):
        assert count(visitor.read(page), "left") == 1
        assert count(text(visitor.look(page, **{"X-Live": "1"})), "left") == 0
        assert count(visitor.read(f"{page}?later=1"), "left") == 0


def test_the_page_tells_what_was_done_wrong_and_where(visitor: Visitor) -> None:
    assert "There is nothing to check yet" in visitor.read("verdict?later=1")
    visitor.api.post("/payments", {**card_payment(), "amount": "1<b>"})
    page = visitor.read("verdict?later=1")
    assert 'data-testid="amount-not-whole"' in page
    number = visitor.api.get("/_sandbox/journal")["data"][-1]["number"]
    assert f"/journal/{number}" in page
    assert "1&lt;b&gt;" in page
    assert "rules not checked" in page


def test_the_page_says_that_nothing_was_found(visitor: Visitor) -> None:
    visitor.api.pay()
    assert "No problems were found by the rules that could be checked" in visitor.read("verdict?later=1")


def test_an_answer_that_lists_all_statuses_is_none_of_a_payment(visitor: Visitor) -> None:
    visitor.api.pay()
    assert "succeeded" in visitor.api.post("/payments/filter", {})["status"]
    assert "No problems were found by the rules that could be checked" in visitor.read("verdict?later=1")
