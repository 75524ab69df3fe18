"""App and server together: what the server refuses by itself speaks like everything else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from mock_server.app import PAGES, Application
from mock_server.clock import SystemClock
from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.operation import WITH_BODY
from mock_server.contract.operations import OPERATIONS
from mock_server.domain.limits import MULTIPART_FRAME
from mock_server.front import body_allowed, refused, serve
from mock_server.http.browsers import READABLE
from mock_server.sandbox import Sandbox, build
from mock_server.server import BodyAllowed
from mock_server.settings import Settings
from tests.sockets import exchanged

EVERY_ANSWER = {
    "Access-Control-Allow-Origin",
    "Access-Control-Expose-Headers",
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
    "X-Request-Id",
}


@pytest.fixture
def sandbox() -> Sandbox:
    return build(
        Settings(max_body=2_048, max_evidence_body=4_096, max_control_body=8_192, max_snapshot=16_384),
        clock=SystemClock(),
    )


@pytest.fixture
def port(sandbox: Sandbox) -> Iterator[int]:
    with serve(sandbox, "127.0.0.1", 0) as server:
        yield server.port


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
def test_bad_requests_are_answered_in_the_envelope(port: int, sent: bytes, status: int, code: str) -> None:
    reply = exchanged(port, sent)
    assert reply.status == status
    assert reply.error["code"] == code
    assert reply.headers.keys() >= EVERY_ANSWER


@pytest.mark.parametrize("status", [400, 408, 411, 413, 414, 417, 431, 500, 501, 503, 505])
def test_a_page_can_read_whatever_is_refused_before_its_call_is_known(sandbox: Sandbox, status: int) -> None:
    """A browser shows its client a network error otherwise."""
    assert set(READABLE) <= set(refused(sandbox, status, "it is so")[1])


def test_failures_of_the_server_have_a_reference(sandbox: Sandbox) -> None:
    answered, headers, body = refused(sandbox, 500, "the server failed")
    said = json.loads(body)["error"]
    assert answered == 500
    assert said["code"] == "HE_00"
    assert said["message"].endswith(f" {dict(headers)['X-Request-Id']}.")
    assert dict(headers).keys() >= EVERY_ANSWER


@pytest.mark.parametrize("path", ["/_sandbox/workspaces", "/_sandbox/ui", "/analytics/v1/metrics/payments"])
def test_a_server_with_all_hands_full_says_when_to_come_again(sandbox: Sandbox, path: str) -> None:
    with serve(sandbox, "127.0.0.1", 0, max_working=0) as server:
        reply, other = (
            exchanged(server.port, b"GET %b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" % asked)
            for asked in (path.encode(), b"/payments/list")
        )
    assert (reply.status, reply.error["code"]) == (503, "SB_01")
    assert reply.headers.keys() >= {*EVERY_ANSWER, "Retry-After"}
    assert other.status == 401  # what does not take long goes on


def test_the_limit_is_said(sandbox: Sandbox) -> None:
    _, _, body = refused(sandbox, 413, "the body is larger than 4096 bytes", 4096)
    assert "4096" in json.loads(body)["error"]["message"]
    _, _, body = refused(sandbox, 413, "Content-Length is too large")
    assert "2048" in json.loads(body)["error"]["message"]


UPLOAD = 4_096 + MULTIPART_FRAME


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("POST", "/payments", BodyAllowed(2_048)),
        ("POST", "/payments/pay_1/capture", BodyAllowed(2_048)),
        ("GET", "/payments/pay_1", BodyAllowed(2_048, False)),
        ("PUT", "/payments", BodyAllowed(2_048, False)),
        ("POST", "/payments/aggregate", BodyAllowed(2_048, False)),
        ("DELETE", "/blocklist", BodyAllowed(2_048)),
        ("DELETE", "/payment_methods/pm_1", BodyAllowed(2_048, False)),
        ("POST", "/nowhere", BodyAllowed(2_048, False)),
        ("POST", "/files", BodyAllowed(UPLOAD)),
        ("PUT", "/disputes/evidence", BodyAllowed(UPLOAD)),
        ("POST", "/disputes/evidence", BodyAllowed(2_048)),
        ("PUT", "/_sandbox/snapshots/a", BodyAllowed(16_384)),
        ("POST", "/_sandbox/snapshots/a", BodyAllowed(2_048, False)),
        ("PUT", "/_sandbox/scenarios/a", BodyAllowed(8_192)),
        ("POST", "/_sandbox/clock/advance", BodyAllowed(2_048)),
        ("POST", "/_sandbox/nowhere", BodyAllowed(2_048, False)),
        ("POST", "/_sandbox/ui/place/scenarios/a", BodyAllowed(8_192)),
        ("POST", "/_sandbox/ui/place/payments/pay_1", BodyAllowed(2_048)),
        ("POST", "/_sandbox/docs", BodyAllowed(2_048, False)),
        ("POST", "/payments/redirect/pay_1/merchant/attempt", BodyAllowed(2_048)),
    ],
)
def test_how_large_a_body_may_be_and_whether_it_is_read(
    sandbox: Sandbox, method: str, path: str, allowed: BodyAllowed
) -> None:
    assert body_allowed(sandbox, Application(sandbox).express, method, path) == allowed


def test_no_route_that_takes_a_body_is_unknown(sandbox: Sandbox) -> None:
    """Whoever adds a page with a form does not have to think of this."""
    express = Application(sandbox).express
    takes = {
        (method, re.sub("<[^>]+>", "x", page.path)) for page in PAGES for method in WITH_BODY.intersection(page.methods)
    }
    takes |= {(row.method, re.sub("<[^>]+>", "x", row.path)) for row in ROWS if row.reads_body(row.method)}
    assert len(takes) > 100
    assert [one for one in sorted(takes) if not body_allowed(sandbox, express, *one).is_read] == []


ROWS = (*OPERATIONS, *CONTROL_OPERATIONS)
LONG = 100_000


@pytest.mark.parametrize(
    ("request_line", "length", "status"),
    [
        ("POST /nowhere", 2_000_000, 413),
        ("POST /nowhere", LONG, 404),
        ("PUT /payments", 2_000_000, 413),
        ("PUT /payments", LONG, 405),
        ("POST /payments", 2_000_000, 413),
        ("POST /payments", LONG, 401),
        ("POST /_sandbox/nowhere", 15_000_000, 413),
        ("PUT /_sandbox/scenarios/a", 15_000_000, 401),
    ],
)
def test_what_is_wrong_is_said_in_order(request_line: str, length: int, status: int) -> None:
    with serve(build(Settings(), clock=SystemClock()), "127.0.0.1", 0) as server:
        sent = f"{request_line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
        reply = exchanged(server.port, sent.encode() + b"x" * length)
    assert reply.status == status
    assert reply.headers.keys() >= EVERY_ANSWER or "X-Request-Id" in reply.headers


def test_health_is_answered_however_many_others_wait(sandbox: Sandbox) -> None:
    with serve(sandbox, "127.0.0.1", 0, max_working=0) as server:
        for name in ("livez", "readyz"):
            sent = f"GET /_sandbox/{name} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            assert exchanged(server.port, sent.encode()).status == 200


def test_a_whole_body_has_its_time_and_all_together_their_room() -> None:
    settings = Settings(body_timeout=5.0, max_bodies=4_096, max_body=2_048, max_evidence_body=1_024)
    with serve(build(settings, clock=SystemClock()), "127.0.0.1", 0) as server:
        service = server._service
        assert service.patience.body_s == 5.0
        assert service.room.most == settings.max_snapshot  # the largest single body always has room


@pytest.mark.parametrize(
    ("given", "room"),
    [({}, 256), ({"max_snapshot": 1 << 20}, 128), ({"max_bodies": 1 << 30}, 1024)],
    ids=str,
)
def test_the_room_for_bodies_is_that_of_the_setting_or_the_largest_body(given: dict[str, Any], room: int) -> None:
    """In MiB. Who lowers `max_snapshot` has less room, unless the setting says more."""
    with serve(build(Settings(**given), clock=SystemClock()), "127.0.0.1", 0) as server:
        assert server._service.room.most == room << 20
