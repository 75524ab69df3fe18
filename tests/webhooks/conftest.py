"""What tests of webhooks share."""

from __future__ import annotations

import pytest

from tests.webhooks.shops import Mall, mall


@pytest.fixture
def shopping() -> Mall:
    """A server whose events go to a shop in this process."""
    return mall()
