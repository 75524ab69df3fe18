"""Conditions of `when`: a path, an operator, and the expected value; patterns are searched by RE2, in linear time."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final

from msgspec import Struct

from mock_server import jsontext
from mock_server.domain import hiding, masking
from mock_server.domain.outcomes import DecisionRequest
from mock_server.scenario.conditions.paths import Absent, Path

LONGEST_TEXT: Final = 1_000
"""Bytes of a text that are searched (ours; the values of metadata have at most 500 characters)."""
LONGEST_PATTERN: Final = 500
MOST_MEMORY: Final = 1 << 20
"""Bytes that one pattern may take; `(a{99}){99}` would take more."""
LONGEST_PROGRAM: Final = 1_000
"""Steps of one pattern's program: at worst, each is taken for every byte of a text (30 ms in all)."""
MOST_STEPS: Final = 2 * LONGEST_PROGRAM
"""Those of all patterns in a scenario, and in the scenarios that apply to a call."""


class Pattern(Struct, frozen=True):
    """A valid pattern; `steps` are those of its program, a class of characters counted once, not by their bytes."""

    text: str
    compiled: Any
    steps: int

    def search(self, text: str) -> bool:
        return self.compiled.search(_bytes(text[:LONGEST_TEXT])[:LONGEST_TEXT]) is not None


@lru_cache(maxsize=512)
def compile_pattern(text: str) -> Pattern:
    """The pattern of a text. ValueError says what is wrong with it."""
    import re2

    if len(text) > LONGEST_PATTERN:
        raise ValueError(f"has {len(text)} characters; the maximum is {LONGEST_PATTERN}")
    by_bytes, latin = re2.Options(), re2.Options()
    by_bytes.log_errors = latin.log_errors = False
    by_bytes.max_mem = latin.max_mem = MOST_MEMORY
    latin.encoding = re2.Options.Encoding.LATIN1  # type: ignore[attr-defined]  # its stubs do not have it
    try:
        compiled = made = re2.compile(_bytes(text), by_bytes)
    except re2.error as wrong:
        said = wrong.args[0]
        raise ValueError(f"cannot be read: {said.decode() if isinstance(said, bytes) else said}") from None
    with suppress(re2.error):  # some characters cannot be written in Latin-1
        made = re2.compile(_bytes(text), latin)
    if (steps := made.programsize) > LONGEST_PROGRAM:
        raise ValueError(f"is a program of {steps:,} steps; the maximum is {LONGEST_PROGRAM:,}, so repeat less often")
    return Pattern(text, compiled, steps)


def _bytes(text: str) -> bytes:
    """The bytes that RE2 reads; a lone surrogate, which only a header can contain, becomes a question mark."""
    return text.encode("utf-8", "replace")


SHOWN: Final = 80
Test = Callable[[Any, Any], bool]


class Operator(Struct, frozen=True):
    """One operator: the kind of value it takes, its test, the words of a failure, and its meaning."""

    name: str
    takes: str
    test: Test
    fails: str
    about: str


def same(actual: object, expected: object) -> bool:
    """Whether two values are equal in JSON: `true` is not 1, `"1"` is not 1, `1.0` is 1."""
    return isinstance(actual, bool) is isinstance(expected, bool) and actual == expected


