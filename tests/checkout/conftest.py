"""The stand-in's own server for a test, without a socket."""

from __future__ import annotations

import pytest

from mock_server.clock import ManualClock
from tests.wire import Wire, wire


@pytest.fixture
def api() -> Wire:
    return wire(clock=ManualClock())
