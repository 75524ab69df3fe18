"""Every command that calls a sandbox, with the URL of another server: one message that says so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread
from typing import Final

import pytest

from tests.cli.leaves import CALLING, LEAVES, READY, Leaf, complaint, ids, typed
from tests.counts import times

ANSWERS: Final = {
    "nothing": b"",
    "no HTTP": b"\x00\x01\r\n\r\n",
    "an empty answer": b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    "a page": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>",
    "an array": b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]",
    "a number": b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n1",
    "an object": b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
    "data": b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{"data":[1]}',
    "too deep": b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + b'{"data":' * 6_000,
    "too deep a list": b"HTTP/1.1 404 No\r\nContent-Type: application/json\r\n\r\n" + b"[" * 20_000,
    "half of it": b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
    "another encoding": b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n"\xff"',
    "a broken chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc",
    "a long header": b"HTTP/1.1 200 OK\r\nX: " + b"a" * 70_000 + b"\r\n\r\n",
    "many headers": b"HTTP/1.1 200 OK\r\n" + b"X: 1\r\n" * 200 + b"\r\n",
    "a redirect": b"HTTP/1.1 302 Found\r\nLocation: /login\r\nContent-Length: 0\r\n\r\n",
    "not found": b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nnot found",
    "an error": b'HTTP/1.1 500 Oh\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{"error":12}',
}
MARKS: Final = (b"\r\n", b"\r\nX-Request-Id: 7b2f3a6e-0000-4c3f-9d5e-0123456789ab\r\n")
"""The end of the first line; many servers give each answer an ID too."""
ASKING: Final = tuple(one for one in LEAVES if one.name in READY or one in CALLING)

OWN_NAMES: Final = re.compile(
    r"\b[A-Z]\w+(?:Error|Read|Line|Disconnected|Long|Exception)\b|gaierror|Errno|_ssl|\(b?'"
    r"|: (?:empty|truncated|reset|malformed);"
)
"""What only a program would say of a broken connection."""


@contextmanager
def another(answer: bytes) -> Iterator[str]:
    """A server that gives this answer to everything, and closes."""

    class Handler(StreamRequestHandler):
        def handle(self) -> None:
            while self.rfile.readline().strip():
                pass
            self.wfile.write(answer)

    class Other(ThreadingTCPServer):
        daemon_threads = True
        allow_reuse_address = True

    with Other(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.mark.parametrize("leaf", ASKING, ids=ids)
def test_another_server_is_told_from_a_sandbox(leaf: Leaf) -> None:
    at, few = ASKING.index(leaf), times(3, soak=len(ANSWERS))
    for name in (list(ANSWERS) * 2)[at % len(ANSWERS) :][:few]:
        at += 1
        with another(ANSWERS[name].replace(b"\r\n", MARKS[at % 2], 1)) as url:
            words = [*leaf.line, "--url", url, *(["--timeout", "1ms"] if leaf.name == "wait" else [])]
            words += ["--no-follow"] if leaf.has("--no-follow") else []
            said = complaint(typed(words), 2 if leaf.name == "verdict" else 1)
        assert any(part in said for part in ("is another server", "cannot reach")), (name, said)
        assert not OWN_NAMES.search(said), (name, said)


@pytest.mark.parametrize("leaf", ASKING, ids=ids)
def test_what_cannot_be_reached_is_said_in_words(leaf: Leaf) -> None:
    for url in ("http://no-such-host.invalid", "https://127.0.0.1:9"):
        words = [*leaf.line, "--url", url, *(["--timeout", "1ms"] if leaf.name == "wait" else [])]
        words += ["--no-follow"] if leaf.has("--no-follow") else []
        said = complaint(typed(words), 2 if leaf.name == "verdict" else 1)
        assert f"cannot reach {url}: the " in said
        assert not OWN_NAMES.search(said), said
