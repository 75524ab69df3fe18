"""The mocked API. Its views come in with the first call of any of them: a server listens without them."""

from __future__ import annotations

from mock_server.api.binding import ENDPOINTS as ENDPOINTS


def _load() -> None:
    from mock_server.api import (  # noqa: F401  # each registers its views
        analytics,
        customers,
        events,
        payments,
        refunds,
        setup,
    )


ENDPOINTS.load = _load
