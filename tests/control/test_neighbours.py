"""What other workspaces do is seen in no byte of this one: its answers, its records, its pages, whatever they call."""

from __future__ import annotations

import random
import re
from functools import cache
from itertools import count
from typing import Any, Final

import pytest

from mock_server.contract.operation import Operation
from tests.api.places import workspace
from tests.clocks import ManualClock
from tests.control.full_workspace import full
from tests.control.reading_all import Bare, looks
from tests.counts import times
from tests.routes.good import GOOD, caller
from tests.routes.hostile import FAR, ROWS, control
from tests.wire import Reply, Wire, wire

KEY: Final = "snd_this_workspace_01"
OF_THE_SERVER: Final = ("readyz", "metrics", "workspaces", "verdicts", "reset", "take_snapshot")
"""What is about all workspaces; the snapshots too, whose names are the server's."""
ACTS: Final = [row for row in ROWS if row.name not in FAR and row.name.removeprefix("control.") not in OF_THE_SERVER]
DRAWN: Final = re.compile(rb"req_\w{20}|\b\d+(-\d+){5}\b|(?<=-)[0-9a-f#]{32}|boundary=\w+")
"""Ids of calls are drawn for all; a page's mark has the number of its workspace, and a form the client's boundary."""
NOT_PROMISED: Final = ("X-Request-Id", "Content-Length")
Seen = list[tuple[str, int, bytes, dict[str, str]]]


def seen(what: str, reply: Reply) -> tuple[str, int, bytes, dict[str, str]]:
    headers = {name: value for name, value in reply.headers.items() if name not in NOT_PROMISED}
    return what, reply.status, DRAWN.sub(b"", reply.raw), headers


class Recorded(Wire):
    """This workspace's client: another workspace makes a call before each of its own."""

    def __init__(self, others: list[Operation]) -> None:
        made = wire(clock=ManualClock())
        super().__init__(made.app, made.sandbox, KEY)
        self.answers: Seen = []
        self._others, self._numbers = iter(others), count()

    def call(self, method: str, path: str, body: object = None, **more: Any) -> Reply:
        self.others()
        reply = super().call(method, path, body, **more)
        self.answers.append(seen(f"{method} {path}", reply))
        return reply

    def others(self, most: int = 1) -> None:
        """The next calls of other workspaces, each in its own."""
        for _, row in zip(range(most), self._others, strict=False):
            other = self.as_key(f"snd_another_{next(self._numbers):08}")
            good = GOOD[row.name](other) if row.name in GOOD else control(other, row)
            good.sent(caller(other, row) if row.name in GOOD else other, row)


def told(others: list[Operation]) -> Seen:
    """Every answer to this workspace's calls, and then all that it shows, while others make these calls."""
    client = Recorded(others)
    full(client)
    client.others(len(others))
    bare = Bare(client)
    shown = looks(workspace(client), KEY)
    return client.answers + [
        seen(str(look), bare.call(*look)) for look in shown if not look.path.endswith(OF_THE_SERVER)
    ]


@cache
def alone() -> Seen:
    return told([])


@pytest.mark.parametrize("seed", range(times(1, soak=30)))
def test_no_byte_depends_on_other_workspaces(seed: int) -> None:
    others = random.Random(seed).sample(ACTS, times(70, soak=len(ACTS)))
    for mine, beside in zip(alone(), told(others), strict=True):
        assert beside == mine
