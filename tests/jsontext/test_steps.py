"""No step of reading or writing a large text takes long: other threads run between two steps, never within one."""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final

import pytest

from mock_server import jsontext
from tests.counts import SOAK, times
from tests.pace import slowness
from tests.routes.hostile import SIZE, texts

pytestmark = pytest.mark.no_cover  # what is timed is the product's work, without the counting of lines
LIMIT_S: Final = 0.02 if SOAK else 0.1
"""Of processor time, which is several times as long beside others on one core."""
MANY: Final = SIZE // 10
SHAPES: Final = {
    **texts(),
    "objects": "[" + ",".join(['{"a":{}}'] * MANY) + "]",
    "empty objects": "[" + ",".join(["{}"] * (SIZE // 3)) + "]",
    "colons as values": "[" + '":",' * (SIZE // 4) + '{"a":1}]',
    "quotes and colons": "[" + r'"\":",' * (SIZE // 6) + '{"a":1}]',
    "floats": "[" + "1.5e1," * (SIZE // 6) + "1]",
    "signs": json.dumps("\u00e9" * (SIZE // 2), ensure_ascii=False),
    "a key twice": "{" + ",".join(f'"key_{at}":1' for at in range(70_000)) + ',"key_1":2}',
    "a key twice at the end": "[" + '{"a":1},' * (SIZE // 8) + '{"a":1,"a":1}]',
    "a large number": "[" + "1," * (SIZE // 2) + "9007199254740993]",
    "too deep": "[" + "1," * (SIZE // 2) + "[" * 70 + "]" * 70 + "]",
    "half a pair": '"' + r"\n" * (SIZE // 2) + r'\ud800"',
    "half a pair after whole ones": '"' + r"\ud83d\ude00" * (SIZE // 12) + r'\ud800"',
    "more after escapes": '"' + r"\n" * (SIZE // 2) + '" 1',
    "no end": '["' + "x" * SIZE,
}
TRIES: Final = 4


def longest_step(work: Callable[[], object]) -> float:
    """The processor time of the longest step: from one line, or turn of a loop, to the next.

    As that time is slow to read, it is read once a millisecond.
    """
    longest, since, at = 0.0, time.thread_time(), time.perf_counter()

    def step(*_: Any) -> Any:
        nonlocal longest, since, at
        if time.perf_counter() - at > 0.001:
            took, since, at = time.thread_time() - since, time.thread_time(), time.perf_counter()
            longest = max(longest, took)
        return step

    before = sys.gettrace()
    gc.disable()
    sys.settrace(step)
    try:
        work()
    finally:
        sys.settrace(before)
        gc.enable()
    return max(longest, time.thread_time() - since)


def within_limit(work: Callable[[], object]) -> bool:
    return any(longest_step(work) < LIMIT_S * slowness() for _ in range(TRIES))


@pytest.mark.parametrize("shape", [*SHAPES][:: times(6, soak=1)])
def test_each_step_is_short(shape: str) -> None:
    raw, value = SHAPES[shape].encode(), None

    def read() -> None:
        nonlocal value
        with suppress(jsontext.JsonMistake):
            value = jsontext.parse(raw)

    assert within_limit(read)
    for write in (jsontext.same, jsontext.dump, jsontext.canonical):
        assert value is None or within_limit(partial(write, value)), write
