"""Where the views of the API register, each by the name of its row."""

from __future__ import annotations

from typing import Final

from mock_server.contract.operations import BY_NAME
from mock_server.http.binding import Endpoints
from mock_server.http.pipeline import walk

ENDPOINTS: Final = Endpoints(BY_NAME, walk)
"""What answers each operation, by its name."""
view = ENDPOINTS.view
"""Registers a view by the name of its row."""
