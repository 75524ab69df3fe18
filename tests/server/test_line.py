from __future__ import annotations

import json
from typing import Any

import pytest

from mock_server.domain.faults import LINE, LineFault, LinePlan
from mock_server.server.faults import FAULTS
from tests.clocks import ManualClock
from tests.server.conftest import Serve
from tests.server.planned import BODY, assert_nothing_comes, planned
from tests.server.wire import Wire, settle


def test_every_fault_is_carried_out() -> None:
    assert set(FAULTS) == set(LineFault)


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