def is_number(value: object) -> bool:
    """Whether a value is a number in JSON: `true` is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _ordered(test: Test) -> Test:
    """Numbers compare with numbers and text with text; anything else fails."""

    def compare(actual: object, expected: object) -> bool:
        alike = (is_number(actual) and is_number(expected)) or (isinstance(actual, str) and isinstance(expected, str))
        return alike and test(actual, expected)

    return compare


def _contains(actual: object, expected: object) -> bool:
    if isinstance(actual, str):
        return isinstance(expected, str) and expected in actual
    if isinstance(actual, Mapping):
        return expected in actual
    return isinstance(actual, list | tuple) and any(same(item, expected) for item in actual)


def _any_of(actual: object, expected: tuple[object, ...]) -> bool:
    return any(same(actual, item) for item in expected)


OPERATORS: Final[Mapping[str, Operator]] = {
    row.name: row
    for row in (
        Operator("eq", "value", same, "not {expected}", "Equal to this value."),
        Operator("ne", "value", lambda a, e: not same(a, e), "which it must not be", "Not equal to this value."),
        Operator("gt", "ordered", _ordered(lambda a, e: a > e), "not over {expected}", "Greater than this."),
        Operator("gte", "ordered", _ordered(lambda a, e: a >= e), "not {expected} or more", "This or greater."),
        Operator("lt", "ordered", _ordered(lambda a, e: a < e), "not under {expected}", "Less than this."),
        Operator("lte", "ordered", _ordered(lambda a, e: a <= e), "not {expected} or less", "This or less."),
        Operator("in", "values", _any_of, "none of {expected}", "One of these."),
        Operator("not_in", "values", lambda a, e: not _any_of(a, e), "one of {expected}", "None of these."),
        Operator("matches", "pattern", lambda a, e: isinstance(a, str) and e.search(a),
            "which does not match {expected}", "A regular expression (RE2)."),
        Operator("starts_with", "text", lambda a, e: isinstance(a, str) and a.startswith(e),
            "which does not start with {expected}", "Starts with this text."),
        Operator("contains", "value", _contains, "which does not contain {expected}", "Contains this."),
        Operator("exists", "truth", lambda a, e: isinstance(a, Absent) is not e,
            "which must be missing", "Whether the value exists."),
    )
}  # fmt: skip


NEVER: Final = "can never be all of this at once"


def opposed(tests: Sequence[tuple[Operator, Any]]) -> bool:
    """Whether no value passes all these tests, so far as single values, the order of two bounds, and `exists` say."""
    by = {operator.name: (operator.test, expected) for operator, expected in tests}
    values = [by["eq"][1]] if "eq" in by else by["in"][1] if "in" in by else None
    if values is not None or by.get("exists", (None, True))[1] is False:
        return len(by) > 1 and not any(
            all(test(value, wanted) for test, wanted in by.values()) for value in values or ()
        )
    lows, highs = ([by[name] for name in names if name in by] for names in (("gt", "gte"), ("lt", "lte")))
    return any(not (is_high(low, high) and is_low(high, low)) for is_low, low in lows for is_high, high in highs)


class Condition(Struct, frozen=True):
    """One condition; `expected` is what the operator's test takes."""

    path: Path
    operator: Operator
    expected: Any

    def failure(self, actual: object, request: DecisionRequest | None = None) -> str | None:
        """None if the value passes; otherwise what is wrong, with the value and what was expected."""
        if isinstance(actual, Absent) and self.operator.name != "exists":
            return f"{self.path.text} is missing"
        read = _as_expected(actual, self.expected) if self.path.root.text else self.path.stored(actual)
        if self.operator.test(read, self.expected):
            return None
        if isinstance(actual, Absent):
            return f"{self.path.text} is missing"
        shown = show(without_card_data(self.path, actual, request))
        return masking.shown(f"{self.path.text} is {shown}, {self.operator.fails.format(expected=show(self.expected))}")


def implies(one: Condition, other: Condition) -> bool:
    """Whether the second condition is true wherever the first is, so far as is easily said."""
    if one.path.text != other.path.text:
        return False
    is_, value = one.operator.name, one.expected
    test, wanted = other.operator.name, other.expected
    if (is_, repr(value)) == (test, repr(wanted)):
        return True
    if "exists" in (is_, test):
        return is_ != "exists" and bool(wanted)
    values = value if is_ == "in" else (value,) if is_ == "eq" else None
    if one.path.root.text and not all(isinstance(text, str) for text in values or (value, wanted)):
        return False  # a header can be read as a number
    if values is not None:
        return all(other.failure(single) is None for single in values)
    if test == "ne":
        return one.failure(wanted) is not None
    if test == "not_in":
        return all(one.failure(single) is not None for single in wanted)
    if is_ == "starts_with":
        return test in ("starts_with", "contains") and other.failure(value) is None
    if {is_, test} <= {"gt", "gte"} or {is_, test} <= {"lt", "lte"}:
        is_strict = is_ in ("gt", "lt") and same(value, wanted)
        return is_strict or other.failure(value) is None
    return False


def without_card_data(path: Path, value: object, request: DecisionRequest | None = None) -> object:
    """A value at a path without card data; in fields that the caller names, also without the call's security codes."""
    steps = path.steps
    is_free = path.root.text or (steps[:1] and steps[0] in hiding.FREE)
    codes = hiding.codes_in(request.call.body) if is_free and request is not None else frozenset()
    return hiding.seen(steps[-1] if steps else "", value, codes)


_NUMBER: Final = re.compile(r"[+-]?\d{1,300}(\.\d+)?", re.ASCII)


def _as_expected(actual: object, expected: object) -> object:
    """A header or query as a number or a truth value, where it is compared with one."""
    if isinstance(expected, tuple):
        return next((read for one in expected if (read := _as_expected(actual, one)) == one), actual)
    if not isinstance(actual, str) or not isinstance(expected, int | float):
        return actual
    if isinstance(expected, bool):
        return {"true": True, "false": False}.get(actual.lower(), actual)
    return (float(actual) if "." in actual else int(actual)) if _NUMBER.fullmatch(actual) else actual


def show(value: object) -> str:
    """A value as JSON, cut if it is long."""
    if isinstance(value, Pattern):
        return value.text
    if isinstance(value, tuple):
        return ", ".join(map(show, value)) or "nothing"
    if isinstance(value, Absent):
        return "missing"
    try:
        text = str(value) if isinstance(value, float) else jsontext.canonical(value)  # 1.0, which is no whole number
    except (TypeError, ValueError):
        text = str(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def plain(value: object) -> object:
    """A value as a reason keeps it in its `inputs`: short and immutable."""
    if isinstance(value, str):
        return str(value)[:500]
    return value if value is None or isinstance(value, int | float) else show(value)
