"""Threads that start together and hand back what they did."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

T = TypeVar("T")


def together(works: Sequence[Callable[[], T]]) -> list[T]:
    """Runs all works at once, each in a thread of its own; raises what one of them raised."""
    start = Barrier(len(works))

    def run(work: Callable[[], T]) -> T:
        start.wait()
        return work()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(run, works))
