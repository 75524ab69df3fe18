"""What a call looks like to somebody who holds the socket, and a sandbox that is served on a thread."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from mock_server.domain.api_keys import ApiKey, parse
from mock_server.front import serve
from mock_server.sandbox import Sandbox, build
from mock_server.scenario.story.over_http import OverHttp
from mock_server.settings import Settings
from tests.wire import card_payment

KEY = "snd_scenarios_over_sockets"
PATIENCE_S = 3600.0  # longer than the suite lets a test run


@dataclass(frozen=True, slots=True)
class Seen:
    """What came over a raw socket, and how the connection ended: `closed`, `reset`, or `open` still."""

    raw: bytes
    end: str

    @property
    def body(self) -> bytes:
        return self.raw.partition(b"\r\n\r\n")[2]

    @property
    def status(self) -> int:
        return int(self.raw.split(b" ", 2)[1])

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def api_key(text: str = KEY) -> ApiKey:
    key = parse(text)
    assert isinstance(key, ApiKey)
    return key


def raw_call(
    base: str,
    method: str,
    path: str,
    body: object = None,
    headers: Mapping[str, str] | None = None,
    patience_s: float | None = PATIENCE_S,
) -> Seen:
    """Sends one request byte by byte as HTTP/1.1 with `Connection: close`, and reads to the end."""
    data = b"" if body is None else json.dumps(body).encode()
    lines = [f"{method} {path} HTTP/1.1", "Host: sandbox", "Connection: close", f"Content-Length: {len(data)}"]
    lines += ["Content-Type: application/json"]
    lines += [f"{name}: {value}" for name, value in {"api-key": KEY, **(headers or {})}.items()]
    host = urlsplit(base)
    with socket.create_connection((host.hostname or "", host.port or 0), timeout=patience_s) as line:
        line.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + data)
        return _read(line)


def _read(line: socket.socket) -> Seen:
    raw = b""
    try:
        while piece := line.recv(65_536):
            raw += piece
    except ConnectionResetError:
        return Seen(raw, "reset")
    except TimeoutError:
        return Seen(raw, "open")
    return Seen(raw, "closed")


def pay(base: str, headers: Mapping[str, str] | None = None, **fields: Any) -> Seen:
    return raw_call(base, "POST", "/payments", {**card_payment(), "confirm": True, **fields}, headers)


def control(base: str, method: str, path: str, body: object = None) -> Any:
    seen = raw_call(base, method, f"/_sandbox/{path}", body)
    assert seen.status == 200, seen.raw
    return seen.json


@contextmanager
def served(**settings: Any) -> Iterator[tuple[str, Sandbox]]:
    """A sandbox on a thread of this process, as the command serves it: its address, and what is behind it."""
    sandbox = build(Settings(**{"seed": "e2e", "rate_limit": 0, **settings}))
    with serve(sandbox, "127.0.0.1", 0) as server:
        yield server.address, sandbox


def client(base: str, key: str = KEY, patience_s: float = PATIENCE_S) -> OverHttp:
    return OverHttp(base, api_key(key), patience_s=patience_s)


def put(base: str, name: str, text: str) -> None:
    """Adds a scenario and turns it on."""
    one = client(base)
    reply = one.send("PUT", f"/_sandbox/scenarios/{name}", text.encode(), "application/yaml")
    assert reply.status == 200, reply.body
    control(base, "POST", f"scenarios/{name}/activate")
