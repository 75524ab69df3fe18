"""A value means the same wherever a condition can say it: in rules, and in assertions about calls and about records."""

from __future__ import annotations

from typing import Final

import pytest

from mock_server.domain.card_brands import BRANDS
from mock_server.domain.cards import CARDS
from mock_server.domain.statuses import ALIASES
from tests.wire import Reply, Wire, wire

YAML: Final = {"Content-Type": "application/yaml"}
PLACES: Final = ("calls: {on: payments.create, payment.", "payments: {")
"""Where an assertion names a field of a payment."""
BY_BRAND: Final = {row.slug: next((card for card in CARDS if card.brand == row.name), None) for row in BRANDS}


def turned_on(api: Wire, text: str) -> None:
    assert api.call("PUT", "/_sandbox/scenarios/told", raw=text.encode(), headers=YAML).status < 300
    assert api.post("/_sandbox/scenarios/told/activate").status == 200


def checked(api: Wire) -> list[bool]:
    return [one["holds"] for one in api.post("/_sandbox/scenarios/told/check")["expect"]]


@pytest.mark.parametrize("slug", [slug for slug, card in BY_BRAND.items() if card])
def test_a_brand_has_one_name_in_any_spelling(slug: str) -> None:
    row = BY_BRAND[slug]
    assert row is not None
    for word in {slug, slug.upper(), row.brand, row.brand.lower()}:
        api = wire()
        lines = [f"  - {{{place}card.brand: {word}}}, exactly: 1}}" for place in PLACES]
        lines += [f"  - {{calls: {{on: payments.create, card.brand: {word}}}, exactly: 1}}"]
        lines += [f"  - {{payments: {{payment_method_data.card.brand: {word}}}, exactly: 1}}"]
        when = f"{{payment.card.brand: {word}, card.brand: {word}}}"
        rule = f"rules: [{{on: charge, when: {when}, then: {{outcome: pending}}}}]"
        turned_on(api, "\n".join([rule, "expect:", *lines]))
        paid: Reply = api.pay(row.number)
        assert (paid["status"], checked(api)) == ("pending", [True] * 4), word


@pytest.mark.parametrize("word", ALIASES)
def test_a_status_has_one_meaning_in_either_dialects_word(word: str) -> None:
    api = wire()
    lines = [f"  - {{{place}status: {word}}}, exactly: 1}}" for place in PLACES]
    turned_on(api, "\n".join(["expect:", *lines]))
    body = {"outcome": "requires_action" if "action" in ALIASES[word] else "pending"}
    api.post("/_sandbox/next", {"on": "charge", "then": body})
    assert api.pay(return_url="https://shop.example/back")["status"] == ALIASES[word]
    assert checked(api) == [True, True]
