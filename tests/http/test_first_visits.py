"""First visits of every kind at once, to servers that were never asked anything before."""

from __future__ import annotations

import json
import random
import re
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from http.client import HTTPConnection
from typing import IO, Final, NamedTuple

import pytest
from werkzeug.test import Client

from mock_server.app import PAGES, Application
from mock_server.http.express import PageRow, PageView
from mock_server.sandbox import Sandbox, build
from mock_server.server import Server
from mock_server.settings import Settings
from tests.counts import times
from tests.running import COMMAND, RunningSandbox, environment
from tests.wire import card_payment, wire

AT_ONCE: Final = 8
FEW: Final = (40, 20, 24, 64, 256)[: times(1, soak=5)]
KEY: Final = "snd_first_visits"
PAY: Final = json.dumps({**card_payment("visa_3ds_required"), "confirm": True})


class Visit(NamedTuple):
    """One kind of first visit: what is asked, and what its answer's status and text must be."""

    name: str
    method: str
    path: str
    status: int
    holds: str
    body: str = ""
    is_page: bool = False


VISITS: Final = (
    Visit("a customer's page", "GET", "/payments/redirect/pay_x/mer_x/att_x", 404, "link is not known", is_page=True),
    Visit("the dashboard", "GET", "/_sandbox/ui", 200, "<html", is_page=True),
    Visit("the docs", "GET", "/_sandbox/docs", 200, "<html", is_page=True),
    Visit("the OpenAPI document", "GET", "/_sandbox/openapi.json", 200, '"openapi"', is_page=True),
    Visit("a create", "POST", "/payments", 200, "requires_action", PAY),
    Visit("a retrieve", "GET", "/payments/pay_x", 404, "HE_02"),
    Visit("a control call", "GET", "/_sandbox/clock", 200, '"now"'),
    Visit("metrics", "GET", "/_sandbox/metrics", 200, "sandbox"),
    Visit("an unknown path", "GET", "/nowhere", 404, "IR_02"),
)

ALIVE: Final = Visit("health", "GET", "/_sandbox/livez", 200, "")


def wrong(visit: Visit, status: int, text: str) -> list[str]:
    """What is wrong with an answer."""
    fine = status == visit.status and visit.holds in text
    return [] if fine else [f"{visit.name}: {status} {text[:200]}"]


def asked(port: int, visit: Visit) -> list[str]:
    """Makes a visit on a connection of its own; gives what is wrong with its answer."""
    line = HTTPConnection("127.0.0.1", port)
    try:
        return wrong(visit, *told(line, visit))
    finally:
        line.close()


def told(line: HTTPConnection, visit: Visit) -> tuple[int, str]:
    line.request(visit.method, visit.path, visit.body, {"api-key": KEY, "Content-Type": "application/json"})
    answer = line.getresponse()
    return answer.status, answer.read().decode()


def all_at_once(calls: list[Callable[[], list[str]]]) -> list[str]:
    """Makes calls on threads that begin together; gives what is wrong with their answers."""
    found: list[str] = []
    gate = threading.Barrier(len(calls))

    def make(call: Callable[[], list[str]]) -> None:
        gate.wait()
        try:
            found.extend(call())
        except Exception as error:
            found.append(repr(error))

    threads = [threading.Thread(target=make, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


@pytest.mark.parametrize("number", range(times(2, soak=200)))
def test_first_visits_of_every_kind_at_once(number: int) -> None:
    kinds = VISITS if number % 2 else VISITS[:2]
    calls = [visit for visit in kinds for _ in range(AT_ONCE)]
    random.Random(number).shuffle(calls)
    with RunningSandbox() as server:
        port = server.ready["port"]
        found = all_at_once([partial(asked, port, visit) for visit in calls])
        after = [line for visit in VISITS for line in asked(port, visit)]
    assert (found, after) == ([], [])


@pytest.mark.parametrize("number", range(times(20, soak=200)))
def test_two_threads_find_all_of_flasks_routes(number: int) -> None:
    """The same within one process, where only threads are in each other's way."""
    app = wire().app
    paths = [visit for visit in VISITS if visit.method == "GET"] * 2
    random.Random(number).shuffle(paths)

    def look(visit: Visit) -> list[str]:
        with app.test_client() as client:
            answer = client.get(visit.path, headers={"api-key": KEY})
            return wrong(visit, answer.status_code, answer.get_data(as_text=True))

    assert all_at_once([partial(look, visit) for visit in paths]) == []


@pytest.mark.parametrize("descriptors", FEW)
def test_first_visits_find_room_while_clients_take_all_that_they_get(descriptors: int) -> None:
    """Clients that only connect, as many as they can, keep nothing from those that were there before."""
    with served_with(descriptors) as (port, log), ExitStack() as opened:
        line = opened.enter_context(closing(HTTPConnection("127.0.0.1", port)))
        assert told(line, ALIVE)[0] == 200
        for _ in range(descriptors):
            opened.enter_context(socket.create_connection(("127.0.0.1", port)))
        while "no more connections" not in (said := log.readline()):
            assert said, "the server ended"
        missed = [one for visit in VISITS for one in wrong(visit, *told(line, visit))]
        opened.close()
        after = [one for visit in VISITS for one in asked(port, visit)]
    assert (missed, after) == ([], [])


@contextmanager
def served_with(descriptors: int) -> Iterator[tuple[int, IO[str]]]:
    """A server that may have so many files open; gives its port and its log."""
    limited = ["sh", "-c", f'ulimit -n {descriptors} && exec "$0" "$@"', *COMMAND]
    server = subprocess.Popen(
        [*limited, "serve", "--port", "0", "--log-format", "json"],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None and server.stderr is not None
    try:
        yield json.loads(server.stdout.readline())["port"], server.stderr
    finally:
        server.terminate()
        server.communicate()


def test_what_could_not_be_made_is_made_with_the_next_call() -> None:
    full = [OSError(24, "Too many open files")]

    def views(sandbox: Sandbox) -> Mapping[str, PageView]:
        if full:
            raise full.pop()
        return PAGES[-1].views(sandbox)

    client = Client(Application(build(Settings()), pages=tuple(page._replace(views=views) for page in PAGES)).wsgi)
    assert client.get("/_sandbox/docs").status_code == 500
    assert client.get("/_sandbox/docs").status_code == 200


def test_while_pages_are_imported_other_calls_are_answered() -> None:
    """The import ends when all others have their answers; pages wait for it, however many."""
    may_end = threading.Event()

    def late(page: PageRow) -> PageRow:
        def views(sandbox: Sandbox) -> Mapping[str, PageView]:
            may_end.wait()
            return page.views(sandbox)

        return page._replace(views=views)

    application = Application(build(Settings()), pages=tuple(map(late, PAGES)))
    paths = [page.path for page in PAGES if "GET" in page.methods]
    pages = [re.sub("<[^>]+>", "x", path) for path in paths if "live" not in path]
    with Server(application.wsgi) as server, ExitStack() as opened:
        lines = [opened.enter_context(closing(HTTPConnection("127.0.0.1", server.port))) for _ in pages]
        for line, path in zip(lines, pages, strict=True):
            line.request("GET", path)
        others = [line for visit in VISITS if not visit.is_page for line in asked(server.port, visit)]
        may_end.set()
        shown = [line.getresponse().status for line in lines]
    assert others == []
    assert 500 not in shown
    assert set(shown) <= {200, 303, 404}
