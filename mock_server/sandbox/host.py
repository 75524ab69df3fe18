"""What every world has of the server around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from mock_server.clock import Clock
from mock_server.domain.instructions import QrImage
from mock_server.settings import Settings

if TYPE_CHECKING:
    from mock_server.scenario.model import Scenario


class Host(Protocol):
    """The server as its worlds know it."""

    settings: Settings
    clock: Clock
    qr_image: QrImage | None
    link_base: str

    def find_scenario(self, name: str) -> Scenario | None:
        """The scenario of a name, or None."""
        ...

    def wake(self) -> None:
        """Says that something falls due sooner than was known."""
        ...
