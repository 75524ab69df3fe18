"""Threads share what they free: with a heap for each, many restores at once kept the memory of all of them."""

from __future__ import annotations

import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import pytest

from tests.lasting.shop import call
from tests.running import RunningSandbox

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the kernel is asked in Linux's way")

HEAP: Final = 64 << 20
"""Bytes that the C library reserves for each heap, which begins at a multiple of it."""


def heaps(sandbox: RunningSandbox) -> int:
    """How many heaps there are besides that of the process."""
    maps = Path(f"/proc/{sandbox.process.pid}/maps").read_text()
    begins = re.findall(r"^([0-9a-f]+)-[0-9a-f]+ rw-p 00000000 00:00 0 *$", maps, re.MULTILINE)
    return sum(int(begin, 16) % HEAP == 0 for begin in begins)


def test_threads_share_their_heaps() -> None:
    with RunningSandbox(anew=True) as sandbox, ThreadPoolExecutor(16) as clients:
        port = sandbox.ready["port"]
        made = list(clients.map(lambda number: call(port, "PUT", f"/_sandbox/snapshots/s{number}")[0], range(64)))
        assert set(made) == {200}
        assert heaps(sandbox) <= 4
