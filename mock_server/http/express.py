"""The way to an operation: directly from the WSGI environ into the pipeline, without Flask.

Flask takes longer for a call than a whole retrieve, and longer to import than the server. So a tree of paths finds the
operations of the API and of the control API, and another one the pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Generic, NamedTuple, TypeVar

from mock_server.contract.operation import Operation
from mock_server.contract.routes import out_of_scope
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.faults import leave_loop
from mock_server.http.finish import leave_plans
from mock_server.http.redaction import readable
from mock_server.http.running import Answer, Call, Endpoint, Environ, StartResponse, Wsgi
from mock_server.sandbox import Sandbox

T = TypeVar("T")
Route = tuple[Operation, Mapping[str, Endpoint]]
Refuse = Callable[[Environ, StartResponse, Refusal], Iterable[bytes]]
ShowPage = Callable[[Environ, StartResponse, "PageRow", dict[str, str]], Iterable[bytes]]

_LINES = {status.value: f"{status.value} {status.phrase}" for status in HTTPStatus}


class AnswerStream(NamedTuple):
    """An answer whose body is made while it is sent."""

    headers: tuple[tuple[str, str], ...]
    body: Iterable[bytes]


PageView = Callable[..., Answer | AnswerStream]
"""Answers a page; it gets the environ, and the parts of the path by name."""


class PageRow(NamedTuple):
    """A page's name and path, what imports the views of its package and gives them by name, and its methods.

    A path that ends with a slash stands for every path below it that has no page of its own.
    """

    name: str
    path: str
    views: Callable[[Sandbox], Mapping[str, PageView]]
    methods: tuple[str, ...] = ("GET",)


class PathNode(Generic[T]):
    """A node in a tree of paths: its named children, its child for any name, and what is here, by method."""

    __slots__ = ("argument", "children", "named", "routes")

    def __init__(self) -> None:
        self.children: dict[str, PathNode[T]] = {}
        self.argument: str | None = None
        self.named: PathNode[T] | None = None
        self.routes: dict[str, T] = {}

    def add(self, segments: list[str], method: str, route: T) -> None:
        """Adds a route; a segment in angle brackets matches any text."""
        node = self
        for segment in segments:
            if segment.startswith("<"):
                node.argument = segment.strip("<>")
                node.named = node.named or PathNode()
                node = node.named
            else:
                node = node.children.setdefault(segment, PathNode())
        node.routes[method] = route

    def find(self, segments: list[str]) -> tuple[dict[str, T], dict[str, str]] | None:
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


class Paths:
    """What is where: operations and pages. Their views are looked up, and imported, when one is called."""

    def __init__(
        self, tables: Iterable[tuple[Iterable[Operation], Mapping[str, Endpoint]]], pages: Iterable[PageRow]
    ) -> None:
        self.operations = PathNode[Route]()
        self.pages = PathNode[PageRow]()
        self.below: dict[str, dict[str, PageRow]] = {}
        for operations, endpoints in tables:
            for operation in operations:
                self.operations.add(operation.path.split("/")[1:], operation.method, (operation, endpoints))
        for page in pages:
            for method in page.methods:
                if page.path.endswith("/") and page.path != "/":
                    self.below.setdefault(page.path, {})[method] = page
                else:
                    self.pages.add(page.path.split("/")[1:], method, page)


class Express:
    """A WSGI app; `show` answers with a page, and `refuse` what is on neither tree."""

    def __init__(self, sandbox: Sandbox, paths: Paths, show: ShowPage, refuse: Refuse) -> None:
        self._sandbox = sandbox
        self._show = show
        self._refuse = refuse
        self._root = paths.operations
        self._paths = paths
        self.nowhere: Wsgi = lambda environ, start_response: refuse(environ, start_response, unknown(environ))
        """Answers a path that has nothing."""

    def routes(self, path: str) -> dict[str, Route]:
        """The operations of a path by method; empty if it has none."""
        found = self._root.find(path.split("/")[1:])
        return found[0] if found else {}

    def pages(self, path: str) -> tuple[dict[str, PageRow], dict[str, str]]:
        """The pages of a path by method, and the values of its open segments; empty if it has none."""
        found = self._paths.pages.find(path.split("/")[1:])
        if found and found[0]:
            return found
        return next((pages for base, pages in self._paths.below.items() if path.startswith(base)), {}), {}

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        path, method = environ["PATH_INFO"], environ["REQUEST_METHOD"]
        if not path.isascii():
            path = readable(path)
        if method == "HEAD":
            method = "GET"
        found = self._root.find(path.split("/")[1:])
        if found is None or not found[0]:
            return self._shown(environ, start_response, path, method)
        if method not in found[0]:
            return self._refuse(environ, start_response, not_allowed(environ, found[0]))
        (operation, endpoints), args = found[0][method], found[1]
        if operation.multipart:
            leave_loop(environ)  # the parts are read by a library that the first upload imports
        return sent(serve(self._sandbox, operation, endpoints[operation.name], environ, args), environ, start_response)

    def _shown(self, environ: Environ, start_response: StartResponse, path: str, method: str) -> Iterable[bytes]:
        pages, args = self.pages(path)
        if path == "*":  # `OPTIONS *` asks about the server as a whole (RFC 9110 §9.3.7)
            start_response("204 No Content", [("Allow", "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT")])
            return ()
        if not pages:
            return self.nowhere(environ, start_response)
        if method not in pages:
            return self._refuse(environ, start_response, not_allowed(environ, pages))
        leave_loop(environ)  # each page imports its view and compiles its template first
        return self._show(environ, start_response, pages[method], args)


def not_allowed(environ: Environ, allowed: Iterable[str]) -> Refusal:
    """The refusal of a method that a path does not have."""
    method, path = environ["REQUEST_METHOD"], readable(environ["PATH_INFO"])
    return Refusal(Cause.METHOD_NOT_ALLOWED, method=method, path=path, allowed=", ".join(sorted(allowed)))


def unknown(environ: Environ) -> Refusal:
    """The refusal of a path that has nothing."""
    method, path = environ["REQUEST_METHOD"], readable(environ["PATH_INFO"])
    if what := out_of_scope(path):
        return Refusal(Cause.FEATURE_NOT_OFFERED, feature=what)
    return Refusal(Cause.ROUTE_UNKNOWN, method=method, path=path)


def serve(sandbox: Sandbox, operation: Operation, endpoint: Endpoint, environ: Environ, args: dict[str, str]) -> Answer:
    """Makes the call, runs its pipeline, and leaves the plan for the connection to the server."""
    call = Call(sandbox, operation, environ, args, sandbox.request_id(), sandbox.clock.monotonic())
    return leave_plans(call, endpoint(call))


def sent(answer: Answer, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
    """An answer in WSGI's form."""
    length = ("Content-Length", str(len(answer.body)))
    start_response(_LINES.get(answer.status) or f"{answer.status} ?", [*answer.headers, length])
    return () if environ["REQUEST_METHOD"] == "HEAD" else (answer.body,)
