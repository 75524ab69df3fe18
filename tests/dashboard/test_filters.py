"""A filter that makes no sense keeps its form: what was typed, and what is wrong with it beside the field."""

from __future__ import annotations

import re
from typing import Final

import pytest

from mock_server.dashboard.payments import NAMES
from tests.dashboard.visitor import HOME, Visitor, count, said, text

BAD: Final = (
    ("payments", "created_gte", "banana"),
    ("payments", "created_lte", "2026-13-01"),
    ("payments", "currency", "QQQ"),
    ("payments", "status", "paid"),
    ("journal", "status", "banana"),
    ("webhooks", "type", "paid"),
    ("webhooks", "delivered", "perhaps"),
)


@pytest.mark.parametrize(("page", "name", "value"), BAD)
def test_the_form_stays_with_what_is_wrong(visitor: Visitor, page: str, name: str, value: str) -> None:
    visitor.api.pay()
    reply = visitor.look(f"{page}?{name}={value}&payment_id=pay_mine&payment_method=card")
    html = text(reply)
    assert reply.status == 400
    assert said(html, f"problem-{name}")
    assert count(html, "bad-filter") == 1
    assert re.search(rf'name="{name}"[^>]*(?:value="{value}"|aria-invalid="true")', html), "what was typed is there"
    assert ('value="pay_mine"' if page != "payments" else "<option selected>card") in html
    assert not count(html, "missing")


@pytest.mark.parametrize("name", sorted(NAMES - {"status"}))
def test_any_value_of_a_payments_filter_keeps_the_page(visitor: Visitor, name: str) -> None:
    visitor.api.pay()
    for value in ("%00", "x" * 3_000, "-1", "%ff", "a&{name}=b"):
        reply = visitor.look(f"payments?{name}={value.format(name=name)}")
        assert reply.status in (200, 400), (name, value)
        assert count(text(reply), f"filter-{name}") == 1


def test_a_filter_that_finds_nothing_is_no_mistake(visitor: Visitor) -> None:
    visitor.api.pay()
    assert "No results." in visitor.read("payments?currency=JPY")


def test_a_call_that_is_not_there_is_called_so(visitor: Visitor) -> None:
    reply = visitor.look("journal/999")
    assert reply.status == 404
    assert said(text(reply), "missing").startswith("There is no call 999 here")


@pytest.mark.parametrize("page", ["refunds", "disputes", "methods", "mandates"])
def test_a_status_that_a_list_does_not_know_is_explained(visitor: Visitor, page: str) -> None:
    reply = visitor.look(f"{page}?status=suceeded")
    assert reply.status == 400
    assert said(text(reply), "problem-status").startswith("must be one of ")
    assert "No search was made" in text(reply)


@pytest.mark.parametrize("address", ["nowhere", "x/y/z", "payments", "assets/none"])
def test_an_address_without_a_page_has_a_page(visitor: Visitor, address: str) -> None:
    reply = visitor.look(f"{HOME}/{address}/none/of/ours")
    assert (reply.status, said(text(reply), "nowhere")) == (404, "The dashboard has no page at this address.")
