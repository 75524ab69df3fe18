"""What an assertion holds against a request's body: every value that JSON has, or has not, equal or different."""

from __future__ import annotations

import json
from collections import OrderedDict, UserDict, namedtuple
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from fractions import Fraction
from random import Random
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID

import pytest

from mock_server.testing import Sandbox, SandboxServer
from tests.counts import times

Word = StrEnum("Word", {"A": "a", "EUR": "EUR"})
Whole = IntEnum("Whole", {"ONE": 1, "AMOUNT": 4200})
Pair = namedtuple("Pair", "first second")


class OldWord(str, Enum):  # noqa: UP042 - the form that is older than StrEnum
    A = "a"


class Plain(Enum):
    A = "a"


class Text(str):
    """A text of somebody's own."""


class Number(int):
    """A number of somebody's own."""


WRITTEN: Final[tuple[tuple[Any, Any], ...]] = (
    (Word.A, "a"), (OldWord.A, "a"), (Text("a"), "a"), (Whole.ONE, 1), (Number(1), 1), (4200.0, 4200),
    ((1, 2), [1, 2]), (Pair(1, "a"), [1, "a"]), ([(1,), (2,)], [[1], [2]]), ((), []),
    (MappingProxyType({"b": 1}), {"b": 1}), ({"b": MappingProxyType({"c": (1,)})}, {"b": {"c": [1]}}),
    (OrderedDict(b=1), {"b": 1}), (UserDict(b=1), {"b": 1}), ([MappingProxyType({"b": Word.A})], [{"b": "a"}]),
    ({Word.A: 1}, {"a": 1}), ({1: "a"}, {"1": "a"}), ({True: 1}, {"true": 1}), ({None: 1}, {"null": 1}),
)  # fmt: skip
"""Values of Python, and what JSON has for them."""
JSON: Final[tuple[Any, ...]] = (
    None, True, False, 0, 1, 4200, -1, 1.5, 1.0, "", "a", "EUR", "1", "true", "null", [], {}, [1], [True], [1.0], [0],
    [1, 2], [2, 1], [[1], [2]], [1, "a"], [None], ["a"], {"b": 1}, {"b": True}, {"b": None}, {"b": {"c": [1]}},
    {"a": 1}, {"1": "a"}, {"true": 1}, {"null": 1}, [{"b": "a"}], [{"b": "a", "c": 1}], [{"b": "a"}, {"b": "c"}],
    {"b": 1, "c": {"d": [{"e": 1, "f": 2}]}}, {"b": [[{"c": False}]]}, "[1]", "[x]",
)  # fmt: skip
NEVER: Final[dict[str, Any]] = {
    f"{type(one).__name__} {number}": one
    for number, one in enumerate((
        Decimal("42.00"), Decimal(4200), {1, 2}, frozenset(), lambda body: True, object, object(), b"a",
        bytearray(b"a"),
        Plain.A, date(2026, 1, 31), datetime(2026, 1, 31, tzinfo=UTC), timedelta(1), Fraction(1), 1j, range(2),
        float("nan"), float("inf"), UUID(int=1), ..., {(1, 2): 3}, [{"a": {1}}], (Decimal(1),), iter([1]),
        MappingProxyType({"a": {1}}),
    ))
}  # fmt: skip
"""What the client could not send at all."""


def projected(sent: Any, wanted: Any) -> Any:
    """What was sent, of objects only the members that are wanted: they can have more."""
    if isinstance(sent, dict) and isinstance(wanted, dict):
        return {name: projected(sent[name], wanted[name]) for name in wanted if name in sent}
    if isinstance(sent, list) and isinstance(wanted, list) and len(sent) == len(wanted):
        return [projected(*pair) for pair in zip(sent, wanted, strict=True)]
    return wanted if type(sent) is int and type(wanted) is float and sent == wanted else sent


def is_like(sent: Any, wanted: Any) -> bool:
    return json.dumps(projected(sent, wanted), sort_keys=True) == json.dumps(wanted, sort_keys=True)


@pytest.fixture(scope="module")
def sandbox(inside: SandboxServer) -> Iterator[Sandbox]:
    """Without the other way to it: what is compared is compared in the test's process."""
    with Sandbox(server=inside) as workspace:
        yield workspace


def judged(sandbox: Sandbox, body: Any, by: slice = slice(None)) -> set[Any]:
    """Whether there was such a call, by each assertion; each means the same."""
    journal = sandbox.journal
    calls: tuple[tuple[bool, Callable[[], object]], ...] = (
        (True, lambda: journal.assert_called("payments.create", body=body)),
        (True, lambda: journal.assert_called("payments.create", times=1, body=body)),
        (True, lambda: journal.wait_for("payments.create", timeout=0, body=body)),
        (False, lambda: journal.assert_not_called("payments.create", body=body)),
    )
    found: set[Any] = {bool(journal.calls(body=body))}
    for means, call in calls[by]:
        try:
            call()
            found.add(means)
        except AssertionError as wrong:
            found.add(not means if " called" in str(wrong) else wrong)
    return found


