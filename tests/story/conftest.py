"""A server whose clock stands, so that the texts of stories are always the same."""

from __future__ import annotations

import pytest

from tests.wire import Wire, wire


@pytest.fixture
def api() -> Wire:
    """A client of a fresh server, with a frozen clock."""
    made = wire()
    made.post("/_sandbox/clock/freeze")
    return made
