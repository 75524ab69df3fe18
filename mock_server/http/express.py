"""The fast path to an operation: directly from the WSGI environ into the pipeline, without Flask's contexts.

Flask takes longer for a call than a whole retrieve. So a tree of paths finds the operations of the API and of the
control API, which need nothing of what Flask prepares. Whatever is not found (another path, another method, a
character outside ASCII) goes to Flask, which has the same routes.
A test checks that both give the same answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from http import HTTPStatus

from mock_server.contract.operation import Operation
from mock_server.http.context import Answer, Call, Endpoint, Environ, StartResponse, Wsgi
from mock_server.http.finish import leave_plans
from mock_server.sandbox import Sandbox

Route = tuple[Operation, Mapping[str, Endpoint]]

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
    """A WSGI app in front of Flask's."""

    def __init__(self, sandbox: Sandbox, flask: Wsgi) -> None:
        self._sandbox = sandbox
        self._flask = flask
        self._root = PathNode()

    def add(self, operations: Iterable[Operation], endpoints: Mapping[str, Endpoint]) -> None:
        """Adds these operations; their views are looked up when they are called."""
        for operation in operations:
            self._root.add(operation.path.split("/")[1:], (operation, endpoints))

    def methods(self, path: str) -> list[str]:
        """The methods of a path; empty if it has no operation."""
        found = self._root.find(path.rstrip("/").split("/")[1:])
        return sorted(found[0]) if found else []

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        found = self._root.find(path.split("/")[1:]) if path.isascii() else None
        route = found[0].get(environ["REQUEST_METHOD"]) if found else None
        if found is None or route is None:
            return self._flask(environ, start_response)
        (operation, endpoints), args = route, found[1]
        answer = serve(self._sandbox, operation, endpoints[operation.name], environ, args)
        return sent(answer, start_response)


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
