"""YAML 1.2, safely: which words are no text, where things stand, what is followed."""

from __future__ import annotations

import datetime as dt

import pytest

from mock_server.scenario.loading.load import load_bytes, load_json, load_mapping, load_text
from mock_server.scenario.loading.reading import read_json, read_yaml
from mock_server.scenario.schema.block import mark_of


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("on", "on"),
        ("off", "off"),
        ("yes", "yes"),
        ("no", "no"),
        ("1:30", "1:30"),
        ("2026-01-31", "2026-01-31"),
        ("0x1f", "0x1f"),
        ("1_000", "1_000"),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("42", 42),
        ("-7", -7),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        (".inf", ".inf"),
        ("1e999", "1e999"),
        ("9" * 40, int("9" * 40)),
        ("9" * 70, "9" * 70),
        ('"42"', "42"),
        ("'null'", "null"),
        ("'on'", "on"),
    ],
)
def test_the_core_schema(text: str, value: object) -> None:
    document = read_yaml(f"key: {text}\n", "a.yaml")
    assert not document.mistakes
    assert document.root is not None
    assert document.root.plain() == {"key": value}
    assert type(document.root.items["key"].scalar) is type(value) if document.root.items else False


def test_keys_are_text_whatever_they_look_like() -> None:
    document = read_yaml("on: 1\ntrue: 2\n42: 3\nnull: 4\n4242424242424242: 5\n", "a.yaml")
    assert document.root is not None
    assert document.root.plain() == {"on": 1, "true": 2, "42": 3, "null": 4, "4242424242424242": 5}


def test_aliases_are_followed() -> None:
    text = "rules:\n  - &first {on: charge, times: 1, then: {decline: lost_card}}\n  - *first\n"
    rules = load_text(text, "a.yaml").scenario.rules
    assert [str(rule.place) for rule in rules] == ["a.yaml:2", "a.yaml:2"]


@pytest.mark.parametrize("text", ["a:\n  - b\n  - {c: d}\n", '{"a": ["b", {"c": "d"}]}'])
def test_values_and_keys_have_their_places(text: str) -> None:
    root = read_yaml(text, "a").root
    assert root is not None
    value, key = mark_of(root, ("a", 1, "c")), mark_of(root, ("a", 1, "c"), key=True)
    lines = text.split("\n")
    assert lines[value.line - 1][value.column - 1 :].lstrip('"').startswith("d")
    assert lines[key.line - 1][key.column - 1 :].lstrip('"').startswith("c")


def test_json_escapes_become_the_signs_they_stand_for() -> None:
    root = read_json('{"summary": "\\ud83d\\ude00 \\u00e9 \\/"}', "a.json").root
    assert root is not None
    assert root.plain() == {"summary": "😀 é /"}


def test_a_key_true_is_taken_for_on() -> None:
    rule = {True: "charge", "then": {"decline": "lost_card"}}
    loaded = load_mapping({"name": "mine", "rules": [rule]})
    assert loaded.scenario.rules[0].on.covers("charge")
    assert load_json('{"rules": [{"on": "charge", "then": {"decline": "lost_card"}}]}', "a.json").scenario.rules


def test_a_date_from_another_reader_is_its_text() -> None:
    rule = {"on": "charge", "when": {"body.metadata.x": dt.date(2026, 1, 31)}, "then": {"decline": "lost_card"}}
    loaded = load_mapping({"rules": [rule]})
    assert loaded.scenario.rules[0].when[0].expected == "2026-01-31"


def test_the_name_is_the_files_stem_unless_it_says_otherwise() -> None:
    assert load_bytes(b"version: 1", "dir/some_name.yaml").scenario.name == "some_name"
    assert load_bytes(b"\xef\xbb\xbfname: own", "dir/some_name.yaml").scenario.name == "own"


def test_the_digest_is_of_the_text() -> None:
    one, same, other = (load_text(text, "a").scenario.digest for text in ("name: x", "name: x", "name:  x"))
    assert one == same != other


def test_warnings_keep_nothing_from_being_used() -> None:
    loaded = load_text(
        "cards: {4000000000001234: {name: house_decline, decline: do_not_honor, brand: visa}}\n", "a.yaml"
    )
    ((line, message),) = [(warning.line, warning.message) for warning in loaded.warnings]
    assert line == 1
    assert message.startswith("payments refuse the card number 4000000000001234, as it is not a card number: its check")
    assert loaded.scenario.cards["4000000000001234"].card.name == "house_decline"
