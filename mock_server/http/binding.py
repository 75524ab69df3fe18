"""From a row to its view: the shapes of body and query, the walk around both, and the routes as Flask has them.

Flask's routes are matched and never built, and made when Flask gets its first call, which may never come.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from threading import RLock
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, request
from werkzeug.exceptions import MethodNotAllowed
from werkzeug.routing import Map, MapAdapter, Rule

from mock_server.contract.operation import Operation
from mock_server.http.context import Answer, Call, Endpoint
from mock_server.http.express import serve
from mock_server.http.finish import response

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
    for path, others in _shadowed(rows):
        made.add_url_rule(path, f"not at {path}", _no_method, methods=others)
    return made


def _no_method(**args: str) -> Response:
    raise MethodNotAllowed


def _bound(view: View, row: Operation) -> Endpoint:
    body, query = row.takes

    def endpoint(call: Call) -> Answer:
        if body is not None and (query is None or call.method not in ("GET", "HEAD")):
            command = body.of(call.dialect).load(call.body, call.now, ignore_unknown=_ignores(call))
            return view(call, command, **call.args)
        if query is not None:
            question = query.of(call.dialect).load_query(call.query_pairs, call.now, ignore_unknown=_ignores(call))
            return view(call, question, **call.args)
        return view(call, **call.args)

    return endpoint


def _ignores(call: Call) -> bool:
    """Whether unknown fields are passed over; the control API never does."""
    return call.operation.needs is None and call.home.deciding.setting("unknown_fields") == "ignore"


def _view(sandbox: Sandbox, operation: Operation, endpoints: Mapping[str, Endpoint]) -> Callable[..., Response]:
    """An operation as a view of Flask."""

    def view(**args: str) -> Response:
        return response(serve(sandbox, operation, endpoints[operation.name], request.environ, args))

    return view


# Flask's routes


class OneWayRule(Rule):
    """A rule without its way back: no view of ours asks Flask for a URL by its endpoint.

    Werkzeug compiles two functions for each rule that turn arguments into a URL; for a hundred routes that takes
    longer than all the rest of the start. Should a later release compile them elsewhere, they are compiled again.
    """

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        return _not_built


def _not_built(*_: Any, **__: Any) -> tuple[str, str]:
    raise LookupError("routes of this app are matched, never built")


class LateMap(Map):
    """A map of rules that are added when somebody looks at it first; whoever comes meanwhile waits for all of them."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._lock = RLock()
        self._fill: Callable[[], object] | None = None

    def fill_with(self, fill: Callable[[], object]) -> None:
        """Have this called before the first look, and again before the next one where it failed."""
        self._fill = fill

    def bind_to_environ(self, *args: Any, **kwargs: Any) -> MapAdapter:
        self._filled()
        return super().bind_to_environ(*args, **kwargs)

    def iter_rules(self, endpoint: str | None = None) -> Iterator[Rule]:
        self._filled()
        return super().iter_rules(endpoint)

    def _filled(self) -> None:
        if self._fill is not None:
            with self._lock:
                if self._fill is not None:
                    self._fill()
                    self._fill = None


def _shadowed(rows: Iterable[Operation]) -> Iterator[tuple[str, set[str]]]:
    """Each path of words where others have an id (`/payments/list`), with the methods that it lacks and they have.

    Werkzeug would take the word for an id there; a path that says more decides alone.
    """
    methods: dict[tuple[str, ...], set[str]] = {}
    for row in rows:
        segments = tuple("<>" if part.startswith("<") else part for part in row.path.split("/"))
        methods.setdefault(segments, set()).add(row.method)
    for path, own in methods.items():
        others = set().union(*(methods[wider] for wider in methods if _covers(wider, path))) - own
        if others:
            yield "/".join(f"<part_{number}>" if part == "<>" else part for number, part in enumerate(path)), others


def _covers(wider: tuple[str, ...], path: tuple[str, ...]) -> bool:
    """Whether each call of a path could be taken for one of another."""
    if len(wider) != len(path) or wider == path:
        return False
    return all(one in ("<>", other) for one, other in zip(wider, path, strict=True))
