"""Customers' pages show no card data of the merchant's texts: they are looked at, photographed and put into tickets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest

from tests.api.canaries import Canary, new, shown
from tests.pages.browser import Browser, link
from tests.pages.link_pages import linked, page
from tests.pages.test_hosted import SHOWN, paid_by
from tests.wire import Wire

PLACES: Final = ("description", "customer", "shop", "metadata", "order", "address")


def texts(at: int) -> tuple[list[Canary], dict[str, Any]]:
    """Canaries of one sort, and the fields of a payment that hold them."""
    every = {place: new(place)[at] for place in PLACES}
    text = {place: f"of {canary.text}" for place, canary in every.items()}
    address = {"country": "NL", "line1": text["address"], "first_name": text["address"]}
    fields = {
        "description": text["description"],
        "customer": {"id": "cus_1", "name": text["customer"]},
        "metadata": {"note": text["metadata"]},
        "merchant_order_reference_id": text["order"],
        "billing": {"address": address},
    }
    return list(every.values()), fields


def named(api: Wire, made: Any, canaries: list[Canary]) -> None:
    path = f"/account/{made['merchant_id']}/business_profile/{made['profile_id']}"
    assert api.post(path, {"profile_name": f"of {canaries[PLACES.index('shop')].text}"}).status == 200


def pages(api: Wire, made: Any) -> Iterator[str]:
    """A payment's page, and what follows it."""
    browser = Browser(api)
    first = browser.open(link(made))
    yield first.text
    if "approved" in first.seen.ids:
        yield browser.press(first, "approved").text
        yield browser.open(link(made)).text


@pytest.mark.parametrize("at", range(3), ids=["number", "key", "code"])
@pytest.mark.parametrize("method", SHOWN, ids=lambda method: method.type)
def test_no_methods_page_shows_one(api: Wire, method: Any, at: int) -> None:
    canaries, fields = texts(at)
    goes_back = {} if method.category == "bank_redirect" else {"return_url": None}  # else a page of ours ends it
    made = paid_by(api, method.category, method.type, **fields, **goes_back)
    named(api, made, canaries)
    for text in pages(api, made):
        assert not shown(canaries, text)


@pytest.mark.parametrize("at", range(3), ids=["number", "key", "code"])
def test_neither_a_challenge_nor_a_link_shows_one(api: Wire, at: int) -> None:
    canaries, fields = texts(at)
    made = api.pay("visa_3ds_required", **fields).json
    named(api, made, canaries)
    again, more = texts(at)
    link_made = linked(api, **more)
    for text in (*pages(api, made), page(api, link_made).raw.decode()):
        assert not shown([*canaries, *again], text)
