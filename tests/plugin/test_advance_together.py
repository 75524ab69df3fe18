"""Everybody in a program who is told to wait advances the clock: main thread, other threads, and receivers of events.

Nobody waits for ever: advances of different threads happen one after another, and one by a receiver is joined to the
advance that waits for the receiver's answer.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from textwrap import dedent
from typing import Any, Final

import flask
import pytest

from mock_server.scenario.loading.library import bundled_files
from mock_server.testing import ControlRefused, Sandbox, SandboxServer
from mock_server.testing.records import ClockAdvanced
from tests.architecture.sources import ROOT
from tests.counts import times
from tests.running import until

SETTLED: Final = timedelta(seconds=10)
"""When the test card's charge settles: then its event is delivered."""
HOUR: Final = timedelta(hours=1)
SUCCEEDED: Final = "payment_succeeded"
Results = list[bool]


@contextmanager
def in_a_thread(sandbox: Sandbox, told: str = SUCCEEDED) -> Iterator[Results]:
    """A receiver in a thread of this process."""
    joined: Results = []
    app = flask.Flask("receiver")

    @app.post("/webhooks")
    def hear() -> str:
        if flask.request.get_json()["event_type"].startswith(told):
            joined.append(sandbox.clock.advance(2 * HOUR).joined)
        return ""

    sandbox.webhooks.connect(app)
    yield joined


@contextmanager
def awaited(sandbox: Sandbox, told: str = SUCCEEDED) -> Iterator[Results]:
    """A receiver that is a coroutine."""
    joined: Results = []

    async def hear(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            if f'"event_type":"{told}'.encode() in (await receive())["body"].replace(b" ", b""):
                joined.append((await sandbox.aio.clock.advance(2 * HOUR)).joined)
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b""})

    sandbox.webhooks.connect(hear)
    yield joined


PROGRAM: Final = """
    import sys
    from datetime import timedelta
    from http.server import BaseHTTPRequestHandler, HTTPServer
    from mock_server.testing import RunningServer, Sandbox

    sandbox = Sandbox(server=RunningServer(sys.argv[1]), api_key=sys.argv[2])

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if b"payment_succeeded" in body:
                print(sandbox.clock.advance(timedelta(hours=2)).joined, flush=True)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args):
            pass

    server = HTTPServer(("127.0.0.1", 0), Receiver)
    print(server.server_port, flush=True)
    server.serve_forever()
"""


@contextmanager
def in_a_process(sandbox: Sandbox) -> Iterator[Results]:
    """A receiver in another process, which reaches the sandbox by its address."""
    said: Results = []
    program = [sys.executable, "-c", dedent(PROGRAM), sandbox.url, sandbox.api_key]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            sandbox.webhooks.send_to(f"http://127.0.0.1:{process.stdout.readline().strip()}/")
            yield said
            said.append(process.stdout.readline().strip() == "True")
        finally:
            process.kill()


RECEIVERS: Final[dict[str, Callable[..., Any]]] = {
    "thread": in_a_thread,
    "coroutine": awaited,
    "process": in_a_process,
}


@pytest.fixture
def alone() -> Iterator[Sandbox]:
    """A workspace that leaves its receivers time, on a busy machine too."""
    with SandboxServer() as server, Sandbox(server=server, seed="tests") as workspace:
        workspace.scenario({"name": "patient", "settings": {"advance_delivery_timeout": 30}})
        yield workspace


@pytest.mark.parametrize("threads", [1, times(3, soak=12)])
@pytest.mark.parametrize("receiver", RECEIVERS)
def test_receivers_and_threads_advance_the_clock_together(alone: Sandbox, receiver: str, threads: int) -> None:
    start = alone.clock.freeze()
    with RECEIVERS[receiver](alone) as joined:
        alone.client.pay("pending_succeeds")
        with ThreadPoolExecutor(threads) as pool:
            done: list[ClockAdvanced] = list(pool.map(lambda _: alone.clock.advance(HOUR), range(threads)))
    assert joined == [True]
    assert alone.clock.now == max(one.now for one in done)
    assert start + 2 * HOUR <= alone.clock.now <= start + SETTLED + (2 + threads) * HOUR
    assert sorted(event.type for event in alone.webhooks.all(delivered=True)) == [
        "payment_processing",
        "payment_succeeded",
    ]


