"""The mocked API. Its views are imported with the first call of one: a server listens without them."""

from __future__ import annotations

from mock_server.api.binding import ENDPOINTS as ENDPOINTS


def _load() -> None:
    from mock_server.api import (  # noqa: F401  # each registers its views
        analytics,
        customers,
        disputes,
        events,
        payments,
        refunds,
        setup,
    )


ENDPOINTS.import_views = _load
