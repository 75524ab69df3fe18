from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from mock_server.server import Server
from tests.server.wire import App, echo

Serve = Callable[..., Server]


@pytest.fixture
def logged() -> list[tuple[str, Exception | None]]:
    """What servers made by `serve` logged."""
    return []


@pytest.fixture
def serve(logged: list[tuple[str, Exception | None]]) -> Iterator[Serve]:
    """Make servers that run until the test ends; what may block lies below /slow."""
    with ExitStack() as stack:

        def make(app: App = echo, **settings: Any) -> Server:
            settings.setdefault("slow", lambda path: path.startswith("/slow"))
            settings.setdefault("on_log", lambda text, error: logged.append((text, error)))
            return stack.enter_context(Server(app, **settings))

        yield make
