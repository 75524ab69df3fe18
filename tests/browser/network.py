"""Whether the machine's network has changed: Chromium then breaks off whatever it loads, this machine's pages too."""

from __future__ import annotations

import atexit
import socket
import sys
from contextlib import suppress
from typing import Final

GROUPS: Final = 0x1 | 0x10 | 0x100
"""What the kernel tells: of links, of IPv4 addresses and of IPv6 addresses (`RTMGRP_…` of rtnetlink(7))."""


class Network:
    """Listens to what Chromium listens to. Where there is no such thing, or it is forbidden, nothing ever changes."""

    def __init__(self) -> None:
        self._told: socket.socket | None = None
        if sys.platform == "linux":
            with suppress(OSError):
                told = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_NONBLOCK)
                atexit.register(told.close)
                told.bind((0, GROUPS))
                self._told = told

    def changed(self) -> bool:
        """Return whether anything changed since this was asked last."""
        changed = False
        while self._told is not None:
            try:
                self._told.recv(1 << 16)
            except BlockingIOError:
                break
            except OSError:  # more was told than is kept until it is read
                pass
            changed = True
        return changed
