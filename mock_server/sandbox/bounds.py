"""How much of each sort is kept, in one workspace and in all, and how it is told that something fell out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Final

from mock_server.domain.delivery import INBOX
from mock_server.engine.outbox import forget_oldest
from mock_server.metrics.counts import Counts
from mock_server.settings import Settings
from mock_server.store.memory import MemoryStore
from mock_server.store.scales import Most

_LOG: Final = logging.getLogger("mock_server.sandbox")
TOLD_EVERY: Final = 10_000
"""The log tells of the first entry of a sort that falls out, and then of one among so many."""
DROPPED: Final = "what is kept (%s) is full, so the oldest goes: %d so far (settings %s, %s_bytes, %s_bytes_total)"


def bounded(
    settings: Settings, on_evict: Callable[[str, str], object], on_drop: Callable[[Mapping[str, int]], None]
) -> MemoryStore:
    """A store that keeps as much as the settings say."""
    return MemoryStore(
        max_spaces=settings.workspaces,
        bounds={"journal": settings.journal, "inbox": settings.inbox, "attempts": settings.inbox},
        max_claims=settings.idempotency,
        most=bounds_of(settings),
        forget={INBOX: forget_oldest},
        on_evict=on_evict,
        on_drop=on_drop,
    )


def tell(counts: Counts, fallen: Mapping[str, int]) -> None:
    """Counts what fell out, and tells the log of it now and then."""
    for sort, count in fallen.items():
        so_far = counts.fell_out(sort, count)
        if so_far == count or so_far // TOLD_EVERY > (so_far - count) // TOLD_EVERY:
            _LOG.info(DROPPED, sort, so_far, sort, sort, sort)


def bounds_of(settings: Settings) -> Mapping[str, Most]:
    """The bounds by sort."""
    return {
        "journal": Most(settings.journal_bytes, settings.journal_bytes_total),
        "inbox": Most(settings.inbox_bytes, settings.inbox_bytes_total),
        "idempotency": Most(settings.idempotency_bytes, settings.idempotency_bytes_total),
        "evidence": Most(settings.evidence_bytes, settings.evidence_bytes_total),
        "scenarios": Most(settings.scenarios_bytes, settings.scenarios_bytes_total),
        "snapshots": Most(settings.snapshots_bytes, settings.snapshots_bytes),
    }
