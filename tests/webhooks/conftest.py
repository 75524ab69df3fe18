"""What tests of webhooks share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.webhooks.busy import Busy, busy_mall
from tests.webhooks.shops import Mall, mall


@pytest.fixture
def shopping() -> Mall:
    """A server whose events go to a shop in this process."""
    return mall()


@pytest.fixture
def busy() -> Iterator[Busy]:
    """A server with real threads, and a shop that answers only when it is let."""
    made = busy_mall()
    yield made
    made.door.is_open.set()
    made.mall.api.sandbox.stop()
