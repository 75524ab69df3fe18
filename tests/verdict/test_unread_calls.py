"""A verdict says how many calls it does not know, for whatever reason: "0 errors" is said of the others alone.

A journal can hold more than a question returns, and a saved answer may have been asked for a hundred.
"""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.verdict import reporting
from mock_server.verdict.evidence import MOST, gathered, read
from mock_server.verdict.rules import judge
from tests.counts import times
from tests.wire import wire


@pytest.mark.parametrize("made", [0, 1, 100, times(101, soak=1_500)])
@pytest.mark.parametrize("limit", ["", "?limit=1", "?limit=50", "?limit=10000"])
def test_a_saved_answer_of_the_journal(made: int, limit: str) -> None:
    api = wire()
    for _ in range(made):
        api.get("/health")
    saved = api.get(f"/_sandbox/journal{limit}").json
    verdict = judge(read(saved))
    assert verdict.dropped == made - len(saved["data"])
    said = [line for line in reporting.text(verdict) if "not checked" in line and line.endswith(f": {verdict.dropped}")]
    assert bool(said) == bool(verdict.dropped)
    assert reporting.as_json(verdict)["dropped"] == verdict.dropped


@pytest.mark.parametrize("dropped", [0, 3])
@pytest.mark.parametrize("by_hand", [0, MOST + 1])
@pytest.mark.parametrize("made", [5, MOST, MOST + 1, MOST + 700])
def test_a_running_sandbox_with_a_larger_journal(made: int, by_hand: int, dropped: int) -> None:
    rows = {"journal": [{"operation": "health.check"}] * made, "control": [{"operation": "control.reset"}] * by_hand}

    def get(path: str) -> Any:
        """As the control API answers: the newest of more."""
        if path.startswith("webhooks"):
            return {"data": []}
        found = rows["control" if "control.*" in path else "journal"]
        return {"data": found[-MOST:], "total_count": len(found), "dropped": dropped, "gaps_until": 0}

    assert read(gathered(get)).dropped == dropped + max(0, made - MOST) + max(0, by_hand - MOST)
