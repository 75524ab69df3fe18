"""The rules of the verdict and the cases of the probe, as tables."""

from __future__ import annotations

from mock_server.cli.tables import Table
from mock_server.verdict.probing import CASES
from mock_server.verdict.rules import RULES


def rules() -> Table:
    """What a client is held against."""
    columns = ("rule", "severity", "what is found", "needs", "why it hurts", "what to do", "source")
    return Table(columns, tuple((r.id, r.severity, r.title, r.occasion, r.why, r.do, r.source) for r in RULES))


def cases() -> Table:
    """What a receiver is sent."""
    columns = ("case", "a receiver", "why", "after")
    return Table(columns, tuple((one.id, one.expects, one.reason, one.after) for one in CASES))
