from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
import urllib3

from mock_server.clock import ManualClock
from mock_server.domain.faults import CARRIED_OUT, LINE, PARKED, LineFault, LinePlan, Parked
from mock_server.server import Server
from mock_server.server.connection import State
from mock_server.server.line import FAULTS
from tests.server.conftest import Serve
from tests.server.wire import App, Wire, settle

BODY = json.dumps({"id": "pay_1", "amount": 4200, "filler": "x" * 400}).encode()


@dataclass(frozen=True)
class Answer:
    """A whole answer, made elsewhere."""

    status: int = 200
    headers: list[tuple[str, str]] = field(default_factory=lambda: [("X-From", "elsewhere")])
    body: bytes = b"late"


def planned(plan: LinePlan | Parked, body: bytes | None = BODY) -> App:
    """Make an app that leaves the plan for /plan and for /slow/plan; with no body, a lazy one."""

    def app(environ: dict[str, Any], start_response: Any) -> Any:
        assert environ[CARRIED_OUT] is True
        if environ["PATH_INFO"].endswith("plan"):
            environ[LINE if isinstance(plan, LinePlan) else PARKED] = plan
        start_response("200 OK", [("Content-Type", "application/json")])
        return [body] if body is not None else iter([b"la", b"zy"])

    return app


def test_every_fault_is_carried_out() -> None:
    assert set(FAULTS) == set(LineFault)


# What each fault looks like, byte for byte.


@pytest.mark.parametrize("path", ["/plan", "/slow/plan"])
def test_connection_reset(serve: Serve, path: str) -> None:
    server = serve(planned(LinePlan(fault=LineFault.CONNECTION_RESET)))
    with Wire(server).get(path) as wire, pytest.raises(ConnectionResetError):
        wire.rest()


def test_empty_response(serve: Serve) -> None:
    with Wire(serve(planned(LinePlan(fault=LineFault.EMPTY_RESPONSE)))).get("/plan") as wire:
        assert wire.rest() == b""


