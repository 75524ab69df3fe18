"""The instant that a body is read at: what "in the future" is measured against (ours).

A schema's rules take a value and nothing else, so the one thing that they need beside it stands here while a load runs.
"""

from __future__ import annotations

from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

from mock_server.domain.instants import DAY_MS

NOW_MS: Final[ContextVar[int]] = ContextVar("now_ms")

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def month_now() -> str:
    """The present year and month, `202601`: later months are greater texts."""
    return _month_of(NOW_MS.get() // DAY_MS)


@lru_cache(maxsize=64)
def _month_of(day: int) -> str:
    return f"{_EPOCH + timedelta(days=day):%Y%m}".rjust(6, "0")
