"""Delays and parked answers: the parts of `faults.py` that wait."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest

from mock_server.domain.faults import LINE, PARKED, LineFault, LinePlan, Parked
from tests.clocks import ManualClock
from tests.server.conftest import Serve
from tests.server.planned import BODY, Answer, assert_nothing_comes, planned, until_held
from tests.server.wire import Wire, settle


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
        clock.advance(4999)
        assert_nothing_comes(server, wire)
        clock.advance(1)
        settle(server)
        assert wire.got().body == b"late"
        assert ready.cancelled()
        assert wire.get("/").got().body == BODY


def test_an_answer_that_is_there_already_is_not_parked(serve: Serve) -> None:
    parked, ready = make_parked()
    ready.set_result(Answer(201, [], b"it"))
    with Wire(serve(planned(parked))).get("/plan") as wire:
        assert wire.got().body == b"it"


def test_a_delay_begins_when_a_parked_answer_is_there(serve: Serve) -> None:
    clock = ManualClock()
    parked, _ = make_parked(3)

    def app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        if environ["PATH_INFO"] == "/plan":
            environ[PARKED], environ[LINE] = parked, LinePlan(delay_s=2)
        start_response("200 OK", [])
        return []

    server = serve(app, clock=clock)
    with Wire(server).get("/plan") as wire:
        until_held(server)
        clock.advance(3000)
        assert_nothing_comes(server, wire)
        clock.advance(2000)
        settle(server)
        assert wire.got().body == b"late"


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
    cancelled.wait()
    assert ready.cancelled()


@pytest.mark.parametrize("plan", [LinePlan(delay_s=3600), LinePlan(fault=LineFault.HANG)])
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
            go.wait()
            environ[LINE] = LinePlan(delay_s=3600)
        start_response("200 OK", [])
        return []

    server = serve(app)
    with Wire(server).get("/slow").close_own_side() as wire:
        begun.wait()
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
    closed.wait()


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
