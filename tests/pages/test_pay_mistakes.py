"""What is wrong on a payment link's page is said in a shopper's words, at each field; no number comes back."""

from __future__ import annotations

import re
from itertools import product
from typing import Any, Final

import pytest

from mock_server.pages.views import CARD_FIELDS
from tests.counts import times
from tests.pages.browser import Seen, link
from tests.pages.challenges import challenged
from tests.pages.link_pages import CARD, linked, page, stands
from tests.wire import Wire

NUMBER: Final = "4242424242424242"
GOOD: Final = {"card_number": NUMBER, "card_exp_month": "12", "card_exp_year": "2035", "card_cvc": "736"}
BAD: Final[dict[str, tuple[str, ...]]] = {
    "card_number": ("", "4242424242424241", "abcd", "4" * 30, "4242"),
    "card_exp_month": ("", "13", "0", "May", "1.5", "-1", "1-2", "+1"),
    "card_exp_year": ("", "20x5", "205", "x" * 50, "-35", "20-35"),
    "card_cvc": ("", "12", "12345", "abc", "-736", "7-36"),
}
LABELS: Final = {name: label for name, label, _ in CARD_FIELDS}
API_WORDS: Final = re.compile(r"payment_method|card_\w+|\bfields?\b|HTTP|IR_\d|\bmust\b|request|Invalid value")
SOME: Final = [dict(zip(BAD, each, strict=True)) for each in product(*((None, *bad) for bad in BAD.values())) if any(
    one is not None for one in each)][:: times(113, soak=1)]  # fmt: skip


def fields(seen: Seen) -> dict[str, dict[str, str | None]]:
    return {str(has["name"]): has for tag, has in seen.tags if tag == "input" and has.get("name") in GOOD}


def test_each_wrong_field_is_named_and_marked(api: Wire) -> None:
    made = linked(api)
    assert len(SOME) > 20
    for bad in SOME:
        wrong = {name for name, value in bad.items() if value is not None}
        typed = {**GOOD, **{name: value for name, value in bad.items() if value is not None}}
        answer = page(api, made, **{**CARD, **typed})
        seen = Seen(answer.raw.decode())
        assert answer.status == 422, bad
        assert not API_WORDS.search(seen.texts["mistake"]), (bad, seen.texts["mistake"])
        shown = fields(seen)
        assert {name for name, has in shown.items() if has.get("aria-invalid") == "true"} == wrong, bad
        assert all(LABELS[name] in seen.texts["mistake"] for name in wrong), (bad, seen.texts["mistake"])
        for name, has in shown.items():
            assert (has.get("value") or "") == (typed[name] if "exp" in name else ""), (bad, name)
    assert stands(api, made) == "requires_payment_method"


WRITTEN: Final = (
    {"card_number": "4242-4242-4242-4242"}, {"card_number": " 4242 4242\u00a04242 4242 "}, {"card_exp_month": "1"},
    {"card_exp_month": " 01 "}, {"card_exp_year": "35"}, {"card_exp_year": " 2035 "}, {"card_cvc": " 736 "},
)  # fmt: skip


@pytest.mark.parametrize("written", WRITTEN, ids=str)
def test_a_card_may_be_written_as_people_write_it(api: Wire, written: dict[str, str]) -> None:
    made = linked(api)
    assert page(api, made, **{**CARD, **GOOD, **written}).status == 302
    assert stands(api, made) == "succeeded"


def test_a_choice_that_was_not_made_is_asked_for(api: Wire) -> None:
    made = linked(api)
    for form in ({"method": "cash"}, {"method": ""}):
        seen = Seen(page(api, made, **form).raw.decode())
        assert not API_WORDS.search(seen.texts["mistake"])
        assert "Choose" in seen.texts["mistake"] or "choose" in seen.texts["mistake"]


def test_a_page_without_a_choice_asks_for_one(api: Wire) -> None:
    from tests.pages.browser import Browser

    browser: Any = Browser(api)
    shown = browser.open(link(challenged(api)))
    (form, *_) = (one for one in shown.seen.forms if "token" in one.fields)
    for result in ("", "nonsense"):
        answer = browser.open(shown.url, "POST", {"token": form.fields["token"], "result": result})
        assert answer.status == 422
        assert "choose" in answer.seen.texts["mistake"].lower()
        assert not API_WORDS.search(answer.seen.texts["mistake"])
