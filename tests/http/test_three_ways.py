"""The same calls to our server, to Flask's test client and to another WSGI server get the same bytes."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from typing import Any, Final, NamedTuple
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest

from mock_server.app import PAGES, Application, create_app
from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.operation import WITH_BODY
from mock_server.contract.operations import OPERATIONS, may_take_long
from mock_server.sandbox import Sandbox, build
from mock_server.server import Server
from mock_server.settings import Settings
from tests.clocks import ManualClock
from tests.counts import times
from tests.wire import KEY, card_payment

METHODS: Final = ("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS")
OF_TRANSPORT: Final = frozenset({"date", "server", "connection"})
LEFT_OUT: Final = ("//", "/_sandbox/ui/live", "/_sandbox/journal", "/_sandbox/verdicts", "/_sandbox/metrics")
"""What the client takes for a host, what answers when something has happened, and what tells of connections."""
SENT: Final = {"api-key": KEY, "Content-Type": "application/json", "Host": "localhost", "User-Agent": "tests"}


class Ask(NamedTuple):
    method: str
    path: str
    body: bytes


class Got(NamedTuple):
    status: int
    headers: list[tuple[str, str]]
    body: bytes


Way = Callable[[Ask], Got]


def asks() -> list[Ask]:
    """Every operation and page in all variations, and a payment."""
    paths: dict[str, set[str]] = {}
    for row in (*OPERATIONS, *CONTROL_OPERATIONS):
        paths.setdefault(row.path, set()).add(row.method)
    for page in PAGES:
        paths.setdefault(page.path, set()).update(page.methods)
    made = dict.fromkeys(one for path, methods in paths.items() for one in variations(path, methods))
    return [*made, Ask("POST", "/payments", json.dumps({**card_payment(), "confirm": True}).encode())]


def variations(path: str, methods: set[str]) -> Iterator[Ask]:
    """Right and wrong methods, HEAD, an unknown path below it, a slash at its end, an id that is not ASCII."""
    plain, other = filled(path, "x_1"), filled(path, "x_%C3%A9")
    for method in sorted(methods):
        body = b"{}" if method in WITH_BODY else b""
        yield from (Ask(method, one, body) for one in (plain, f"{plain}/", other))
    yield from (Ask(method, one, b"") for method in METHODS if method not in methods for one in (plain, other))
    yield Ask("HEAD", plain, b"")
    yield from (Ask(method, f"{plain}/x_%C3%A9/nowhere/at/all", b"") for method in ("GET", "POST", "HEAD"))


def filled(path: str, word: str) -> str:
    return "/".join(word if part.startswith("<") else part for part in path.split("/"))


def shown(status: int, headers: list[tuple[str, str]], body: bytes) -> Got:
    without = OF_TRANSPORT | ({"content-length"} if status in (204, 304) else set())  # RFC 9110 §8.6
    return Got(status, sorted((name.lower(), value) for name, value in headers if name.lower() not in without), body)


def over_socket(port: int) -> Way:
    def ask(one: Ask) -> Got:
        line = HTTPConnection("127.0.0.1", port)
        try:
            line.request(one.method, one.path, one.body, SENT)
            answer = line.getresponse()
            return shown(answer.status, answer.getheaders(), answer.read())
        finally:
            line.close()

    return ask


def fresh() -> Sandbox:
    return build(Settings(seed="tests", rate_limit=0), clock=ManualClock())


@contextmanager
def our_server() -> Iterator[Way]:
    with Server(Application(fresh()).wsgi, slow=may_take_long) as server:
        yield over_socket(server.port)


@contextmanager
def flasks_client() -> Iterator[Way]:
    client = create_app(fresh()).test_client(use_cookies=False)

    def ask(one: Ask) -> Got:
        answer = client.open(one.path, method=one.method, data=one.body, headers=SENT, base_url="http://localhost")
        return shown(answer.status_code, list(answer.headers), answer.get_data())

    yield ask


@contextmanager
def other_server() -> Iterator[Way]:
    class Quiet(WSGIRequestHandler):
        def log_message(self, format: str, *args: Any) -> None: ...

    with make_server("127.0.0.1", 0, create_app(fresh()), handler_class=Quiet) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield over_socket(server.server_port)
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("number", range(times(2, soak=10)))
def test_every_way_gives_the_same_bytes(number: int) -> None:
    every = [one for one in asks() if not one.path.startswith(LEFT_OUT)]
    chosen = random.Random(number).sample(every, times(120, soak=len(every)))
    with ExitStack() as opened:
        ours, client, other = (opened.enter_context(way()) for way in (our_server, flasks_client, other_server))
        wrong = []
        for one in chosen:
            want, *found = ours(one), client(one), other(one)
            wrong += [(one, want, got) for got in found if got != want]
    assert wrong[:3] == []
