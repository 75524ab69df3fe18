"""Behind HAProxy, as the examples set it up: a key's calls come to one replica, and faults to the client."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, Final

import pytest
import yaml

from mock_server.server import Server
from tests.architecture.sources import ROOT
from tests.lasting import balancer
from tests.running import until
from tests.scenarios_e2e.test_passed_on import FAULTS, SCENARIO, Calendar, replicas
from tests.scenarios_e2e.wire import pay, put, raw_call

needs_haproxy = pytest.mark.skipif(balancer.PROGRAM is None, reason=balancer.MISSING)
DEAD: Final = "127.0.0.1:1"


def test_a_cluster_gets_the_same_configuration() -> None:
    manifest = (ROOT / "examples" / "kubernetes" / "replicas.yaml").read_text("utf-8")
    (found,) = [one["data"] for one in yaml.safe_load_all(manifest) if one["kind"] == "ConfigMap"]
    assert found == {"haproxy.cfg": balancer.CONFIGURATION.read_text("utf-8")}


@pytest.fixture
def three() -> Iterator[list[Server]]:
    """Servers that say which of them they are."""

    def app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        start_response("200 OK", [])
        return [environ["SERVER_PORT"].encode()]

    with ExitStack() as stack:
        yield [stack.enter_context(Server(app)) for _ in range(3)]


def asked(port: int, path: str, **headers: str) -> bytes:
    """Which replica answers; waits until one does."""
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    base = f"http://127.0.0.1:{port}"
    until(lambda: raw_call(base, "GET", path, headers=fields).status == 200)
    return raw_call(base, "GET", path, headers=fields).body


@needs_haproxy
def test_a_key_comes_to_one_replica(three: list[Server]) -> None:
    with balancer.balanced(*(f"127.0.0.1:{server.port}" for server in three)) as (port, _):
        found = {asked(port, "/", api_key=f"snd_{number}") for number in range(60)}
        assert found == {str(server.port).encode() for server in three}
        for number in range(10):
            secret = asked(port, "/payments", api_key=f"snd_key_{number}")
            assert asked(port, f"/other/{number}", api_key=f"snd_key_{number}") == secret
            assert asked(port, "/checkout", api_key=f"pk_snd_key_{number}") == secret
        assert len({asked(port, "/payment_link/mer_1/pay_1", api_key="") for _ in range(5)}) == 1


@needs_haproxy
def test_calls_of_a_replica_that_is_gone_go_to_others(three: list[Server]) -> None:
    with balancer.balanced(*(f"127.0.0.1:{server.port}" for server in three)) as (port, _):
        assert len({asked(port, "/", api_key=f"snd_{number}") for number in range(30)}) == 3
        three[0].shutdown()
        assert len({asked(port, "/", api_key=f"snd_{number}") for number in range(30)}) == 2


@needs_haproxy
def test_faults_come_through_as_far_as_a_balancer_lets_them() -> None:
    with replicas(Calendar()) as (owns, passes_on):
        places = [f"127.0.0.1:{server.port}" for server in (owns, passes_on, passes_on)]
        with balancer.balanced(*places) as (port, _):
            base = f"http://127.0.0.1:{port}"
            put(base, "faults", SCENARIO)
            seen = {fault.value: pay(base, {"X-Fault": fault.value}) for fault in FAULTS}
    assert seen["connection_reset"].raw == seen["empty_response"].raw == b""
    for fault in ("truncated_body", "malformed_json"):
        with pytest.raises(json.JSONDecodeError):
            assert seen[fault].json
    assert seen["slow_body"].json["status"] == "succeeded"
