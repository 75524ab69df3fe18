"""The ways in: the same server in a thread of this process, in a process of its own, and in a container."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from mock_server.cli.conformance import listening
from mock_server.clock import SystemClock
from mock_server.conformance.answer import INTERFACE
from mock_server.conformance.checks import CHECKS
from mock_server.conformance.client import Check, Suite, spoken
from mock_server.conformance.target import NONE, Ability, ConformanceTarget, Means
from mock_server.testing.servers import SandboxServer
from tests.conformance.mutants.server import names
from tests.running import RunningSandbox

CONTAINER: Final = os.environ.get("PAYMENT_SANDBOX_CONTAINER_URL")
"""Where a container serves that was begun for these tests."""
LISTENER: Final = os.environ.get("PAYMENT_SANDBOX_CONTAINER_LISTENER", NONE)
"""The host under which that container reaches this machine; without it nothing is asked about webhooks."""
DOORS: Final = ("thread", "process", *(["container"] if CONTAINER else []))


@contextmanager
def opened(door: str) -> Iterator[Suite]:
    """The suite before one of the doors."""
    match door:
        case "thread":
            with SandboxServer() as server:
                yield from before(ConformanceTarget(url=server.url))
        case "process":
            with RunningSandbox() as sandbox:
                yield from before(ConformanceTarget(url=sandbox.base))
        case _:
            yield from before(ConformanceTarget(url=CONTAINER or "", listener=LISTENER))


def before(target: ConformanceTarget) -> Iterator[Suite]:
    suite = Suite(target, Means(SystemClock(), names(), listening))
    yield suite
    suite.close()


def can_ask(door: str, check: Check) -> bool:
    """Whether a check says anything at this door."""
    return door != "container" or LISTENER != NONE or Ability.LISTENER not in check.needs


ASKED: Final = [(door, check) for door in DOORS for check in spoken(CHECKS, INTERFACE) if can_ask(door, check)]
