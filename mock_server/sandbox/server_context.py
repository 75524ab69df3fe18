"""What every workspace has of the server around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from mock_server.clock import Clock
from mock_server.contract.dialect import Dialect
from mock_server.domain.instructions import QrImage
from mock_server.settings import Settings

if TYPE_CHECKING:
    from mock_server.sandbox.delivering import Delivering
    from mock_server.sandbox.signal import Signal
    from mock_server.sandbox.workspace import Workspace
    from mock_server.scenario.loading.library import Library


class ServerContext(Protocol):
    """The server as its workspaces know it."""

    settings: Settings
    clock: Clock
    dialect: Dialect
    qr_image: QrImage | None
    link_base: str
    post: Delivering
    stirred: Signal
    shelf: Signal

    @property
    def library(self) -> Library:
        """The server's scenarios."""
        ...

    def wake(self, workspace: Workspace | None = None) -> None:
        """Says that something falls due sooner than was known: in this workspace, or in any."""
        ...
