"""A story's client over HTTP: what it sends, what it reads, and how a broken connection is told."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Final
from urllib.parse import quote

import pytest

from mock_server.domain.api_keys import ApiKey, KeyKind
from mock_server.scenario.loading.load import load_mapping
from mock_server.scenario.story.over_http import AGENT, OverHttp
from mock_server.scenario.story.player import LineBroken, play
from mock_server.testing import SandboxServer
from tests.scenario.refusals import problems

KEY: Final = ApiKey(KeyKind.SECRET, "12345678")
JSON: Final = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Own: 1\r\nContent-Length: 8\r\n\r\n{"a": 1}'


class Listening:
    """A server that gives one answer to its first request, and keeps what was sent."""

    def __init__(self, answer: bytes | None) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.base = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.answer = answer
        self.sent = b""
        self.thread = Thread(target=self._serve)
        self.thread.start()

    def _serve(self) -> None:
        connection, _ = self._socket.accept()
        with connection, self._socket:
            while b"\r\n\r\n" not in self.sent:
                self.sent += connection.recv(65_536)
            if self.answer is None:  # held until the client goes
                while connection.recv(65_536):
                    pass
            else:
                connection.sendall(self.answer)

    @property
    def head(self) -> dict[str, str]:
        lines = self.sent.split(b"\r\n\r\n")[0].decode().split("\r\n")
        return {"": lines[0], **dict(line.lower().split(": ", 1) for line in lines[1:])}


@contextmanager
def listening(answer: bytes | None = JSON) -> Iterator[Listening]:
    server = Listening(answer)
    try:
        yield server
    finally:
        server.thread.join()


@pytest.mark.parametrize("key", [KEY, None])
@pytest.mark.parametrize("token", ["secret", None])
@pytest.mark.parametrize("path", ["/payments", "/_sandbox/clock"])
def test_a_request_has_its_key_and_its_token(key: ApiKey | None, token: str | None, path: str) -> None:
    with listening() as server:
        client = OverHttp(f"{server.base}/below/", key, token=token)
        reply = client.request("POST", path, {"b": 2}, {"X-Idempotency-Key": "once"})
    assert (reply.status, reply.body, reply.headers["x-own"]) == (200, {"a": 1}, "1")
    assert server.head[""] == f"POST /below{path} HTTP/1.1"
    assert server.head.get("api-key") == (key.text if key else None)
    assert server.head.get("x-sandbox-token") == (token if "_sandbox" in path else None)
    assert (server.head["user-agent"], server.head["x-idempotency-key"]) == (AGENT, "once")
    assert server.head["content-type"] == "application/json"
    assert client.publishable_key == ("pk_snd_12345678" if key else "")


TEXTS: Final = (
    "a b",
    "x/capture",
    "..",
    "a?b",
    "#",
    "%2F",
    "é",
    "日本",
    "😀",
    "x\ny",
    "a\x00b",
    "\t",
    "'",
    "a;b",
    "a&b=c",
    "+",
)


@pytest.fixture(scope="module")
def running() -> Iterator[OverHttp]:
    with SandboxServer({"rate_limit": 0}) as server:
        yield OverHttp(server.url, KEY)


@pytest.mark.parametrize("text", TEXTS, ids=ascii)
def test_an_id_of_any_text_is_sent_as_it_is(text: str, running: OverHttp) -> None:
    """As a part of the path, not as a path of its own; what is no header ends its step in words, not the play."""
    find = {"do": "payments.retrieve", "of": text, "see": {"http": [400, 404], "error.message": {"exists": True}}}
    make = {"do": "payments.create", "with": {"amount": 1, "currency": "EUR", "description": text}, "as": "pay"}
    again = {"do": "payments.create", "with": make["with"], "key": "$pay.description"}
    found, made, keyed = play(load_mapping({"story": [find, make, again]}).scenario, running)
    assert f"/payments/{quote(text, safe='')}" in found.did and (found.holds or text == ".."), found
    assert made.holds, made
    is_header = text.isprintable() and all(ord(one) < 256 for one in text)
    assert keyed.holds is is_header and (is_header or keyed.got == "nothing was sent" or "400" in keyed.got), keyed
    assert bool(problems({"story": [{**make, "key": text}]})) is (not is_header and text != "\t")


def test_a_request_without_a_body_says_nothing_of_its_type() -> None:
    with listening() as server:
        OverHttp(server.base, KEY).request("GET", "/payments", None, {})
    assert "content-type" not in server.head
    assert server.sent.endswith(b"\r\n\r\n")


@pytest.mark.parametrize(
    ("answer", "how"),
    [
        (b"", "empty"),
        (JSON[:-1], "truncated"),
        (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n{", "malformed"),
        (b"HTTP/1.1 200 OK\r\n" + b"x" * 70_000, "reset"),
        (None, "timeout"),
    ],
)
def test_a_broken_connection_is_told_by_how_it_broke(answer: bytes | None, how: str) -> None:
    with listening(answer) as server, pytest.raises(LineBroken) as broken:
        OverHttp(server.base, KEY, patience_s=0.05 if answer is None else 5).request("GET", "/payments", None, {})
    assert broken.value.how == how
    assert str(broken.value) == f"the connection failed: {how}"


def test_where_nobody_listens_there_is_no_answer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(OSError, match="refused"):
        OverHttp(f"http://127.0.0.1:{port}", KEY).request("GET", "/payments", None, {})
