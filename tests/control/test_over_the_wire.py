"""The control API behind our own server: long polls hold no thread, and an advance keeps nobody waiting."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Callable, Iterator
from threading import Event, Thread
from typing import Any

import pytest

from mock_server.clock import SystemClock
from mock_server.domain.events import DELIVER
from mock_server.front import serve
from mock_server.sandbox import Sandbox, build
from mock_server.sandbox.delivering import Delivering
from mock_server.server import Server
from mock_server.settings import Settings
from mock_server.webhooks.planning import DeliveryContext
from tests import running
from tests.clocks import ManualClock
from tests.wire import KEY, card_payment

PATIENCE_S = None  # the suite's own limit for a test is the only one


class StandingCalendar(ManualClock):
    """The date stands still; delays and time-outs go on."""

    def monotonic(self) -> float:
        return SystemClock().monotonic()


class Client:
    """One kept connection."""

    def __init__(self, server: Server) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)

    def send(self, method: str, path: str, body: object = None) -> None:
        headers = {"api-key": KEY, "Content-Type": "application/json"}
        self._connection.request(method, path, None if body is None else json.dumps(body), headers)

    def read(self) -> tuple[int, Any]:
        answer = self._connection.getresponse()
        return answer.status, json.loads(answer.read())

    def call(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        self.send(method, path, body)
        return self.read()

    def leave(self) -> None:
        self._connection.sock.shutdown(socket.SHUT_RDWR)
        self.close()

    def close(self) -> None:
        self._connection.close()


@pytest.fixture
def sandbox() -> Sandbox:
    return build(Settings(seed="tests", rate_limit=0, webhook_url="http://localhost:9/hook"), clock=StandingCalendar())


@pytest.fixture
def server(sandbox: Sandbox) -> Iterator[Server]:
    made = serve(sandbox, "127.0.0.1", 0)
    runs = Thread(target=made.serve_forever)
    runs.start()
    yield made
    made.shutdown(0)
    runs.join()


@pytest.fixture
def client(server: Server) -> Iterator[Callable[[], Client]]:
    """Makes clients, each with a connection of its own."""
    made: list[Client] = []

    def make() -> Client:
        made.append(Client(server))
        return made[-1]

    yield make
    for one in made:
        one.close()


Connect = Callable[[], Client]


def listeners(sandbox: Sandbox, log: str) -> int:
    """How many wait for a line of the one workspace's log."""
    (workspace,) = sandbox.workspaces()
    space: Any = workspace.space
    return len(space._waiting.listeners.get(log, ()))


def until(sandbox: Sandbox, log: str, count: int) -> None:
    """Waits until so many wait for a log."""
    running.until(lambda: listeners(sandbox, log) == count)


def test_many_polls_wait_and_are_answered_by_one_payment(client: Connect, sandbox: Sandbox) -> None:
    api = client()
    api.call("GET", "/health")
    polls = [client() for _ in range(100)]
    for poll in polls:
        poll.send("GET", "/_sandbox/webhooks?type=payment_succeeded&wait=10m")
    until(sandbox, "inbox", 100)
    assert api.call("POST", "/payments", {**card_payment(), "confirm": True})[0] == 200
    for poll in polls:
        status, found = poll.read()
        assert (status, found["total_count"]) == (200, 1)
    until(sandbox, "inbox", 0)


def test_a_reset_ends_polls(client: Connect, sandbox: Sandbox) -> None:
    poll, api = client(), client()
    poll.send("GET", "/_sandbox/journal?wait=10m")
    running.until(sandbox.workspaces)
    until(sandbox, "journal", 1)
    api.call("POST", "/_sandbox/reset")
    status, found = poll.read()
    assert (status, found["error"]["code"]) == (410, "IR_16")


def test_a_client_that_leaves_is_waited_for_no_more(client: Connect, sandbox: Sandbox) -> None:
    poll = client()
    poll.call("GET", "/health")
    poll.send("GET", "/_sandbox/webhooks?wait=10m")
    until(sandbox, "inbox", 1)
    poll.leave()
    until(sandbox, "inbox", 0)


def test_a_poll_whose_time_is_over_is_answered(client: Connect) -> None:
    assert client().call("GET", "/_sandbox/webhooks?wait=30ms") == (
        200,
        {"data": [], "total_count": 0, "dropped": 0},
    )


def test_calls_are_served_while_the_clock_is_advanced(client: Connect, sandbox: Sandbox) -> None:
    """The receiver answers only after an API call, a second advance and a reset of another workspace were served."""
    inside, go_on = Event(), Event()

    class Waits(Delivering):
        def settle(self, workspace: DeliveryContext, timeout_s: float) -> None:
            """Nothing is in flight."""

        def run_due(self, workspace: DeliveryContext, until: int, timeout_s: float) -> int:
            workspace.space.transact(lambda tx: tx.take_due(until, (DELIVER,)))
            inside.set()
            go_on.wait()
            return 1

    sandbox.post = Waits(sandbox.settings, sandbox.clock, sandbox.wake, sandbox.counts)
    first, second = client(), client()
    payment = first.call("POST", "/payments", {**card_payment(), "confirm": True})[1]["payment_id"]
    first.send("POST", "/_sandbox/clock/advance", {"by": "1h"})
    inside.wait()
    assert second.call("GET", f"/payments/{payment}")[0] == 200
    status, refused = second.call("POST", "/_sandbox/clock/advance", {"by": "1h"})
    assert (status, refused["error"]["code"]) == (409, "IR_16")
    assert second.call("GET", "/_sandbox/clock")[1]["advancing"]
    go_on.set()
    status, done = first.read()
    assert (status, done["now"]) == (200, "2026-01-01T01:00:00.000Z")
    assert [one["what"] for one in done["fired"]] == [DELIVER]
