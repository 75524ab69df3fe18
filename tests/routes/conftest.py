"""What tests of single calls share: one server, at which each test is a merchant of its own."""

from __future__ import annotations

import itertools
from typing import Final

import pytest

from tests.clocks import ManualClock
from tests.wire import Wire, wire

NUMBERS: Final = itertools.count(1)


@pytest.fixture(scope="module")
def server() -> Wire:
    """One server for all tests of a file."""
    return wire(clock=ManualClock())


@pytest.fixture
def api(server: Wire) -> Wire:
    return server.as_key(f"snd_merchant_{next(NUMBERS):06}")
