"""The mocked API. Its views come in with the first call of any of them: a server listens without them."""

from __future__ import annotations

from collections.abc import Mapping

from mock_server.http.context import Endpoint
from mock_server.http.express import Endpoints


def _endpoints() -> Mapping[str, Endpoint]:
    from mock_server.api.resources import RESOURCES

    return {name: endpoint for resource in RESOURCES for name, endpoint in resource.endpoints.items()}


ENDPOINTS = Endpoints(_endpoints)
"""What answers each operation, by its name."""
