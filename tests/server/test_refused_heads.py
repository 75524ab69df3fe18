"""What the server says of a head that is too large, for each of its limits; and of a request about itself."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

import pytest

from mock_server.http import redaction
from mock_server.server import parser
from mock_server.server.parser import METHODS, Limits
from tests.running import RunningSandbox

LIMITS: Final = Limits()
BEGINNING: Final = b"GET /health HTTP/1.1\r\nHost: localhost\r\n"
TOO_LARGE: Final[dict[str, tuple[bytes, int, str]]] = {
    "max_line": (b"GET /" + b"a" * LIMITS.max_line + b" HTTP/1.1\r\n", 414, f"{LIMITS.max_line} bytes"),
    "max_head": (BEGINNING + b"X: " + b"a" * LIMITS.max_head + b"\r\n", 431, f"{LIMITS.max_head} bytes"),
    "max_fields": (BEGINNING + b"X: a\r\n" * LIMITS.max_fields, 431, f"{LIMITS.max_fields} header fields"),
    "body": (BEGINNING + b"Content-Length: 99999999999\r\n", 413, "1048576 bytes"),
}
"""A head over each limit, the status, and the limit in words."""
NO_LIMIT_OF_A_HEAD: Final = {"short"}


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    with RunningSandbox() as sandbox:
        yield sandbox.base


def test_every_limit_is_tried() -> None:
    assert {*TOO_LARGE, *NO_LIMIT_OF_A_HEAD} == set(Limits.__struct_fields__)


@pytest.mark.parametrize("name", TOO_LARGE)
def test_a_refusal_says_which_limit_it_is(base: str, name: str) -> None:
    head, status, limit = TOO_LARGE[name]
    place = urlsplit(base)
    with socket.create_connection((place.hostname, place.port)) as connection:
        connection.sendall(head + b"\r\n")
        connection.shutdown(socket.SHUT_WR)
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        assert answer.status == status
        assert limit in json.loads(answer.read())["error"]["message"]


MISTAKES: Final = {
    "a path that climbs": b"HEAD /payments/../x HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "no host": b"HEAD /health HTTP/1.1\r\n\r\n",
    "another version": b"HEAD /health HTTP/2.0\r\n\r\n",
    "a bare line feed": b"HEAD /health HTTP/1.1\nHost: localhost\n\n",
    "an expectation": b"HEAD /health HTTP/1.1\r\nHost: localhost\r\nExpect: tea\r\n\r\n",
    **{name: head.replace(b"GET", b"HEAD", 1) + b"\r\n" for name, (head, _, _) in TOO_LARGE.items()},
}


@pytest.mark.parametrize("behind", [b"", b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"], ids=["first", "second"])
@pytest.mark.parametrize("name", MISTAKES)
def test_a_refused_head_has_no_body(base: str, name: str, behind: bytes) -> None:
    """A client takes what follows the head of an answer to HEAD for the next answer (RFC 9110 §9.3.2)."""
    place = urlsplit(base)
    with socket.create_connection((place.hostname, place.port)) as connection:
        connection.sendall(behind + MISTAKES[name])
        connection.shutdown(socket.SHUT_WR)
        with connection.makefile("rb") as answers:
            head, _, rest = answers.read().rpartition(b"HTTP/1.1 ")[2].partition(b"\r\n\r\n")
    assert head.startswith((b"4", b"505")) and b"Content-Length: " in head
    assert rest == b""


BROKEN: Final = {
    "no size": b"zz\r\n",
    "the next request": b"HEAD / HTTP/1.1\r\n",
    "longer than its size": b"1\r\nabcd\r\n",
    "too large": b"fffffffff\r\n",
    "a bad trailer": b"1\r\na\r\n0\r\nHEAD \r\n\r\n",
    "a long line": b"1;" + b"a" * 2_000,
    "many chunks": b"1\r\na\r\n" * 3_000,
}
"""Chunked bodies that are refused, after their whole head."""


@pytest.mark.parametrize("in_one", [True, False], ids=["in one", "in two"])
@pytest.mark.parametrize("method", ["HEAD", "POST"])
@pytest.mark.parametrize("name", BROKEN)
def test_only_an_answer_to_head_has_no_body(base: str, name: str, method: str, in_one: bool) -> None:
    """It depends on the request whose body is refused, and not on what has come of it since."""
    place = urlsplit(base)
    start = f"{method} /payments HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n".encode()
    with socket.create_connection((place.hostname, place.port)) as connection, connection.makefile("rb") as answers:
        if in_one:
            connection.sendall(start + b"\r\n" + BROKEN[name])
        else:
            connection.sendall(start + b"Expect: 100-continue\r\n\r\n")
            assert [answers.readline()[:12], answers.readline()] == [b"HTTP/1.1 100", b"\r\n"]
            connection.sendall(BROKEN[name])
        connection.shutdown(socket.SHUT_WR)
        head, _, rest = answers.read().partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 4")
    assert (rest == b"") is (method == "HEAD")


def test_a_request_about_the_server_gets_its_methods(base: str) -> None:
    connection = http.client.HTTPConnection(urlsplit(base).netloc)
    for method in sorted(METHODS):
        connection.request(method, "*", headers={"Origin": "https://shop.example"} if method == "GET" else {})
        answer = connection.getresponse()
        body = answer.read()
        if method == "OPTIONS":
            assert (answer.status, body, answer.headers["Allow"]) == (204, b"", ", ".join(sorted(METHODS)))
        else:
            assert answer.status == 400
            connection.close()


def test_no_long_name_of_a_header_is_remembered() -> None:
    for length in (10, 60, 100, 1_000, 10_000, 60_000):
        name = f"X-{length}-".ljust(length, "y")
        request = parser.parse_head(f"GET / HTTP/1.1\r\nHost: x\r\n{name}: 1".encode(), LIMITS)
        assert redaction.kept_headers(request.environ)
    assert max(map(len, parser._names)) <= 100
    assert max(map(len, redaction._header_names)) <= 300
