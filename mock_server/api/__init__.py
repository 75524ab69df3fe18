"""The mocked API. Its views come in with the first call of any of them: a server listens without them."""

from __future__ import annotations

from mock_server.api.binding import ENDPOINTS as ENDPOINTS


def _load() -> None:
    from mock_server.api import (  # noqa: F401  # each registers its views
        analytics,
        browser,
        customers,
        disputes,
        events,
        payments,
        refunds,
        setup,
        vault,
    )


ENDPOINTS.load = _load
