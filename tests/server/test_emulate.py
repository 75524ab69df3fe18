from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from typing import Any

import flask
import pytest

from mock_server.domain.faults import LINE, PARKED, LineFault, LinePlan, Parked
from mock_server.server.emulate import carry_out
from mock_server.server.faults import FAULTS
from tests.server.conftest import Serve
from tests.server.planned import Answer
from tests.server.wire import Wire

BODY = b'{"id": "pay_1"}'


def never(seconds: float) -> None:
    pytest.fail("nobody was to sleep")


class Emulated:
    """A Flask app with one plan, and what its answers slept."""

    def __init__(self, plan: LinePlan | Parked | None) -> None:
        self.slept: list[float] = []
        app = flask.Flask(__name__)

        @app.get("/")
        def view() -> flask.Response:
            if plan is not None:
                flask.request.environ[LINE if isinstance(plan, LinePlan) else PARKED] = plan
            return flask.Response(BODY, mimetype="application/json")

        app.wsgi_app = carry_out(app.wsgi_app, sleep=self.slept.append)  # type: ignore[assignment,method-assign]  # as WSGI middleware does
        self.client = app.test_client()


def test_without_a_plan_nothing_changes() -> None:
    assert Emulated(None).client.get("/").data == BODY


def test_a_delay_is_slept() -> None:
    emulated = Emulated(LinePlan(delay_s=2))
    assert emulated.client.get("/").data == BODY
    assert emulated.slept == [2]


@pytest.mark.parametrize(
    ("fault", "slept"), [(fault, [30] if fault is LineFault.HANG else []) for fault, row in FAULTS.items() if row.error]
)
def test_what_breaks_the_line_is_raised(fault: LineFault, slept: list[float]) -> None:
    emulated = Emulated(LinePlan(fault=fault))
    with pytest.raises(ConnectionError):
        emulated.client.get("/")
    assert emulated.slept == slept


@pytest.mark.parametrize("fault", LineFault)
def test_every_fault_is_raised_or_done(fault: LineFault) -> None:
    row = FAULTS[fault]
    assert (row.error is None) is (row.body is not None)


def test_malformed_json_is_no_json_but_a_sound_answer() -> None:
    answer = Emulated(LinePlan(fault=LineFault.MALFORMED_JSON)).client.get("/")
    assert answer.content_length == len(answer.data)
    with pytest.raises(json.JSONDecodeError):
        json.loads(answer.data)


def test_a_slow_body_is_slept_through() -> None:
    emulated = Emulated(LinePlan(fault=LineFault.SLOW_BODY, pieces=3, pause_s=0.5))
    assert emulated.client.get("/").data == BODY
    assert emulated.slept == [0.5, 0.5, 0.5]


def test_head_has_no_body_to_break() -> None:
    answer = Emulated(LinePlan(fault=LineFault.MALFORMED_JSON)).client.head("/")
    assert (answer.content_length, answer.data) == (len(BODY), b"")


def test_a_parked_answer_is_waited_for() -> None:
    ready: Future[Answer] = Future()
    threading.Timer(0.01, ready.set_result, [Answer(201, [("X-A", "1")], b"it")]).start()
    answer = Emulated(Parked(ready, 10, Answer)).client.get("/")
    assert (answer.status_code, answer.headers["X-A"], answer.data) == (201, "1", b"it")


def test_a_parked_answer_that_does_not_come_is_made_late() -> None:
    ready: Future[Answer] = Future()
    assert Emulated(Parked(ready, 0.01, Answer)).client.get("/").data == b"late"
    assert ready.cancelled()


def test_a_lazy_app_speaks_when_its_body_is_asked_for() -> None:
    told: list[str] = []

    def app(environ: dict[str, Any], start_response: Any) -> Iterator[bytes]:
        start_response("200 OK", [])
        yield b"lazy"

    def start_response(status: str, headers: Any, exc_info: Any = None) -> Any:
        told.append(status)

    body: Iterable[bytes] = carry_out(app, sleep=never)({}, start_response)
    assert told == []
    assert list(body) == [b"lazy"]
    assert told == ["200 OK"]


def test_bytes_written_the_old_way_come_through() -> None:
    written: list[bytes] = []

    def app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        start_response("200 OK", [])(b"old")
        return [b"new"]

    body = carry_out(app, sleep=never)({}, lambda *_: written.append)
    assert [*written, *body] == [b"old", b"new"]


def test_our_own_server_does_it_itself(serve: Serve) -> None:
    def app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        environ[LINE] = LinePlan(delay_s=0.001, fault=LineFault.MALFORMED_JSON)
        start_response("200 OK", [])
        return [BODY]

    with Wire(serve(carry_out(app, sleep=never))).get("/") as wire:
        assert wire.got().body == BODY[:7]
