"""What tests of webhooks share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

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
    with shop_of(busy_mall()) as made:
        yield made


@pytest.fixture
def hasty() -> Iterator[Busy]:
    """The same, with callers that soon wait no more for the shop: for tests of what happens then."""
    with shop_of(busy_mall(patience_s=0.2)) as made:
        yield made


@contextmanager
def shop_of(made: Busy) -> Iterator[Busy]:
    try:
        yield made
    finally:
        made.door.is_open.set()
        made.mall.api.sandbox.stop()
