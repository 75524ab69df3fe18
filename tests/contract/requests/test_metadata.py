"""Metadata: fifty pairs, forty characters, five hundred characters (interface §8.5)."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.contract.requests.payments import calls as payments
from mock_server.contract.requests.shapes import named
from tests.contract.requests.bodies import CREATE, LEAST, NOW_MS, wrong


def load(metadata: dict[str, Any]) -> str | None:
    return CREATE.load({**LEAST, "metadata": metadata}, NOW_MS).metadata


@pytest.mark.parametrize(
    ("metadata", "text"),
    [
        ({}, "{}"),
        ({"a": "b"}, '{"a":"b"}'),
        ({"n": 42, "yes": True, "none": None}, '{"n":42,"yes":true,"none":null}'),
        ({"whole": 1.0, "part": 1.5, "small": 1e-7}, '{"whole":1,"part":1.5,"small":1e-7}'),
        ({"b": "1", "10": "2", "9": "3"}, '{"9":"3","10":"2","b":"1"}'),
        ({"deep": {"er": [1, {"x": "é"}]}}, '{"deep":{"er":[1,{"x":"é"}]}}'),
        ({"k" * 40: "v" * 500}, '{"' + "k" * 40 + '":"' + "v" * 500 + '"}'),
        ({"😀" * 40: "😀" * 500}, '{"' + "😀" * 40 + '":"' + "😀" * 500 + '"}'),
        ({"quotes": '"' * 500}, '{"quotes":"' + '\\"' * 500 + '"}'),
        ({"list": ["x" * 496]}, '{"list":["' + "x" * 496 + '"]}'),
        ({"": ""}, '{"":""}'),
    ],
)
def test_values_keep_their_type_and_are_written_as_javascript_would(metadata: dict[str, Any], text: str) -> None:
    assert load(metadata) == text


def test_fifty_pairs_pass_and_one_more_does_not() -> None:
    pairs = {f"key_{number}": "v" for number in range(50)}
    assert load(pairs)
    (error,) = wrong(CREATE, {**LEAST, "metadata": {**pairs, "one": "more"}})
    assert (error.field, error.message) == ("metadata", "must have at most 50 pairs, not 51")


@pytest.mark.parametrize(
    ("metadata", "told"),
    [
        ({"k" * 41: "v"}, {f"metadata.{'k' * 40}…": "must have a key of at most 40 characters, not 41"}),
        ({"a": "v" * 501}, {"metadata.a": "must be at most 500 characters long, not 501"}),
        ({"a": ["x" * 497]}, {"metadata.a": "must be at most 500 characters long, not 501"}),
        ({"a": '"' * 501, "b": "ok", "c": "😀" * 501},
         {"metadata.a": "must be at most 500 characters long, not 501",
          "metadata.c": "must be at most 500 characters long, not 501"}),
    ],
)  # fmt: skip
def test_every_pair_that_is_too_long_is_named(metadata: dict[str, Any], told: dict[str, str]) -> None:
    assert {error.field: error.message for error in wrong(CREATE, {**LEAST, "metadata": metadata})} == told


def test_merging_hands_over_each_value_as_a_text() -> None:
    sent = named(payments.MetadataBody).load({"metadata": {"a": "b", "n": 1.0, "o": {"2": 1, "1": 2}}}, NOW_MS)
    assert sent["metadata"] == {"a": '"b"', "n": "1", "o": '{"1":2,"2":1}'}
