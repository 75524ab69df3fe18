"""Each door is opened once, and each mutant put into one server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache

import pytest

from mock_server.conformance.client import Suite
from tests.conformance.doors import opened
from tests.conformance.mutants.server import MutantServer


@pytest.fixture(scope="session")
def suites() -> Iterator[Callable[[str], Suite]]:
    """The suite before a door, which is opened when it is first asked for."""
    with ExitStack() as stack:
        yield cache(lambda door: stack.enter_context(opened(door)))


@pytest.fixture(scope="session")
def server() -> Iterator[MutantServer]:
    """A server that one mutant after another is put into."""
    made = MutantServer()
    yield made
    made.stop()
