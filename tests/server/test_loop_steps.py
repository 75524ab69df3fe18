"""Whatever a call asks for, the loop's thread does little of it before it looks at its sockets again: all others wait.

Counted are the calls of Python's functions on that thread, which are the same on every machine.
"""

from __future__ import annotations

import http.client
import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from threading import Thread
from types import FrameType, MappingProxyType
from typing import Any, Final, NamedTuple

import pytest

from mock_server.cli.serving import warm
from mock_server.clock import SystemClock
from mock_server.front import serve
from mock_server.sandbox import build
from mock_server.server import Server
from mock_server.settings import Settings
from tests.counts import times
from tests.wire import card_payment

MANY: Final = times(30, soak=1_000)
FEW: Final = 3_000
"""What two or three calls take that are answered in one turn."""
LOOP: Final = "payment-sandbox-server"
GIVEN: Final = {
    "scenarios_inline": "name: shop\ngiven:\n  payments:\n" + "  - {amount: 500, status: succeeded}\n" * MANY,
    "scenario": ("shop",),
}


class Steps:
    """The longest turn of a server's loop, in calls of functions."""

    def __init__(self) -> None:
        self.longest = self._now = 0

    def __call__(self, frame: FrameType, event: str, arg: object) -> None:
        if threading.current_thread().name != LOOP:
            sys.setprofile(None)
        elif event == "call":
            self._now += 1
            if frame.f_code.co_name == "_turn":
                self.longest, self._now = max(self.longest, self._now), 0


def ask(server: Server, method: str, path: str, body: Any = None) -> Any:
    """A call's answer."""
    line = http.client.HTTPConnection("127.0.0.1", server.port)
    headers = {"api-key": "snd_shop_with_much", "Content-Type": "application/json"}
    with closing(line):
        line.request(method, path, None if body is None else json.dumps(body), headers)
        answer = line.getresponse()
        text = answer.read()
    assert answer.status == 200, text
    return json.loads(text)


def pay(server: Server) -> Any:
    return ask(server, "POST", "/payments", {**card_payment(), "confirm": True})


class Act(NamedTuple):
    """What is called, and the settings of its server."""

    call: Callable[[Server], object]
    settings: Mapping[str, Any] = MappingProxyType({})


def polled(server: Server) -> None:
    """Long polls that wait for many entries, which others make."""
    found = dict[str, Any]()

    def poll(path: str) -> None:
        found[path] = ask(server, "GET", f"/_sandbox/{path}?after=1&count={MANY}&limit={MANY}&wait=10m")

    pay(server)
    threads = [Thread(target=poll, args=(path,)) for path in ("journal", "webhooks")]
    for thread in threads:
        thread.start()
    while len(found) < len(threads):
        pay(server)
    assert [len(page["data"]) for page in found.values()] == [MANY, MANY]


def set_up(server: Server) -> None:
    ask(server, "POST", "/accounts", {"merchant_name": "Shop"})


ACTS: Final = {
    "the first call of a key, where a scenario gives records": Act(pay, GIVEN),
    "the set-up of a merchant, where a scenario gives records": Act(set_up, GIVEN),
    "long polls of the journal and the inbox": Act(polled),
}


@contextmanager
def served(**settings: Any) -> Iterator[Server]:
    """A server that begins to serve within the block."""
    sandbox = build(Settings(rate_limit=0, **settings), clock=SystemClock())
    warm(sandbox)
    assert not sandbox.scenarios.mistakes()  # which reads them, as the command does
    server = serve(sandbox, "127.0.0.1", 0)
    try:
        yield server
    finally:
        server.shutdown()
        sandbox.stop()


@pytest.mark.parametrize("name", ACTS)
def test_no_turn_of_the_loop_is_long(name: str) -> None:
    act, steps = ACTS[name], Steps()
    with served() as first:  # the first calls of a process compile what they need
        first.start()
        pay(first)
        set_up(first)
    with served(**act.settings) as server:
        threading.setprofile(steps)
        try:
            server.start()
            act.call(server)
        finally:
            threading.setprofile(None)
    assert 0 < steps.longest < FEW
