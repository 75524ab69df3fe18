"""What the loop can wait with on this machine."""

from __future__ import annotations

import select
from collections.abc import Callable
from typing import Final

from mock_server.server.loop import Epoll, Poller, Selector

MAKERS: Final[dict[str, Callable[[], Poller]]] = {
    **({"epoll": Epoll} if hasattr(select, "epoll") else {}),
    "selector": Selector,
}