IN_THIS_PROCESS: Final = ("thread", "coroutine")
"""Receivers of which the sandbox's client knows that they handle an event when they advance the clock."""


@pytest.mark.parametrize("payments", [1, times(3, soak=20)])
@pytest.mark.parametrize("card", ["success", "pending_succeeds", "insufficient_funds"])
@pytest.mark.parametrize("receiver", IN_THIS_PROCESS)
def test_a_receiver_that_advances_by_itself_waits_for_no_answer_of_its_own(
    alone: Sandbox, receiver: str, card: str, payments: int
) -> None:
    """Events that are sent while nobody else advances: whoever waited for the deliveries would wait for himself."""
    alone.scenario({"name": "hasty", "settings": {"advance_delivery_timeout": 0.2}})
    alone.clock.freeze()
    with RECEIVERS[receiver](alone, "payment_") as joined:
        for _ in range(payments):
            alone.client.pay(card)
        until(lambda: len(joined) >= payments and not alone.clock.state()["advancing"])
        until(lambda: all(event.deliveries for event in alone.webhooks.all()))
    assert [event.deliveries for event in alone.webhooks.all() if len(event.deliveries) != 1] == []
    assert all(event.is_delivered for event in alone.webhooks.all())
    assert not any(joined)


def test_the_raw_call_is_refused_while_another_advances(alone: Sandbox) -> None:
    refused: list[int] = []
    app = flask.Flask("receiver")

    @app.post("/webhooks")
    def hear() -> str:
        with pytest.raises(ControlRefused) as found:
            alone.control.post("/clock/advance", {"by": "1h"})
        refused.append(found.value.status)
        return ""

    alone.webhooks.connect(app)
    alone.client.pay()
    alone.clock.advance(HOUR)
    assert set(refused) <= {409}


def test_a_receiver_sees_the_time_to_which_it_advanced(alone: Sandbox) -> None:
    start = alone.clock.freeze()
    seen = []
    app = flask.Flask("receiver")

    @app.post("/webhooks")
    def hear() -> str:
        if flask.request.get_json()["event_type"] == "payment_succeeded":
            seen.extend([alone.clock.advance(2 * HOUR).now, alone.clock.now])
        return ""

    alone.webhooks.connect(app)
    alone.client.pay("pending_succeeds")
    assert alone.clock.advance(HOUR).now == start + SETTLED + 2 * HOUR
    assert seen == [start + SETTLED + 2 * HOUR] * 2


def test_the_shop_of_the_tutorial_is_told_to_wait_in_both_its_threads(
    alone: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `rate_limited`: the page that pays and the receiver of events both get 429, and both advance the clock."""
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "shop"))
    from shop import create_app
    from shop.processor import Processor

    def pause(seconds: float) -> None:
        alone.clock.advance(seconds=seconds)

    app = create_app(Processor(alone.url, alone.api_key, pause=pause), alone.webhook_secret)
    alone.webhooks.connect(app)
    alone.clock.freeze()
    scenario = alone.scenario(Path(bundled_files()["rate_limited"]))
    client = app.test_client()
    for _ in range(2):
        order = client.post("/orders", json={"items": {"mug": 1}}).get_json()["order_id"]
        client.post(f"/orders/{order}/pay", json={"card": alone.cards["success"].as_data()})
    alone.clock.advance(hours=24)
    alone.webhooks.settle()
    assert len(app.extensions["till"].parcels) == 2
    assert all(event.is_delivered for event in alone.webhooks.all())
    scenario.check()
