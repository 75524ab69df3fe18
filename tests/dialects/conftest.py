"""A server in the public dialect, for the tests of a file."""

from __future__ import annotations

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from tests.wire import Wire, wire


@pytest.fixture(scope="module")
def api() -> Wire:
    """A client of a server that speaks the public dialect."""
    return wire(dialect=HYPERSWITCH)
