"""App and server together: what the server refuses by itself speaks like everything else."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from mock_server.clock import SystemClock
from mock_server.domain.limits import MULTIPART_FRAME
from mock_server.front import largest_body, may_block, refused, serve
from mock_server.sandbox import Sandbox, build
from mock_server.settings import Settings

EVERY_ANSWER = {"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-Id"}


@pytest.fixture
def sandbox() -> Sandbox:
    return build(Settings(max_body=2_048, max_evidence_body=4_096, max_control_body=8_192), clock=SystemClock())


@pytest.fixture
def address(sandbox: Sandbox) -> Iterator[tuple[str, int]]:
    with serve(sandbox, "127.0.0.1", 0) as server:
        yield "127.0.0.1", server.port


def exchange(address: tuple[str, int], sent: bytes) -> tuple[int, set[str], Any]:
    """Send bytes; return status, names of headers and body of the answer."""
    with socket.create_connection(address) as connection:
        connection.sendall(sent)
        received = b""
        while piece := connection.recv(65_536):
            received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    return int(lines[0].split()[1]), {line.split(":")[0] for line in lines[1:]}, json.loads(body)


@pytest.mark.parametrize(
    ("sent", "status", "code"),
    [
        (b"nonsense\r\n\r\n", 400, "IR_06"),
        (b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414, "IR_06"),
        (b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 70_000 + b"\r\n\r\n", 431, "IR_06"),
        (b"POST /payments HTTP/1.1\r\nHost: x\r\nContent-Length: 4097\r\n\r\n", 413, "IR_06"),
        (b"GET / HTTP/3.0\r\nHost: x\r\n\r\n", 505, "IR_06"),
    ],
    ids=["not http", "long line", "large head", "large body", "version"],
)
def test_bad_requests_are_answered_in_the_envelope(
    address: tuple[str, int], sent: bytes, status: int, code: str
) -> None:
    answered, headers, body = exchange(address, sent)
    assert answered == status
    assert body["error"]["code"] == code
    assert headers >= EVERY_ANSWER


def test_failures_of_the_server_have_a_reference(sandbox: Sandbox) -> None:
    answered, headers, body = refused(sandbox, 500, "the server failed")
    said = json.loads(body)["error"]
    assert answered == 500
    assert said["code"] == "HE_00"
    assert said["message"].endswith(f" {dict(headers)['X-Request-Id']}.")
    assert dict(headers).keys() >= EVERY_ANSWER


@pytest.mark.parametrize("path", ["/_sandbox/worlds", "/_sandbox/ui", "/analytics/v1/metrics/payments"])
def test_a_server_with_all_hands_full_says_when_to_come_again(sandbox: Sandbox, path: str) -> None:
    with serve(sandbox, "127.0.0.1", 0, max_working=0) as server:
        place = "127.0.0.1", server.port
        status, headers, body = exchange(
            place, b"GET %b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" % path.encode()
        )
        other, _, _ = exchange(place, b"GET /payments/list HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    assert (status, body["error"]["code"], headers >= {*EVERY_ANSWER, "Retry-After"}) == (503, "SB_01", True)
    assert other == 401  # what does not take long goes on


def test_the_limit_is_said(sandbox: Sandbox) -> None:
    _, _, body = refused(sandbox, 413, "the body is larger than 4096 bytes")
    assert "4096" in json.loads(body)["error"]["message"]
    _, _, body = refused(sandbox, 413, "Content-Length is too large")
    assert "2048" in json.loads(body)["error"]["message"]


def test_the_control_api_may_wait_and_takes_more(sandbox: Sandbox) -> None:
    assert (may_block("/_sandbox/journal"), largest_body(sandbox, "/_sandbox/snapshots/a")) == (True, 8_192)
    assert (may_block("/payments"), largest_body(sandbox, "/payments")) == (False, 2_048)


@pytest.mark.parametrize("path", ["/files", "/files/", "/disputes/evidence"])
def test_uploads_take_a_file_of_the_largest_size_with_the_form_around_it(sandbox: Sandbox, path: str) -> None:
    assert largest_body(sandbox, path) == 4_096 + MULTIPART_FRAME
