"""The server's loop, as an app sees it: a call that may take long is made again on a thread."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from flask import Flask
from werkzeug.test import Client

from mock_server.domain.faults import CARRIED_OUT, HAS_LEFT, TakesLong


class Loop:
    """The app as the loop calls it, and then one of its threads; `seen` is what `look` gave between the two."""

    def __init__(self, app: Flask, look: Callable[[], object] = lambda: None) -> None:
        self._app, self._look = app, look
        self.has_left = False
        self.seen: object = None

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        try:
            return self._app({**environ, CARRIED_OUT: True}, start_response)
        except TakesLong:
            self.has_left, self.seen = True, self._look()
            return self._app({**environ, HAS_LEFT: lambda: False}, start_response)

    def test_client(self) -> Client:
        """Where a call needs Flask's."""
        return Client(self)
