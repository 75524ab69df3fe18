"""The page of the verdict: what the last calls of a workspace say of its client."""

from __future__ import annotations

from typing import Final
from urllib.parse import parse_qsl

from mock_server.dashboard.visit import PageContent, Visit
from mock_server.verdict.evidence import gathered, read
from mock_server.verdict.judging import State, judge
from mock_server.verdict.reporting import summary

LAST: Final = 1_000
"""So many calls are judged on a page that is made anew as calls come (ours); the command judges them all."""


def verdict(visit: Visit) -> PageContent:
    """What was done wrong, and what was not judged."""
    found = judge(read(gathered(lambda path: _ask(visit, path))))
    return PageContent(
        {
            "summary": summary(found),
            "is_judged": found.is_judged,
            "found": found.of(State.FOUND),
            "missing": found.of(State.NOT_JUDGED),
            "last": LAST,
        }
    )


def _ask(visit: Visit, path: str) -> object:
    name, _, query = path.partition("?")
    asked = {**dict(parse_qsl(query)), "limit": str(LAST)}
    return visit.ask(f"control.{name}", list(asked.items()))
