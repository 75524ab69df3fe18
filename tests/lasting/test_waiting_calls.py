"""A call that waits for something keeps its workspace in memory, however many others are used meanwhile."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Final

import pytest

from tests.lasting.shop import KEY, call, order
from tests.running import RunningSandbox, until
from tests.running import call as command
from tests.store.threads import together
from tests.wire import Reply, wire

OTHERS: Final = [f"snd_another_{number}_0123456789" for number in range(3)]
POLLS: Final = ("/_sandbox/journal?operation=payments.*&count=2&wait=60s", "/_sandbox/webhooks?count=2&wait=60s")
THENS: Final[list[dict[str, str]]] = [{"delay": "60s"}, {"fault": "hang", "effect": "kept"}, {"fault": "slow_body"}]
HEADERS: Final = {"api-key": KEY, "Content-Type": "application/json"}


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """A server that has one workspace in memory at a time, beside those that calls use."""
    with RunningSandbox("--data", str(tmp_path / "state.sqlite"), "--workspaces", "1") as sandbox:
        yield int(sandbox.ready["port"])


def push_out(port: int) -> None:
    for key in OTHERS:
        assert call(port, "POST", "/payments", order(1), key=key)[0] == 200


@pytest.mark.parametrize("path", POLLS)
def test_a_long_poll_gets_what_comes_after_others(path: str, tmp_path: Path) -> None:
    api = wire(data=tmp_path / "state.sqlite", workspaces=1)
    held, store = api.pay(capture_method="manual")["payment_id"], api.sandbox.lasting
    assert store is not None

    def act() -> Reply:
        until(lambda: any(space._waiting.listeners for space in store.here()))
        assert store.saver.save()
        for key in OTHERS:
            api.as_key(key).pay()
        return api.post(f"/payments/{held}/capture")

    poll, _ = together([lambda: api.get(path), act])
    assert (poll.status, len(poll["data"])) == (200, 2)
    store.end()


@pytest.mark.parametrize("then", THENS, ids=str)
def test_a_client_that_leaves_after_others_came_is_noted(port: int, then: dict[str, str]) -> None:
    assert call(port, "POST", "/_sandbox/next", {"on": "payments.create", "then": then})[0] == 200
    line = HTTPConnection("127.0.0.1", port)
    with suppress(HTTPException):
        line.request("POST", "/payments", json.dumps(order(1)), HEADERS)
        until(lambda: call(port, "GET", "/_sandbox/journal?operation=payments.create")[1]["data"])
        push_out(port)
    line.close()
    until(lambda: call(port, "GET", "/_sandbox/journal?operation=payments.create")[1]["data"][0]["left_first"])


@pytest.mark.parametrize("then", THENS, ids=str)
def test_the_verdict_knows_of_an_answer_that_a_stop_cut_off(tmp_path: Path, then: dict[str, str]) -> None:
    place, named = str(tmp_path / "state.sqlite"), {"merchant_order_reference_id": "order-1"}
    with RunningSandbox("--data", place, "--shutdown-grace", "0s") as sandbox:
        port = int(sandbox.ready["port"])
        assert call(port, "POST", "/_sandbox/next", {"on": "payments.create", "then": then})[0] == 200
        line = HTTPConnection("127.0.0.1", port)
        line.request("POST", "/payments", json.dumps(order(1, **named)), HEADERS)
        until(lambda: call(port, "GET", "/_sandbox/journal?operation=payments.create")[1]["data"])
    line.close()
    with RunningSandbox("--data", place) as sandbox:
        port = int(sandbox.ready["port"])
        assert call(port, "POST", "/payments", order(1, **named))[0] == 200
        lost, heard = call(port, "GET", "/_sandbox/journal?operation=payments.create")[1]["data"]
        assert (lost["fault"], lost["left_first"], heard["fault"]) == ("empty_response", False, None)
        found = command("verdict", "--json", PAYMENT_SANDBOX_URL=sandbox.base, PAYMENT_SANDBOX_API_KEY=KEY)
        states = {rule["id"]: rule["state"] for rule in json.loads(found.stdout)["rules"]}
        # What the client read before the stop is not known. Without the fault, there would be no occasion.
        assert (states["double-charge"], states["left-too-early"]) == ("not checked", "no occasion")
