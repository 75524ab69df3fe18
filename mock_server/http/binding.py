"""From a route to a view: the operation's row, the body's shape, and the pipeline around both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from flask import Blueprint, Response, request
from werkzeug.exceptions import MethodNotAllowed

from mock_server.contract.bodies import BodyRules
from mock_server.contract.dialect import Dialect
from mock_server.contract.operations import Operation
from mock_server.http.context import Answer, Call
from mock_server.http.express import serve
from mock_server.http.finish import response
from mock_server.http.pipeline import Endpoint, walk
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

    def under(self, rules: BodyRules | None) -> Loads:
        """The shape as a dialect has it."""
        ...

    def warm(self) -> object:
        """Makes everything that the first body would otherwise wait for."""
        ...


class PerDialect:
    """A shape that a dialect has its say in."""

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


def _in_dialect(operation: str, shape: Body) -> PerDialect | None:
    """The shape with what each dialect's table says of the operation."""
    if shape is None:
        return None

    def make(dialect: Dialect) -> Loads:
        own = shape.of(dialect) if isinstance(shape, PerDialect) else shape
        return own.under(dialect.bodies.get(operation))

    return PerDialect(make)


class Resource:
    """The views of one resource, and the shapes of their bodies and queries, by the operation that each serves."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._views: dict[str, Endpoint] = {}
        self.shapes: dict[str, tuple[PerDialect | None, PerDialect | None]] = {}

    def view(self, operation: str, body: Body = None, query: Body = None) -> Callable[[View], View]:
        """Registers a view for an operation: it gets the call, the path's parts, and the command of its shape."""

        shapes = _in_dialect(operation, body), _in_dialect(operation, query)

        def register(view: View) -> View:
            self.shapes[operation] = shapes
            self._views[operation] = walk(_bound(view, *shapes))
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


def _bound(view: View, body: PerDialect | None, query: PerDialect | None) -> Endpoint:
    def endpoint(call: Call) -> Answer:
        if body is not None and (query is None or call.method not in ("GET", "HEAD")):
            return view(call, command(call, body), **call.args)
        if query is not None:
            return view(call, question(call, query), **call.args)
        return view(call, **call.args)

    return endpoint


def command(call: Call, shape: PerDialect) -> Any:
    """What the body asks for."""
    return shape.of(call.sandbox.dialect).load(call.body, call.now, ignore_unknown=_ignores(call))


def question(call: Call, shape: PerDialect) -> Any:
    """What the query asks for."""
    return shape.of(call.sandbox.dialect).load_query(call.query_pairs, call.now, ignore_unknown=_ignores(call))


def _ignores(call: Call) -> bool:
    return bool(call.home.deciding.setting("unknown_fields") == "ignore")


def _view(sandbox: Sandbox, operation: Operation, endpoints: Mapping[str, Endpoint]) -> Callable[..., Response]:
    """An operation as a view of Flask."""

    def view(**args: str) -> Response:
        return response(serve(sandbox, operation, endpoints[operation.name], request.environ, args))

    return view
