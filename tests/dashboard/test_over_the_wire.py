"""Many pages listen to a served sandbox: each is told at once, and no thread waits for any of them."""

from __future__ import annotations

import socket
from contextlib import ExitStack
from typing import Final
from urllib.parse import urlsplit

import httpx
import psutil

from mock_server.domain.api_keys import ApiKey, KeyKind
from tests.dashboard.visitor import HOME
from tests.running import RunningSandbox

PAGES: Final = 40
KEY: Final = ApiKey(KeyKind.SECRET, "many_pages_listen")


def test_listening_pages_cost_no_thread() -> None:
    with RunningSandbox() as sandbox, ExitStack() as stack:
        client = stack.enter_context(httpx.Client(base_url=sandbox.base, trust_env=False, timeout=None))
        client.get("/health", headers={"api-key": KEY.text})
        path = f"{HOME}/w_{KEY.digest}/live"
        seen = client.get(path).text.partition("data: ")[2].split()[0]
        pages = [stack.enter_context(listening(sandbox.base, f"{path}?seen={seen}")) for _ in range(PAGES)]
        client.get("/_sandbox/version")
        assert psutil.Process(sandbox.process.pid).num_threads() < PAGES // 2
        client.get("/health", headers={"api-key": KEY.text})
        assert [b"event: changed" in page.recv(65_536) for page in pages] == [True] * PAGES
        stack.enter_context(listening(sandbox.base, path))
        assert sandbox.stop()[0] == 0


def listening(base: str, path: str) -> socket.socket:
    place = urlsplit(base)
    made = socket.create_connection((str(place.hostname), place.port or 0))
    made.sendall(f"GET {path} HTTP/1.1\r\nHost: {place.netloc}\r\n\r\n".encode())
    return made
