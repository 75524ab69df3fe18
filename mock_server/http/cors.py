"""What a browser on any site may call: the routes that take a publishable key (decisions "Words on the wire", CORS).

It is asked for around the app, so that refusals of every origin carry the headers too, and it looks at nothing
unless a browser says where its page comes from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Final

from mock_server.domain.api_keys import KeyKind
from mock_server.domain.operations import OPERATIONS, Operation

Environ = dict[str, Any]
Wsgi = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]

ANY_ORIGIN: Final = ("Access-Control-Allow-Origin", "*")
SHOWN: Final = (
    "X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Retry-After",
    "X-Sandbox-Because", "X-Sandbox-Replayed",
)  # fmt: skip
TAKEN: Final = ("api-key", "Content-Type", "X-Idempotency-Key", "X-Sandbox-Outcome", "X-Sandbox-Scenario")
REMEMBERED_S: Final = 600
_PART: Final = re.compile(r"<[^>]+>")


class CrossOrigin:
    """A WSGI app around another one that answers preflights and lets pages of any site read the answers."""

    def __init__(self, app: Wsgi, operations: Iterable[Operation] = OPERATIONS) -> None:
        self._app = app
        rows = tuple(operations)
        self._plain = {row.path for row in rows if "<" not in row.path}
        opens = [row for row in rows if KeyKind.PUBLISHABLE in row.keys]
        self._open = [(re.compile(_PART.sub("[^/]+", row.path)), row.path, row.method) for row in opens]

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        if "HTTP_ORIGIN" not in environ:
            return self._app(environ, start_response)
        methods = self.methods_of(environ["PATH_INFO"])
        if methods and environ["REQUEST_METHOD"] == "OPTIONS" and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in environ:
            start_response("204 No Content", preflight(methods))
            return []
        if environ["REQUEST_METHOD"] not in methods:
            return self._app(environ, start_response)
        return self._app(environ, _opened(start_response))

    def methods_of(self, path: str) -> frozenset[str]:
        """The methods that pages of any site may use on a path."""
        if path in self._plain:
            return frozenset(method for _, named, method in self._open if named == path)
        return frozenset(method for form, _, method in self._open if form.fullmatch(path))


def preflight(methods: Iterable[str]) -> list[tuple[str, str]]:
    """What a preflight is told."""
    return [
        ANY_ORIGIN,
        ("Access-Control-Allow-Methods", ", ".join(sorted(methods))),
        ("Access-Control-Allow-Headers", ", ".join(TAKEN)),
        ("Access-Control-Max-Age", str(REMEMBERED_S)),
    ]


def _opened(start_response: Callable[..., Any]) -> Callable[..., Any]:
    def opened(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
        shown = ("Access-Control-Expose-Headers", ", ".join(SHOWN))
        return start_response(status, [*headers, ANY_ORIGIN, shown], *more)

    return opened