def sent_as(sandbox: Sandbox, value: Any) -> None:
    sandbox.journal.clear()
    sandbox.client.pay(metadata={"a": value, "other": 1})


@pytest.mark.parametrize("sent", JSON, ids=json.dumps)
def test_values_of_json(sent: Any, sandbox: Sandbox) -> None:
    sent_as(sandbox, sent)
    for at, wanted in enumerate(JSON if times(0, soak=1) else [sent, *Random(json.dumps(sent)).sample(JSON, 7)]):
        # What matches takes each assertion one call; what does not, several: by one of them in turn.
        by = slice(None) if is_like(sent, wanted) else slice(at % 4, at % 4 + 1)
        assert judged(sandbox, {"metadata": {"a": wanted}}, by) == {is_like(sent, wanted)}, wanted


@pytest.mark.parametrize(("written", "value"), WRITTEN, ids=repr)
def test_values_that_json_writes(written: Any, value: Any, sandbox: Sandbox) -> None:
    for sent in (value, "other", [value], {"x": value}):
        sent_as(sandbox, sent)
        assert judged(sandbox, {"metadata": {"a": written}}) == {is_like(sent, value)}
        assert judged(sandbox, MappingProxyType({"metadata": {"a": [written]}})) == {is_like(sent, [value])}


@pytest.mark.parametrize("sent", [4200, "a", None])
@pytest.mark.parametrize("value", NEVER)
def test_what_json_has_not_is_refused(value: str, sent: Any, sandbox: Sandbox) -> None:
    sent_as(sandbox, sent)
    for body in ({"amount": NEVER[value]}, {"metadata": {"a": [NEVER[value]]}}):
        for name in ("assert_called", "assert_not_called", "wait_for", "calls"):
            with pytest.raises(TypeError, match="body"):
                getattr(sandbox.journal, name)("payments.create", body=body)


PAN: Final = "4242424242424242"
HIDDEN: Final[dict[str, tuple[Any, Any]]] = {
    "text": (PAN, PAN),
    "number": (int(PAN), int(PAN)),
    "in a list": ([PAN], [PAN]),
    "in the middle": (["a", PAN, "b"], ["a", PAN, "b"]),
    "in a text in a list": ([f"paid by {PAN}"], [f"paid by {PAN}"]),
    "in objects in a list": ([{"b": PAN}, {"b": 1}], [{"b": PAN}, {"b": 1}]),
    "a key": ({PAN: 1}, {PAN: 1}),
    "a key in a list": ([{PAN: 1}], [{PAN: 1}]),
    "a part of a key": ({f"card {PAN}": {"b": 1}}, {f"card {PAN}": {"b": 1}}),
}


@pytest.mark.parametrize("place", HIDDEN)
def test_what_is_hidden_is_not_compared(place: str, sandbox: Sandbox) -> None:
    sent, wanted = HIDDEN[place]
    sent_as(sandbox, sent)
    for name in ("assert_called", "assert_not_called", "wait_for", "calls"):
        with pytest.raises(
            AssertionError, match="is hidden or cut in the journal, so it cannot be compared"
        ) as refused:
            getattr(sandbox.journal, name)("payments.create", body={"metadata": {"a": wanted}})
        assert PAN not in str(refused.value)
    sandbox.journal.assert_not_called("payments.create", body={"metadata": {"a": wanted, "other": 2}})
    assert judged(sandbox, {"metadata": {"other": 1}}) == {True}


def test_items_of_lists_can_have_more_but_lists_cannot(sandbox: Sandbox) -> None:
    tea = {"product_name": "tea", "quantity": 1, "amount": 4200}
    sandbox.journal.clear()
    sandbox.client.pay(order_details=[tea])
    assert judged(sandbox, {"order_details": [{"product_name": "tea"}]}) == {True}
    for other in (
        [],
        [{"product_name": "tea"}] * 2,
        [{"product_name": "coffee"}],
        [{"product_name": "tea", "quantity": True}],
    ):
        assert judged(sandbox, {"order_details": other}) == {False}
    with pytest.raises(AssertionError, match=r"the length of body\.order_details was 1, not 2"):
        sandbox.journal.assert_called("payments.create", body={"order_details": [{}, {}]})
    with pytest.raises(AssertionError, match=r"body\.order_details\[0\]\.quantity was 1, not 2"):
        sandbox.journal.assert_called("payments.create", body={"order_details": [{"quantity": 2}]})
