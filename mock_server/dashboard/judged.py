"""The page of the verdict on a workspace's client."""

from __future__ import annotations

from typing import Final

from mock_server.dashboard.visit import PageContent, Visit
from mock_server.sandbox.workspace import JOURNAL
from mock_server.story.payment_history import last_of
from mock_server.verdict.judging import State, judge
from mock_server.verdict.memory import of_workspace
from mock_server.verdict.reporting import summary

LAST: Final = 500
"""How many of the last calls and events the page checks, as it is often refreshed (ours); the command checks all."""


def verdict(visit: Visit) -> PageContent:
    """What was found, and what was not checked."""
    found = judge(of_workspace(visit.workspace, max(0, last_of(visit.workspace.space, JOURNAL) - LAST), LAST))
    return PageContent(
        {
            "summary": summary(found),
            "is_judged": found.is_judged,
            "found": found.of(State.FOUND),
            "missing": found.of(State.NOT_JUDGED),
            "last": LAST,
        }
    )
