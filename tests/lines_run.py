"""How much code a call runs, which is the same on any machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar

T = TypeVar("T")


def lines_run(call: Callable[[], T], within: str) -> tuple[int, T]:
    """How many lines of the files run that have this in their path, and what the call gives."""
    count = 0

    def line(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        count += 1
        return line

    def begins(frame: FrameType, event: str, _: object) -> Any:
        return line if within in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(begins)
    try:
        found = call()
    finally:
        sys.settrace(before)
    return count, found
