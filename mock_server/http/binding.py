"""From a route to a view: the operation's row, the body's shape, and the pipeline around both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from flask import Blueprint, Response, request
from werkzeug.exceptions import MethodNotAllowed

from mock_server.contract.dialect import Dialect
from mock_server.contract.operations import Operation
from mock_server.http.context import Answer, Call, Endpoint
from mock_server.http.express import serve
from mock_server.http.finish import response
from mock_server.http.pipeline import walk
from mock_server.http.rules import shadowed

if TYPE_CHECKING:
    from mock_server.sandbox import Sandbox

View = Callable[..., Answer]


class Loads(Protocol):
    """A shape that turns what came into a command; see `contract.requests`."""

    def load(self, data: object, now_ms: int, *, ignore_unknown: bool = False) -> Any:
        """The command. Refused as `value_missing`, `value_invalid`, `unknown_field`."""
        ...

    def load_query(self, pairs: Iterable[tuple[str, str]], now_ms: int, *, ignore_unknown: bool = False) -> Any:
        """The command that the pairs of a query string ask for; refused in the same way."""
        ...


class PerDialect:
    """A shape that a dialect has its say in: what is required, how parameters are called."""

    def __init__(self, make: Callable[[Dialect], Loads]) -> None:
        self._make = make
        self._made: dict[str, Loads] = {}

    def of(self, dialect: Dialect) -> Loads:
        """The shape in a dialect, made once."""
        made = self._made.get(dialect.name)
        if made is None:
            made = self._made[dialect.name] = self._make(dialect)
        return made


Body = Loads | PerDialect | None


class Resource:
    """The views of one resource, and the shapes of their bodies and queries, by the operation that each serves."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._views: dict[str, Endpoint] = {}
        self.shapes: dict[str, tuple[Body, Body]] = {}

    def view(self, operation: str, body: Body = None, query: Body = None) -> Callable[[View], View]:
        """Registers a view for an operation: it gets the call, the path's parts, and the command of its shape."""

        def register(view: View) -> View:
            self.shapes[operation] = (body, query)
            self._views[operation] = walk(_bound(view, body, query))
            return view

        return register

    @property
    def endpoints(self) -> Mapping[str, Endpoint]:
        """What answers each operation that has a view here, by its name."""
        return self._views


def blueprint(sandbox: Sandbox, name: str, routes: Iterable[Operation], endpoints: Mapping[str, Endpoint]) -> Blueprint:
    """Operations as Flask serves them."""
    made, rows = Blueprint(name, __name__), tuple(routes)
    for number, row in enumerate(rows):
        view = _view(sandbox, row, endpoints)
        made.add_url_rule(row.path, f"{row.name}:{number}".replace(".", "/"), view, methods=[row.method])
    for path, others in shadowed(rows):
        made.add_url_rule(path, f"not at {path}", _no_method, methods=others)
    return made


def _no_method(**args: str) -> Response:
    raise MethodNotAllowed


def _bound(view: View, body: Body, query: Body) -> Endpoint:
    if body is None and query is None:
        return lambda call: view(call, **call.args)

    def endpoint(call: Call) -> Answer:
        if query is None or (body is not None and call.method not in ("GET", "HEAD")):
            return view(call, command(call, body), **call.args)
        return view(call, question(call, query), **call.args)

    return endpoint


def command(call: Call, shape: Body) -> Any:
    """What the body asks for."""
    return _shape_of(call, shape).load(call.body, call.now, ignore_unknown=_ignores(call))


def question(call: Call, shape: Body) -> Any:
    """What the query asks for."""
    return _shape_of(call, shape).load_query(call.query_pairs, call.now, ignore_unknown=_ignores(call))


def _shape_of(call: Call, shape: Body) -> Loads:
    if isinstance(shape, PerDialect):
        return shape.of(call.sandbox.dialect)
    assert shape is not None
    return shape


def _ignores(call: Call) -> bool:
    return bool(call.home.deciding.setting("unknown_fields") == "ignore")


def _view(sandbox: Sandbox, operation: Operation, endpoints: Mapping[str, Endpoint]) -> Callable[..., Response]:
    """An operation as a view of Flask."""

    def view(**args: str) -> Response:
        return response(serve(sandbox, operation, endpoints[operation.name], request.environ, args))

    return view
