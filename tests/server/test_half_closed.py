"""A client that has sent its call may close its own side: it gets the answer, whatever the answer waits for."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from threading import Event
from typing import Any, Final, NamedTuple

import pytest

from mock_server.domain.faults import ComeAgain
from mock_server.server import Server
from mock_server.server.loop import Loop
from tests.running import until
from tests.server.conftest import Serve
from tests.server.test_passing import passing
from tests.server.wire import Wire, echo, settle

IT: Final = "/it"
"""The path of the call that waits."""


class Way(NamedTuple):
    """A server whose answer waits, whether one waits now, and what ends the wait."""

    server: Server
    waits: Callable[[], object]
    go_on: Callable[[], object]


class Commits:
    """Saves nothing until it is told to."""

    loop: Loop

    def __init__(self) -> None:
        self.waiting: list[Callable[[bool], object]] = []

    def begin(self, loop: Loop) -> None:
        self.loop = loop

    def all_of(self, environ: dict[str, Any], then: Callable[[bool], object]) -> bool:
        if environ["PATH_INFO"] == IT:
            self.waiting.append(then)
            return False
        then(True)
        return True

    def may_leave(self, environ: dict[str, Any], began: float) -> bool:
        return True

    def save(self) -> None:
        for then in self.waiting:
            self.loop.soon(partial(then, True))


def for_its_commit(serve: Serve) -> Way:
    commits = Commits()
    return Way(serve(saves=commits), lambda: commits.waiting, commits.save)


def for_its_data(serve: Serve) -> Way:
    ready, asked = Future[None](), list[str]()

    def app(environ: dict[str, Any], start_response: Any) -> Any:
        if environ["PATH_INFO"] == IT and not ready.done():
            asked.append(environ["PATH_INFO"])
            raise ComeAgain(ready)
        return echo(environ, start_response)

    return Way(serve(app), lambda: asked, lambda: ready.set_result(None))


def for_a_thread(serve: Serve) -> Way:
    begun, go = Event(), Event()

    def app(environ: dict[str, Any], start_response: Any) -> Any:
        if environ["PATH_INFO"] == IT:
            begun.set()
            go.wait()
        return echo(environ, start_response)

    return Way(serve(app, slow=IT.__eq__), begun.is_set, go.set)


def for_more_of_its_body(serve: Serve) -> Way:
    begun, go = Event(), Event()

    def app(environ: dict[str, Any], start_response: Any) -> Any:
        start_response("200 OK", [])
        yield b"GET "
        if environ["PATH_INFO"] == IT:
            begun.set()
            go.wait()
        yield b"/it "

    return Way(serve(app), begun.is_set, go.set)


def elsewhere(of: Callable[[Serve], Way], serve: Serve) -> Way:
    way = of(serve)
    return Way(serve(passing(way.server.address)), way.waits, way.go_on)


HERE: Final = (for_its_commit, for_its_data, for_a_thread, for_more_of_its_body)
WAYS: Final = {of.__name__: of for of in HERE} | {f"elsewhere, {of.__name__}": partial(elsewhere, of) for of in HERE}


@pytest.mark.parametrize("before", [True, False], ids=["with its call", "while it waits"])
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
def test_who_closes_its_own_side_gets_its_answer(serve: Serve, way: Callable[[Serve], Way], before: bool) -> None:
    server, waits, go_on = way(serve)
    with Wire(server).get(IT) as wire:
        if before:
            wire.close_own_side()
        until(waits)
        if not before:
            wire.close_own_side()
        settle(server)
        go_on()
        assert wire.got().body == b"GET /it "
        assert wire.rest() == b""
