"""Where the views of the control API register, each by the name of its row."""

from __future__ import annotations

from typing import Final

from mock_server.contract.control_operations import BY_NAME
from mock_server.control.stages import walk
from mock_server.http.binding import Endpoints

ENDPOINTS: Final = Endpoints(BY_NAME, walk)
"""What answers each call, by its operation's name."""
view = ENDPOINTS.view
"""Registers a view by the name of its row."""
