"""The stand-in's own server for a test, without a socket."""

from __future__ import annotations

import pytest

from tests.clocks import ManualClock
from tests.wire import Wire, wire


@pytest.fixture
def api() -> Wire:
    return wire(clock=ManualClock())
