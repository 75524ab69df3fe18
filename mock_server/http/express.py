"""The short way to an operation: straight from the WSGI environ into the pipeline, past Flask's contexts.

Flask spends more on a call than a retrieve's own work takes. So the operations of the API and of the control API,
which need none of what Flask prepares, are found here by a tree of their paths; whatever is not found (another path,
another method, a character outside ASCII) goes to Flask, which knows the same routes and answers as it always does.
A test holds both to the same answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from mock_server.contract.operation import Operation
from mock_server.http.context import Answer, Call, Endpoint
from mock_server.http.finish import leave_plans

if TYPE_CHECKING:
    from mock_server.sandbox import Sandbox

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
Wsgi = Callable[[Environ, StartResponse], Iterable[bytes]]
Route = tuple[Operation, Mapping[str, Endpoint]]

_LINES = {status.value: f"{status.value} {status.phrase}" for status in HTTPStatus}


class PathNode:
    """One place in the tree of paths: what follows by name, what follows by any name, and who answers here."""

    __slots__ = ("argument", "children", "named", "routes")

    def __init__(self) -> None:
        self.children: dict[str, PathNode] = {}
        self.argument: str | None = None
        self.named: PathNode | None = None
        self.routes: dict[str, Route] = {}

    def add(self, segments: list[str], route: Route) -> None:
        """Puts a route where its path leads; a segment in angle brackets takes any text."""
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
        """The routes of a path by method, and what its open segments hold; names go before open segments."""
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
        """Leads to these operations; what answers each is looked up when it is called."""
        for operation in operations:
            self._root.add(operation.path.split("/")[1:], (operation, endpoints))

    def methods(self, path: str) -> list[str]:
        """The methods that a path takes; none where no operation is."""
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
    """Makes the call, sends it through its pipeline, and leaves what the line shall do for the server."""
    call = Call(sandbox, operation, environ, args, sandbox.request_id(), sandbox.clock.monotonic())
    answer = endpoint(call)
    leave_plans(call, answer)
    return answer


def sent(answer: Answer, start_response: StartResponse) -> Iterable[bytes]:
    """An answer as WSGI has it."""
    length = ("Content-Length", str(len(answer.body)))
    start_response(_LINES.get(answer.status) or f"{answer.status} ?", [*answer.headers, length])
    return (answer.body,)