@pytest.mark.parametrize(("keep", "count"), [(0.5, len(BODY) // 2), (0.0, 0), (1.0, len(BODY) - 1)])
def test_truncated_body(serve: Serve, keep: float, count: int) -> None:
    with Wire(serve(planned(LinePlan(fault=LineFault.TRUNCATED_BODY, keep=keep)))).get("/plan") as wire:
        assert wire.head().fields["content-length"] == str(len(BODY))
        assert wire.rest() == BODY[:count]


def test_a_truncated_empty_body_breaks_its_promise_too(serve: Serve) -> None:
    with Wire(serve(planned(LinePlan(fault=LineFault.TRUNCATED_BODY), b""))).get("/plan") as wire:
        assert wire.head().fields["content-length"] == "1"
        assert wire.rest() == b""


def test_malformed_json(serve: Serve) -> None:
    with Wire(serve(planned(LinePlan(fault=LineFault.MALFORMED_JSON)))).get("/plan") as wire:
        got = wire.got()
        assert BODY.startswith(got.body)
        with pytest.raises(json.JSONDecodeError):
            json.loads(got.body)
        assert wire.get("/").got().body == BODY


def test_slow_body(serve: Serve) -> None:
    clock = ManualClock()
    server = serve(planned(LinePlan(fault=LineFault.SLOW_BODY, pieces=4, pause_s=5)), clock=clock)
    step = -(-len(BODY) // 4)
    with Wire(server).get("/plan") as wire:
        assert wire.head().fields["content-length"] == str(len(BODY))
        for number in range(4):
            assert_nothing_comes(server, wire)
            clock.advance(5000)
            settle(server)
            part = BODY[number * step : (number + 1) * step]
            assert wire.take(len(part)) == part
        assert wire.get("/").got().body == BODY


def test_hang(serve: Serve) -> None:
    clock = ManualClock()
    server = serve(planned(LinePlan(fault=LineFault.HANG)), clock=clock)
    with Wire(server).get("/plan") as wire:
        settle(server)
        clock.advance(86_400_000)
        assert_nothing_comes(server, wire)
        server.shutdown()
        assert wire.rest() == b""


@pytest.mark.parametrize("fault", [LineFault.MALFORMED_JSON, LineFault.TRUNCATED_BODY, LineFault.SLOW_BODY])
def test_faults_of_the_body_reach_lazy_bodies(serve: Serve, fault: LineFault) -> None:
    server = serve(planned(LinePlan(fault=fault, pieces=2, pause_s=0.001), None))
    want = {LineFault.MALFORMED_JSON: b"{lazy", LineFault.TRUNCATED_BODY: b"la", LineFault.SLOW_BODY: b"lazy"}[fault]
    with Wire(server).get("/plan", "Connection: close") as wire:
        assert wire.head().fields["content-length"] == str(len(want) if fault != LineFault.TRUNCATED_BODY else 4)
        assert wire.rest() == want


@pytest.mark.parametrize("fault", list(LineFault))
def test_head_requests_survive_every_fault(serve: Serve, fault: LineFault) -> None:
    server = serve(planned(LinePlan(fault=fault)))
    with Wire(server).get("/plan", method="HEAD") as wire:
        settle(server)
        if fault in {LineFault.MALFORMED_JSON, LineFault.SLOW_BODY}:
            assert wire.head().status == 200
            assert wire.get("/").got().body == BODY


@pytest.mark.parametrize("fault", [LineFault.TRUNCATED_BODY, LineFault.MALFORMED_JSON, LineFault.SLOW_BODY])
def test_a_head_that_cannot_be_sent_is_an_error_under_faults_too(serve: Serve, fault: LineFault) -> None:
    def app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        environ[LINE] = LinePlan(fault=fault)
        start_response("200 OK", [("X-A", "\n")])
        return [BODY]

    with Wire(serve(app)).get("/") as wire:
        assert wire.got().status == 500


# Waiting.


def assert_nothing_comes(server: Server, wire: Wire) -> None:
    settle(server)
    wire.sock.setblocking(False)
    with pytest.raises(BlockingIOError):
        wire.sock.recv(1)
    wire.sock.settimeout(10)


@pytest.mark.parametrize("fault", [None, LineFault.MALFORMED_JSON])
@pytest.mark.parametrize("path", ["/plan", "/slow/plan"])
def test_a_delay_comes_before_the_first_byte(serve: Serve, path: str, fault: LineFault | None) -> None:
    clock = ManualClock()
    server = serve(planned(LinePlan(delay_s=2, fault=fault)), clock=clock)
    with Wire(server).get(path) as wire:
        until_held(server)
        clock.advance(1999)
        assert_nothing_comes(server, wire)
        clock.advance(1)
        settle(server)
        assert wire.got().status == 200


def until_held(server: Server, count: int = 1) -> None:
    """Return when so many answers wait for something that is not the client."""
    waiting = {State.HELD, State.HANGING}
    while sum(connection._state in waiting for connection in tuple(server._service.connections)) < count:
        os.sched_yield()


def test_a_held_answer_leaves_when_the_future_is_done(serve: Serve) -> None:
    clock = ManualClock()
    hold: Future[None] = Future()
    server = serve(planned(LinePlan(hold=hold, hold_timeout_s=3)), clock=clock)
    with Wire(server).get("/plan") as wire:
        assert_nothing_comes(server, wire)
        hold.set_result(None)
        assert wire.got().body == BODY
        assert wire.get("/").got().body == BODY


def test_a_held_answer_leaves_when_the_time_is_over(serve: Serve) -> None:
    clock = ManualClock()
    hold: Future[None] = Future()
    server = serve(planned(LinePlan(hold=hold, hold_timeout_s=3)), clock=clock)
    with Wire(server).get("/plan") as wire:
        settle(server)
        clock.advance(2999)
        assert_nothing_comes(server, wire)
        clock.advance(1)
        settle(server)
        assert wire.got().body == BODY
        hold.set_result(None)
        assert wire.get("/").got().body == BODY


def test_delay_and_hold_run_side_by_side(serve: Serve) -> None:
    clock = ManualClock()
    hold: Future[None] = Future()
    server = serve(planned(LinePlan(delay_s=2, hold=hold, hold_timeout_s=3)), clock=clock)
    with Wire(server).get("/plan") as wire:
        settle(server)
        clock.advance(2000)
        assert_nothing_comes(server, wire)
        clock.advance(1000)
        settle(server)
        assert wire.got().body == BODY


def test_a_future_that_is_done_already_holds_nothing(serve: Serve) -> None:
    hold: Future[None] = Future()
    hold.set_exception(RuntimeError("not our concern"))
    with Wire(serve(planned(LinePlan(hold=hold)))).get("/plan") as wire:
        assert wire.got().body == BODY


# Parked answers.


def make_parked(timeout_s: float = 5.0, late: Callable[[], Answer] = Answer) -> tuple[Parked, Future[Answer]]:
    ready: Future[Answer] = Future()
    return Parked(ready, timeout_s, late), ready


@pytest.mark.parametrize("path", ["/plan", "/slow/plan"])
def test_a_parked_answer_comes_when_it_is_there(serve: Serve, path: str) -> None:
    parked, ready = make_parked()
    server = serve(planned(parked))
    with Wire(server).get(path) as wire:
        until_held(server)
        assert_nothing_comes(server, wire)
        ready.set_result(Answer(201, [("X-From", "far")], b"it"))
        got = wire.got()
        assert (got.status, got.fields["x-from"], got.body) == (201, "far", b"it")
        assert wire.get("/").got().body == BODY


@pytest.mark.parametrize("path", ["/plan", "/slow/plan"])
def test_a_parked_answer_that_does_not_come_is_made_late(serve: Serve, path: str) -> None:
    clock = ManualClock()
    parked, ready = make_parked(5)
    server = serve(planned(parked), clock=clock)
    with Wire(server).get(path) as wire:
        until_held(server)
        clock.advance(5000)
        settle(server)
        assert wire.got().body == b"late"
        assert ready.cancelled()


@pytest.mark.parametrize("fault", [None, LineFault.SLOW_BODY])
def test_a_parked_answer_of_the_wrong_kind_is_an_error(serve: Serve, fault: LineFault | None) -> None:
    parked, ready = make_parked()
    ready.set_result(Answer(body="text"))  # type: ignore[arg-type]  # wrong on purpose

    def app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        environ[PARKED], environ[LINE] = parked, LinePlan(fault=fault, pause_s=0.001)
        start_response("200 OK", [])
        return []

    with Wire(serve(app)).get("/") as wire:
        assert wire.got().status == 500


def test_a_parked_answer_that_fails_is_an_error(serve: Serve, logged: list[Any]) -> None:
    parked, ready = make_parked()
    ready.set_exception(RuntimeError("lost"))
    with Wire(serve(planned(parked))).get("/plan") as wire:
        assert wire.got().status == 500
    assert [str(error) for _, error in logged] == ["lost"]


def test_a_late_answer_that_fails_is_an_error(serve: Serve, logged: list[Any]) -> None:
    def late() -> Answer:
        raise RuntimeError("no answer")

    parked, _ = make_parked(0, late)
    with Wire(serve(planned(parked))).get("/plan") as wire:
        assert wire.got().status == 500
    assert [str(error) for _, error in logged] == ["no answer"]


def test_a_parked_client_that_leaves_is_noticed(serve: Serve) -> None:
    parked, ready = make_parked()
    cancelled = threading.Event()
    ready.add_done_callback(lambda _: cancelled.set())
    with Wire(serve(planned(parked))).get("/plan"):
        pass
    assert cancelled.wait(10)
    assert ready.cancelled()


@pytest.mark.parametrize(
    "plan", [LinePlan(delay_s=3600), LinePlan(hold=Future(), hold_timeout_s=3600), LinePlan(fault=LineFault.HANG)]
)
@pytest.mark.parametrize("before", [True, False], ids=["left before", "leaves while"])
def test_a_client_that_leaves_while_its_answer_waits_is_forgotten(serve: Serve, plan: LinePlan, before: bool) -> None:
    server = serve(planned(plan))
    with Wire(server).get("/plan") as wire:
        if not before:
            settle(server)
        wire.close_own_side()
        assert wire.rest() == b""
    settle(server)
    assert len(server._service.connections) <= 1


def test_a_client_that_left_during_the_call_is_not_held_for(serve: Serve) -> None:
    begun, go = threading.Event(), threading.Event()

    def app(environ: dict[str, Any], start_response: Any) -> Any:
        if environ["PATH_INFO"] == "/slow":
            begun.set()
            go.wait(10)
            environ[LINE] = LinePlan(delay_s=3600)
        start_response("200 OK", [])
        return []

    server = serve(app)
    with Wire(server).get("/slow").close_own_side() as wire:
        assert begun.wait(10)
        settle(server)
        go.set()
        assert wire.rest() == b""


def test_a_lazy_body_is_closed_when_its_client_leaves_first(serve: Serve) -> None:
    closed = threading.Event()

    class Lazy:
        def __iter__(self) -> Any:
            return iter([b"x"])

        def close(self) -> None:
            closed.set()

    def app(environ: dict[str, Any], start_response: Any) -> Any:
        environ[LINE] = LinePlan(delay_s=3600)
        start_response("200 OK", [])
        return Lazy()

    with Wire(serve(app)).get("/"):
        pass
    assert closed.wait(10)


def test_hundreds_that_wait_hold_up_nobody_and_no_thread(serve: Serve) -> None:
    server = serve(planned(LinePlan(fault=LineFault.HANG)))
    before = threading.active_count()
    wires = [Wire(server).get("/plan" if number % 2 else "/slow/plan") for number in range(300)]
    with Wire(server) as wire:
        for _ in range(20):
            assert wire.get("/").got().body == BODY
    until_held(server, 300)
    assert threading.active_count() < before + 150
    for wire in wires:
        wire.sock.close()


# What real clients make of it.


def by_urllib3(url: str) -> str:
    try:
        with urllib3.PoolManager(retries=False, timeout=0.5) as pool:
            return str(pool.request("GET", url).json()["id"])
    except (urllib3.exceptions.HTTPError, json.JSONDecodeError) as error:
        return type(error).__name__


def by_httpx(url: str) -> str:
    try:
        return str(httpx.get(url, timeout=0.5).json()["id"])
    except (httpx.HTTPError, json.JSONDecodeError) as error:
        return type(error).__name__


def by_curl(url: str) -> str:
    command = ["curl", "-s", "-m", "0.5", url]
    run = subprocess.run(command, capture_output=True, check=False, env={"no_proxy": "*"})
    try:
        return f"exit {run.returncode}" if run.returncode else str(json.loads(run.stdout)["id"])
    except json.JSONDecodeError as error:
        return type(error).__name__


SEEN = [
    (LineFault.CONNECTION_RESET, "ProtocolError", "ReadError", "exit 56"),
    (LineFault.EMPTY_RESPONSE, "ProtocolError", "RemoteProtocolError", "exit 52"),
    (LineFault.TRUNCATED_BODY, "ProtocolError", "RemoteProtocolError", "exit 18"),
    (LineFault.MALFORMED_JSON, "JSONDecodeError", "JSONDecodeError", "JSONDecodeError"),
    (LineFault.SLOW_BODY, "pay_1", "pay_1", "pay_1"),
    (LineFault.HANG, "ReadTimeoutError", "ReadTimeout", "exit 28"),
]


@pytest.mark.parametrize(("fault", "urllib3_sees", "httpx_sees", "curl_sees"), SEEN)
def test_what_clients_see(serve: Serve, fault: LineFault, urllib3_sees: str, httpx_sees: str, curl_sees: str) -> None:
    url = serve(planned(LinePlan(fault=fault, pieces=3, pause_s=0.01))).address + "/plan"
    assert by_urllib3(url) == urllib3_sees
    assert by_httpx(url) == httpx_sees
    if shutil.which("curl"):
        assert by_curl(url) == curl_sees


def test_the_table_of_clients_has_every_fault() -> None:
    assert {row[0] for row in SEEN} == set(LineFault)
