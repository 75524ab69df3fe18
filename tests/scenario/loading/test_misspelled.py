"""Each key and path of every shipped scenario, misspelled once: each is refused, by its name."""

from __future__ import annotations

import json
from random import Random
from textwrap import dedent
from typing import Any, Final

import pytest

from mock_server.scenario.loading.library import bundled_files
from mock_server.scenario.loading.load import load_json
from mock_server.scenario.loading.reading import read_yaml
from mock_server.scenario.model.mistakes import ScenarioErrors
from tests.counts import SOAK, times
from tests.scenario.misspelling import KINDS, slips
from tests.scenario.schema.test_pages import snippets

SHIPPED: Final = {path.stem: path.read_text(encoding="utf-8") for path in bundled_files().values()}
TEXTS: Final = {**SHIPPED, **{name: dedent(text) for name, text in snippets()}}
"""The shipped files, and the scenarios of the docs."""


def plain(text: str) -> Any:
    root = read_yaml(text, "a.yaml").root
    assert root is not None
    return root.plain()


def accepted(scenario: Any, kinds: tuple[str, ...]) -> list[str]:
    """The misspellings that are not refused, or not by their name."""
    found = []
    for number, slip in list(enumerate(slips(scenario)))[:: times(2, soak=1)]:
        for kind in kinds:
            broken, word = slip.made_in(scenario, kind, Random(f"{number} {kind}"))
            try:
                load_json(json.dumps(broken), "a.json")
            except ScenarioErrors as wrong:
                if word in str(wrong):
                    continue
                found.append(f"{slip.way}: {word} is refused without its name: {wrong}")
            else:
                found.append(f"{slip.way}: {word}")
    return found


@pytest.mark.parametrize("name", TEXTS)
def test_each_key_and_path_is_refused_when_it_is_misspelled(name: str) -> None:
    """One kind of mistake a file, in every second place; under `make soak` all four, and everywhere."""
    kinds = KINDS if SOAK else (Random(name).choice(KINDS),)
    assert accepted(plain(TEXTS[name]), kinds) == []


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("expect: [{payments: {}, never: true}]", "exactly"),
        ("expect: [{calls: {on: payments.create, http: {not: 200}}}]", "ne"),
        ("rules: [{on: refund, then: {outcome: failed}}]", "refunds.create"),
        ("story: [{do: payments.create, with: {amount: 1}, see: {fault: connection_reset}}]", "connection"),
    ],
)
def test_a_word_of_another_part_or_language_names_the_right_one(text: str, meant: str) -> None:
    with pytest.raises(ScenarioErrors) as wrong:
        load_json(json.dumps(plain(f"version: 1\nname: guessed\nsummary: A guess.\n{text}")), "a.json")
    assert f"did you mean {meant}?" in str(wrong.value)
