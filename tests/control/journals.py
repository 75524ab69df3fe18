"""A long poll as a server sees it: parked, and its answer."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

from mock_server.domain.faults import PARKED, Parked
from tests.wire import Reply, Wire


def parked(api: Wire, path: str) -> Parked:
    """The long poll that a call comes to."""
    found: list[Parked] = []

    def around(environ: dict[str, Any], start_response: Any) -> Any:
        environ["mock_server.server"] = True
        body = inner(environ, start_response)
        found.append(environ[PARKED])
        return body

    inner = api.app.wsgi_app
    api.app.wsgi_app = around  # type: ignore[method-assign]  # a server that carries plans out itself
    try:
        api.get(path)
    finally:
        api.app.wsgi_app = inner  # type: ignore[method-assign]  # as it was
    return found[0]


def answered(poll: Parked) -> Reply:
    answer = poll.come(poll.ready.result(0))
    return Reply(answer.status, answer.body, dict(answer.headers))


def is_done(poll: Parked) -> bool:
    assert isinstance(poll.ready, Future)
    return poll.ready.done()
