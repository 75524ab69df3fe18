"""From a row to its view: the shapes of body and query, the walk around both, and the routes as Flask has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, request
from werkzeug.exceptions import MethodNotAllowed

from mock_server.contract.operation import Operation, PerDialect, Taken
from mock_server.http.context import Answer, Call
from mock_server.http.express import serve
from mock_server.http.finish import response
from mock_server.http.pipeline import Endpoint
from mock_server.http.rules import shadowed

if TYPE_CHECKING:
    from mock_server.sandbox import Sandbox

View = Callable[..., Answer]


class Endpoints(dict[str, Endpoint]):
    """What answers each operation of a room, by its name.

    Views register here when they are imported, which is what `load` does, with the first call of one that is not there
    yet: a server listens a good deal sooner without them.
    """

    def __init__(self, rows: Mapping[str, Operation], walk: Callable[[Operation, Endpoint], Endpoint]) -> None:
        super().__init__()
        self._rows = rows
        self._walk = walk
        self.load: Callable[[], object] = dict
        self.bare: dict[str, Endpoint] = {}
        """The same without the walk around them."""

    def view(self, operation: str) -> Callable[[View], View]:
        """Registers a view: it gets the call, what the row's shape made of body or query, and the path's parts."""
        row = self._rows[operation]

        def register(view: View) -> View:
            self.bare[operation] = _bound(view, row)
            self[operation] = self._walk(row, self.bare[operation])
            return view

        return register

    def __missing__(self, name: str) -> Endpoint:
        self.fill()
        found = self.get(name)
        if found is None:
            raise KeyError(name)
        return found

    def fill(self) -> None:
        """Brings every view in; threads that come at the same time wait for the same import."""
        self.load()


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


def _bound(view: View, row: Operation) -> Endpoint:
    body, query = row.takes
    if body is None and query is None:
        return lambda call: view(call, **call.args)

    def endpoint(call: Call) -> Answer:
        if query is None or (body is not None and call.method not in ("GET", "HEAD")):
            return view(call, _command(call, body), **call.args)
        return view(call, _question(call, query), **call.args)

    return endpoint


def _command(call: Call, shape: Taken) -> Any:
    """What the body asks for."""
    loads: Any = shape.of(call.dialect) if isinstance(shape, PerDialect) else shape
    return loads.load(call.body, call.now, ignore_unknown=_ignores(call))


def _question(call: Call, shape: Taken) -> Any:
    """What the query asks for."""
    loads: Any = shape.of(call.dialect) if isinstance(shape, PerDialect) else shape
    return loads.load_query(call.query_pairs, call.now, ignore_unknown=_ignores(call))


def _ignores(call: Call) -> bool:
    """Whether unknown fields are passed over; the control API never does."""
    return call.operation.needs is None and call.home.deciding.setting("unknown_fields") == "ignore"


def _view(sandbox: Sandbox, operation: Operation, endpoints: Mapping[str, Endpoint]) -> Callable[..., Response]:
    """An operation as a view of Flask."""

    def view(**args: str) -> Response:
        return response(serve(sandbox, operation, endpoints[operation.name], request.environ, args))

    return view
