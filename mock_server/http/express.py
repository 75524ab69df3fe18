"""The way to an operation: directly from the WSGI environ into the pipeline, without Flask's contexts.

Flask takes longer for a call than a whole retrieve. So a tree of paths finds the operations of the API and of the
control API, which need nothing of what Flask prepares. Only what has no operation (pages, unknown paths) goes to Flask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus

from mock_server.contract.operation import Operation
from mock_server.domain.errors import Cause, Refusal
from mock_server.http.context import Answer, Call, Endpoint, Environ, StartResponse, Wsgi
from mock_server.http.finish import leave_plans
from mock_server.http.redaction import readable
from mock_server.sandbox import Sandbox

Route = tuple[Operation, Mapping[str, Endpoint]]
Refuse = Callable[[Environ, StartResponse, Refusal], Iterable[bytes]]

_LINES = {status.value: f"{status.value} {status.phrase}" for status in HTTPStatus}


class PathNode:
    """A node in the tree of paths: its named children, its child for any name, and the operations here."""

    __slots__ = ("argument", "children", "named", "routes")

    def __init__(self) -> None:
        self.children: dict[str, PathNode] = {}
        self.argument: str | None = None
        self.named: PathNode | None = None
        self.routes: dict[str, Route] = {}

    def add(self, segments: list[str], route: Route) -> None:
        """Adds a route; a segment in angle brackets matches any text."""
        if not segments:
            self.routes[route[0].method] = route
            return
        first, rest = segments[0], segments[1:]
        if first.startswith("<"):
            self.argument = first.strip("<>")
            self.named = self.named or PathNode()
            self.named.add(rest, route)
        else:
            self.children.setdefault(first, PathNode()).add(rest, route)

    def find(self, segments: list[str]) -> tuple[dict[str, Route], dict[str, str]] | None:
        """The routes of a path by method, and the values of its open segments; names take precedence."""
        node, args = self, {}
        for segment in segments:
            child = node.children.get(segment)
            if child is None:
                child = node.named
                if child is None or not segment:
                    return None
                args[node.argument or ""] = segment
            node = child
        return node.routes, args


class Express:
    """A WSGI app in front of Flask's; `refuse` answers a method that a path does not have."""

    def __init__(self, sandbox: Sandbox, flask: Wsgi, refuse: Refuse) -> None:
        self._sandbox = sandbox
        self._flask = flask
        self._refuse = refuse
        self._root = PathNode()

    def add(self, operations: Iterable[Operation], endpoints: Mapping[str, Endpoint]) -> None:
        """Adds these operations; their views are looked up when they are called."""
        for operation in operations:
            self._root.add(operation.path.split("/")[1:], (operation, endpoints))

    def routes(self, path: str) -> dict[str, Route]:
        """The operations of a path by method; empty if it has none."""
        found = self._root.find(path.split("/")[1:])
        return found[0] if found else {}

    def methods(self, path: str) -> list[str]:
        """The methods of a path; empty if it has no operation."""
        return sorted(self.routes(path))

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        path, method = environ["PATH_INFO"], environ["REQUEST_METHOD"]
        found = self._root.find((path if path.isascii() else readable(path)).split("/")[1:])
        if found is None or not found[0]:
            return self._flask(environ, start_response)
        route = found[0].get(method) or (found[0].get("GET") if method == "HEAD" else None)
        if route is None:
            allowed = ", ".join(sorted(found[0]))
            refusal = Refusal(Cause.METHOD_NOT_ALLOWED, method=method, path=readable(path), allowed=allowed)
            body = self._refuse(environ, start_response, refusal)
        else:
            (operation, endpoints), args = route, found[1]
            body = sent(serve(self._sandbox, operation, endpoints[operation.name], environ, args), start_response)
        return () if method == "HEAD" else body


def serve(sandbox: Sandbox, operation: Operation, endpoint: Endpoint, environ: Environ, args: dict[str, str]) -> Answer:
    """Makes the call, runs its pipeline, and leaves the plan for the connection to the server."""
    call = Call(sandbox, operation, environ, args, sandbox.request_id(), sandbox.clock.monotonic())
    answer = endpoint(call)
    leave_plans(call, answer)
    return answer


def sent(answer: Answer, start_response: StartResponse) -> Iterable[bytes]:
    """An answer in WSGI's form."""
    length = ("Content-Length", str(len(answer.body)))
    start_response(_LINES.get(answer.status) or f"{answer.status} ?", [*answer.headers, length])
    return (answer.body,)
