"""A running sandbox, for the commands that the tests of a file call."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.running import RunningSandbox


@pytest.fixture(scope="module")
def sandbox() -> Iterator[RunningSandbox]:
    """A server with default settings, in a process of its own."""
    with RunningSandbox() as running:
        yield running
