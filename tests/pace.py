"""How fast this machine is at the moment: a limit of processor time means a quiet one."""

from __future__ import annotations

import time
from typing import Final

QUIET_S: Final = 0.006
"""What `_work` takes there: Debian's Python 3.11 on the machine of `docs/performance.md`, nothing beside it."""


def slowness() -> float:
    """By which factor the same work takes longer now, at the worst of a few moments; at least 1.

    Processor time is no fixed measure of work: who shares the core, its caches and its memory makes it longer.
    """
    took = []
    for _ in range(5):
        began = time.thread_time()
        _work()
        took.append(time.thread_time() - began)
    return max(1.0, max(took) / QUIET_S)


def _work() -> None:
    seen: dict[str, int] = {}
    for at in range(20_000):
        seen[f"key_{at % 997}"] = seen.get(f"key_{at % 991}", 0) + 1
