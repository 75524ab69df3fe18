"""axe-core finds nothing serious on any page, in light, dark and on a phone."""

from __future__ import annotations

import importlib.resources
from functools import cache
from typing import Any

import pytest

from tests.browser.customer import Customer
from tests.browser.merchant import Merchant
from tests.browser.shop import Shop
from tests.browser.sights import SIGHTS, Sight, View, in_view

OF_VIEW = {View.DARK: ("color-contrast",), View.PHONE: ("color-contrast", "target-size")}
"""What colours and width can change."""
BAD = frozenset({"serious", "critical"})


@cache
def axe() -> str:
    """axe-core, as the package brings it."""
    return importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")


def issues(customer: Customer, *rules: str) -> list[str]:
    """What axe-core finds on the page by these rules, or by all."""
    customer.page.evaluate(f"() => window.axe || (() => {{ {axe()}; window.axe = axe }})()")
    options = {"runOnly": rules} if rules else {}
    found: dict[str, Any] = customer.page.evaluate("options => axe.run(options)", options)
    assert found["passes"], "axe has looked at nothing"
    return [
        f"{row['impact']}: {row['id']}: {node['html']}"
        for row in found["violations"]
        for node in row["nodes"]
        if row["impact"] in BAD
    ]


@pytest.mark.parametrize("sight", SIGHTS, ids=lambda sight: sight.name)
def test_axe_finds_nothing_serious(merchant: Merchant, customer: Customer, shop: Shop, base: str, sight: Sight) -> None:
    sight.show(merchant, customer, shop, base)
    assert issues(customer) == []
    for view, rules in OF_VIEW.items():
        in_view(customer, view)
        assert issues(customer, *rules) == [], view


def test_axe_sees_what_is_wrong(merchant: Merchant, customer: Customer, shop: Shop, base: str) -> None:
    SIGHTS[0].show(merchant, customer, shop, base)
    customer.page.evaluate("() => document.querySelector('main').append(document.createElement('input'))")
    assert any("label" in issue for issue in issues(customer))
