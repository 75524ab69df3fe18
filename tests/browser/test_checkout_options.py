"""An option that is misspelled, or of a wrong type, is said once in the console, left out, and breaks nothing."""

from __future__ import annotations

import random
import re
from itertools import product
from typing import Any, Final

import pytest
from playwright.sync_api import ConsoleMessage

from tests.architecture.sources import ROOT
from tests.browser.till import Till
from tests.counts import SOAK
from tests.scenario.misspelling import misspelled

REFERENCE: Final = (ROOT / "docs/reference/checkout.md").read_text("utf-8")
SCOPES: Final = {"hyper": "Options of `Hyper()`", "group": "Options of a group", "options": "Options of an element"}
OF: Final = {"hyper": "Hyper()", "group": "elements()", "options": "create()"}
TEXTS: Final = ("clientSecret", "sdkAuthorization", "ephemeralKey", "locale")
BAGS: Final = (
    "appearance", "layout", "wallets", "defaultValues", "fields", "terms", "business", "sdkHandleConfirmPayment",
)  # fmt: skip
VALUES: Final[dict[str, Any]] = {
    "null": None, "a number": 5, "a list": [None], "a list of lists": [[]], "a word": "no-such-word", "an object": {},
    "fonts": [{"family": 5, "src": 5}],
}  # fmt: skip
PAID_BY: Final = {"clientSecret", "sdkAuthorization", "ephemeralKey"}
"""Without them there is no form, or the API refuses its calls."""


def names(scope: str) -> list[str]:
    part = REFERENCE.split(f"\n## {SCOPES[scope]}\n")[1].split("\n## ")[0]
    return [name for name in re.findall(r"^\| `(\w+)` \|", part, re.MULTILINE) if name not in PAID_BY]


def is_told(name: str, value: Any) -> bool:
    """Whether an option of this name has to be something else."""
    if value is None or (value == "no-such-word" and name in TEXTS):
        return False
    return not (value == {} and name in BAGS)


CASES: Final = [
    *product(SCOPES, [*VALUES]),
    *((scope, "misspelled") for scope in SCOPES),
]


@pytest.mark.parametrize(("scope", "how"), CASES if SOAK else random.Random(3).sample(CASES, 8))
def test_a_wrong_option_is_said_once_and_breaks_nothing(till: Till, scope: str, how: str) -> None:
    said: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        if message.type in ("warning", "error"):
            said.append(message.text)

    till.page.on("console", listen)
    own = names(scope)
    for given in [[name] for name in own] if SOAK else [own]:
        said.clear()
        options = {misspelled(name) if how == "misspelled" else name: VALUES.get(how, {}) for name in given}
        till.order()
        opening: dict[str, Any] = {scope: options}
        till.open(**opening)
        starts = [text.partition(". It has")[0] for text in said]
        said_of = {name: [text for text in starts if re.search(rf"\b{name}\b", text)] for name in options}
        wrong = {name for name in options if how == "misspelled" or is_told(name, options[name])}
        assert {name: len(texts) for name, texts in said_of.items()} == {name: int(name in wrong) for name in options}
        assert all(OF[scope] in text for texts in said_of.values() for text in texts)
        assert till.form.locator("[role=alert]").filter(has_text=re.compile(".")).count() == 0
        assert till.count("cardNoInput") == 1
    till.page.remove_listener("console", listen)


def test_options_that_are_no_object_are_said_and_left_out(till: Till) -> None:
    till.order()
    with till.page.expect_console_message(lambda said: "have to be an object" in said.text):
        till.open()
        till.page.evaluate("() => elements.create('card', 'tabs')")


def test_a_list_of_test_cards_that_does_not_come_can_be_asked_for_again(drawn: Till) -> None:
    drawn.order()
    drawn.open()
    strip = drawn.find("testCards")
    drawn.page.route("**/checkout/cards", lambda route: route.abort())
    strip.locator("summary").click()
    strip.and_(drawn.form.locator("details:not([open])")).wait_for(state="attached")
    drawn.page.unroute("**/checkout/cards")
    strip.locator("summary").click()
    drawn.find("testCard").select_option(label="declined: stolen_card · visa_stolen_card")
    assert [one for one in drawn.customer.alarms if "Failed to load" not in one] == []
    drawn.customer.alarms.clear()  # the browser's console tells of what was lost
