"""Every operator on every pair of values, compared with what it means; and how values are shown in reasons."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import permutations
from typing import Any, Final

import pytest

from mock_server.domain.outcomes import DecisionRequest
from mock_server.scenario.conditions.paths import ABSENT
from mock_server.scenario.conditions.when import OPERATORS, SHOWN, compile_pattern, plain, show
from tests.scenario.workspace import Workspace, call

VALUES: Final = (0, 1, -1, 1.0, 2.5, True, False, "", "1", "a", "ab", "true", None, ["a"], [1, True], {"a": 1}, (1,))


def alike(one: object, two: object) -> bool:
    if isinstance(one, bool) or isinstance(two, bool):
        return one is two
    return one == two


def ordered(one: object, two: object) -> bool:
    kinds = [str if isinstance(value, str) else float for value in (one, two)]
    known = all(isinstance(value, str | int | float) and not isinstance(value, bool) for value in (one, two))
    return known and kinds[0] is kinds[1]


def within(one: Any, two: object) -> bool:
    if isinstance(one, str):
        return isinstance(two, str) and two in one
    if isinstance(one, dict):
        return isinstance(two, str) and two in one
    return isinstance(one, list | tuple) and any(alike(item, two) for item in one)


MEANS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "eq": alike,
    "ne": lambda one, two: not alike(one, two),
    "gt": lambda one, two: ordered(one, two) and one > two,
    "gte": lambda one, two: ordered(one, two) and one >= two,
    "lt": lambda one, two: ordered(one, two) and one < two,
    "lte": lambda one, two: ordered(one, two) and one <= two,
    "contains": within,
    "starts_with": lambda one, two: isinstance(one, str) and one[: len(two)] == two,
    "in": lambda one, two: any(alike(one, item) for item in two),
    "not_in": lambda one, two: not any(alike(one, item) for item in two),
    "matches": lambda one, two: isinstance(one, str) and two.text in one,
    "exists": lambda one, two: (one is not ABSENT) is two,
}
TAKEN: Final[dict[str, tuple[Any, ...]]] = {
    "values": ((), ("a",), (1, "ab", None), (True,)),
    "text": ("", "a", "ab", "b"),
    "ordered": (0, 1, 2.5, "", "a", "ab"),
    "truth": (True, False),
    "pattern": (compile_pattern("a"), compile_pattern("b")),
}
HASHABLE: Final = tuple(value for value in VALUES if not isinstance(value, list | dict))


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_says_what_it_means(name: str) -> None:
    row = OPERATORS[name]
    for expected in TAKEN.get(row.takes, HASHABLE):
        for actual in (*VALUES, ABSENT) if name == "exists" else VALUES:
            assert row.test(actual, expected) is MEANS[name](actual, expected), (actual, expected)


@pytest.mark.parametrize(
    ("wanted", "sent", "matches"),
    [
        *(("1", "1", True), ("1", "01", True), ("1", "1.0", True), ("1", "a", False), ("1", "1.x", False)),
        *(("1.5", "1.5", True), ("1.5", "1", False), ("true", "TRUE", True), ("true", "false", False)),
        *(("false", "False", True), ("false", "0", False), ("true", "1", False), ("{gt: 5}", "10", True)),
        *(("{gt: 5}", "4", False), ("[1, 2]", "2", True), ("[a, b]", "b", True), ('"1"', "1", True)),
        *(('"1"', "1.0", False), ("{in: [true]}", "true", True), ("10", "1_0", False), ("1", "\u0661", False)),
    ],
)
@pytest.mark.parametrize("place", ["header.X-Value", "query.limit"])
def test_a_text_is_read_as_what_it_is_compared_with(place: str, wanted: str, sent: str, matches: bool) -> None:
    rule = f"rules: [{{on: payments.list, when: {{{place}: {wanted}}}, then: {{error: HE_00}}}}]"
    request = call("payments.list", headers={"x-value": sent}, query={"limit": sent})
    assert (Workspace(rule).connection(request) is not None) is matches


WORDS: Final = ("1", "1.50", "true", "blue", '"2"', "-3")
SENT: Final = ("1", "01", "1.5", "TRUE", "blue", "2", "-3", "1_0", "\u0661", "", "+1", "1e0", "x")


@cache
def matched(wanted: str) -> set[str]:
    """Which of the texts match."""
    workspace = Workspace(f"rules: [{{on: payments.list, when: {{header.x-value: {wanted}}}, then: {{error: HE_00}}}}]")
    asked = {sent: call("payments.list", headers={"x-value": sent}) for sent in SENT}
    return {sent for sent, request in asked.items() if workspace.connection(request) is not None}


@pytest.mark.parametrize("words", [*permutations(WORDS, 3)], ids=",".join)
def test_a_text_is_one_of_a_list_if_it_is_equal_to_one_in_any_order(words: tuple[str, ...]) -> None:
    one_of_them = set[str]().union(*map(matched, words))
    assert matched(f"{{in: [{', '.join(words)}]}}") == one_of_them
    assert matched(f"{{not_in: [{', '.join(words)}]}}") == {*SENT} - one_of_them


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        *((None, "null"), (True, "true"), (1, "1"), ("a", '"a"'), (("a", 1), '"a", 1'), ((), "nothing")),
        *((ABSENT, "missing"), (compile_pattern("a+"), "a+"), ({"b": 1, "a": [2]}, '{"b":1,"a":[2]}')),
        *(("x" * (SHOWN - 2), f'"{"x" * (SHOWN - 2)}"'), ("x" * SHOWN, f'"{"x" * (SHOWN - 1)}…')),
        *((1.5, "1.5"), (object, "<class 'object'>")),
    ],
)
def test_how_a_value_is_shown(value: object, shown: str) -> None:
    assert show(value) == shown
    kept = isinstance(value, bool | int | float) or value is None
    assert plain(value) == (value if kept else value if isinstance(value, str) else shown)


def test_a_reason_keeps_five_hundred_characters_of_a_text() -> None:
    assert [len(str(plain("x" * size))) for size in (499, 500, 501)] == [499, 500, 500]


def test_what_a_rule_that_did_not_match_says() -> None:
    said = {}
    for name, row in OPERATORS.items():
        takes = {"values": "[7, 8]", "truth": "false", "pattern": "x+", "text": "x"}.get(row.takes, "7")
        takes = {"ne": "abc", "not_in": "[abc]"}.get(name, takes)
        rule = (
            f"rules: [{{on: payments.create, when: {{body.metadata.v: {{{name}: {takes}}}}}, then: {{error: HE_00}}}}]"
        )
        workspace = Workspace(rule)
        request: DecisionRequest = call(body={"metadata": {"v": "abc"}})
        assert workspace.connection(request) is None
        said[name] = workspace.near[-1].failed
    assert said == {
        "eq": 'body.metadata.v is "abc", not 7',
        "ne": 'body.metadata.v is "abc", which it must not be',
        "gt": 'body.metadata.v is "abc", not over 7',
        "gte": 'body.metadata.v is "abc", not 7 or more',
        "lt": 'body.metadata.v is "abc", not under 7',
        "lte": 'body.metadata.v is "abc", not 7 or less',
        "in": 'body.metadata.v is "abc", none of 7, 8',
        "not_in": 'body.metadata.v is "abc", one of "abc"',
        "matches": 'body.metadata.v is "abc", which does not match x+',
        "starts_with": 'body.metadata.v is "abc", which does not start with "x"',
        "contains": 'body.metadata.v is "abc", which does not contain 7',
        "exists": 'body.metadata.v is "abc", which must be missing',
    }
