"""Large files: looked through in a time that grows with them, and beside the work of others."""

from __future__ import annotations

import gc
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from mock_server import jsontext
from mock_server.scenario.loading import uploaded
from mock_server.scenario.loading.library import Library
from mock_server.scenario.loading.load import load_json, load_text
from mock_server.scenario.loading.reading import MOST_MISTAKES, read_yaml
from mock_server.scenario.loading.rule_conflicts import UnreachableRules
from mock_server.scenario.model.mistakes import (
    MOST_GUESSES,
    MOST_SHOWN,
    ScenarioErrors,
    guessing_within_bounds,
    nearest,
)
from mock_server.scenario.schema.block import load
from mock_server.scenario.schema.long_work import SHORT, in_turns, long_work
from mock_server.scenario.schema.top import ScenarioBlock
from tests.scenario.memory import Memory

THEN = {"decline": "lost_card"}


def by_order(many: int) -> list[dict[str, Any]]:
    return [{"on": "charge", "when": {"payment.metadata.order": f"o{at}"}, "then": THEN} for at in range(many)]


def by_two(many: int) -> list[dict[str, Any]]:
    """Every rule shares each of its conditions with many others."""
    return [{"on": "charge", "when": {"body.a": at % 40, "body.b": at // 40}, "then": THEN} for at in range(many)]


def by_operation(many: int) -> list[dict[str, Any]]:
    once = {"on": "payments.create", "times": 1, "then": {"error": "HE_00"}}
    return [once, *({"on": "refunds.create", "when": {"body.a": at}, "then": THEN} for at in range(many - 1))]


def all_the_same(many: int) -> list[dict[str, Any]]:
    return [{"on": "charge", "then": THEN} for _ in range(many)]


def by_ten(many: int) -> list[dict[str, Any]]:
    shared = {f"body.k{n}": n for n in range(10)}
    return [{"on": "charge", "when": {**shared, "body.b": at}, "then": THEN} for at in range(many)]


SHAPES = (by_ten, by_order, by_two, by_operation, all_the_same)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_rules_are_held_against_a_few_others_each(shape: Callable[[int], list[dict[str, Any]]]) -> None:
    compared = []
    for many in (400, 800):
        takers = UnreachableRules()
        list(takers.found(load(ScenarioBlock, {"rules": shape(many)})["rules"]))
        compared.append(takers.compared)
    assert compared[1] <= 2 * compared[0] + 10
    assert compared[1] <= 2 * 800


@pytest.mark.parametrize("many", [1, 300])
def test_a_taker_is_found_among_many(many: int) -> None:
    text = "rules:\n"
    text += "  - {on: charge, when: {body.amount: 5}, then: {decline: lost_card}}\n"
    text += "".join(
        f"  - {{on: charge, when: {{body.metadata.b: {at}}}, then: {{decline: lost_card}}}}\n" for at in range(many)
    )
    text += "  - {on: payments.confirm, when: {body.metadata.b: 0, body.amount: 5}, then: {outcome: failed}}\n"
    with pytest.raises(ScenarioErrors) as found:
        load_text(text, "a.yaml")
    assert [one.message for one in found.value.mistakes] == [
        f"rule {many + 2} can never match: rule 1 matches all its calls first"
    ]


def test_one_and_true_are_two_conditions() -> None:
    text = "rules:\n  - {on: charge, when: {body.metadata.a: 1}, then: {outcome: failed}}\n"
    text += "  - {on: charge, when: {body.metadata.a: true}, then: {outcome: succeeded}}\n"
    assert len(load_text(text, "a.yaml").scenario.rules) == 2


def test_a_book_of_unknown_names_is_not_guessed_at_to_its_end() -> None:
    with guessing_within_bounds() as guesses:
        assert [nearest("declin", ["decline"]) for _ in range(3)] == [" (did you mean decline?)"] * 3
        assert len(guesses) == 1
        for at in range(MOST_GUESSES):
            nearest(f"declin{at}", ["decline"])
        assert len(guesses) == MOST_GUESSES
        assert nearest("declime", ["decline"]) == ""
    assert nearest("declime", ["decline"]) == " (did you mean decline?)"


def test_a_book_of_mistakes_of_form_is_not_read_to_its_end() -> None:
    document = read_yaml("a: 1\n" * (10 * MOST_MISTAKES), "a.yaml")
    assert len(document.mistakes) == MOST_MISTAKES


@pytest.mark.parametrize("text", ["rules: []\n# ", "rules: [x\n# "])
def test_what_a_document_was_read_into_goes_with_its_last_user(text: str) -> None:
    """Or the collector stops everybody to find it."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        gc.collect()
        for load_one in (load_text, load_json):
            try:
                load_one(text, "a.yaml")
            except ScenarioErrors:
                continue
        assert gc.collect() == 0
    finally:
        if was_on:
            gc.enable()


def test_a_long_text_is_read_alone_and_a_short_one_beside_it() -> None:
    inside, go_on, told = threading.Event(), threading.Event(), list[str]()

    def long(name: str) -> None:
        with long_work(SHORT + 1):
            told.append(f"{name} begins")
            inside.set()
            assert go_on.wait()
            told.append(f"{name} ends")

    first = threading.Thread(target=long, args=("first",))
    first.start()
    assert inside.wait()
    second = threading.Thread(target=long, args=("second",))
    second.start()
    with long_work(SHORT):
        told.append("short")
    go_on.set()
    first.join()
    second.join()
    assert told == ["first begins", "short", "first ends", "second begins", "second ends"]


def test_the_collector_rests_meanwhile_and_goes_on_after_it() -> None:
    was_on = gc.isenabled()
    gc.enable()
    try:
        with long_work(SHORT + 1):
            assert not gc.isenabled()
        assert gc.isenabled()
    finally:
        if not was_on:
            gc.disable()


def counted(most: int) -> Iterator[int]:
    yield from range(most)


@pytest.mark.parametrize("size", [SHORT, SHORT + 1])
def test_turns_leave_nothing_out(size: int) -> None:
    with long_work(size):
        assert list(in_turns(counted(100))) == list(range(100))


LONG_JSON: Final = json.dumps(
    {
        "cards": {"4000000000000077": {"name": "seven", "decline": "lost_card"}},
        "rules": [
            {"on": "payments.create", "when": {"body.amount": n}, "then": {"decline": "lost_card"}} for n in (1, 2)
        ],
        "given": {"customers": 3, "payments": [{"amount": 100, "metadata": {"a": [], "b": {}}}]},
        "expect": [],
    }
)


def test_a_long_json_is_read_in_pieces_to_the_same_scenario(monkeypatch: pytest.MonkeyPatch) -> None:
    text = LONG_JSON + " " * 1024 * 1024
    whole = load_json(text, "a.json")
    monkeypatch.setattr(jsontext, "parse", lambda raw: pytest.fail("read in one step"))
    with long_work(len(text)):
        assert load_json(text, "a.json") == whole


@pytest.mark.parametrize("text", [LONG_JSON[:-1], LONG_JSON.replace('"given"', '"rules"'), f"[{LONG_JSON}]", ""])
def test_a_long_json_that_is_wrong_is_refused_in_the_same_words(text: str) -> None:
    with pytest.raises(ScenarioErrors) as whole:
        load_json(text, "a.json")
    with long_work(SHORT + 1), pytest.raises(ScenarioErrors) as pieces:
        load_json(text, "a.json")
    assert str(pieces.value) == str(whole.value)


class OnlyRead:
    """What a workspace's facts are outside a transaction: nothing can be written."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def fact(self, name: str) -> Any:
        self.asked.append(name)
        return None


def test_a_text_is_read_and_checked_before_anything_is_kept() -> None:
    facts = OnlyRead()
    assert uploaded.read(facts, Library(), "mine", "extends: lost_response").scenario.name == "mine"
    with pytest.raises(ScenarioErrors) as found:
        uploaded.read(facts, Library(), "mine", "rulez: 1\n" + "# long\n" * SHORT)
    assert found.value.mistakes[0].message.startswith("unknown key rulez")


def test_a_text_that_was_read_is_not_read_again_for_its_first_use() -> None:
    memory, library = Memory(), Library()
    for _ in range(2):
        text = "rules: [{on: charge, then: {outcome: failed}}]"
        checked = uploaded.read(memory, library, "mine", text).scenario
        uploaded.keep(memory, "mine", text)
        used = uploaded.finder(memory, library)("mine")
        assert used is not None
        assert used.rules is checked.rules, "rules that were read a second time would be equal, but others"


def test_mistakes_that_are_not_told_are_counted() -> None:
    with pytest.raises(ScenarioErrors) as found:
        uploaded.read(OnlyRead(), Library(), "mine", "rules:\n" + "  - {on: x}\n" * 2_000)
    assert (len(found.value.mistakes), found.value.hidden) == (MOST_SHOWN, 2_000 * 2 - MOST_SHOWN)
