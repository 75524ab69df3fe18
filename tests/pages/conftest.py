"""A fresh server for every test of the pages."""

from __future__ import annotations

import pytest

from tests.clocks import ManualClock
from tests.wire import Wire, wire


@pytest.fixture
def clock() -> ManualClock:
    """The real time of the server under test."""
    return ManualClock()


@pytest.fixture
def api(clock: ManualClock) -> Wire:
    """A client of a fresh server, without a rate limit."""
    return wire(clock=clock)
