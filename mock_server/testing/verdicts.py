"""The verdict on what called a workspace, for tests."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from mock_server.clock import SystemClock
from mock_server.verdict.evidence import gathered, read
from mock_server.verdict.judging import NOTHING, Baseline, Verdict, judge

if TYPE_CHECKING:
    from mock_server.testing.control import Control


def verdict_of(control: Control, base: str, baseline: Baseline = NOTHING) -> Verdict:
    """Holds the rules against everything that a workspace keeps."""
    evidence = read(gathered(lambda path: control.get(f"/{path}")))
    return judge(evidence, baseline, datetime.fromtimestamp(SystemClock().now_ms() / 1000, UTC).date(), base=base)
