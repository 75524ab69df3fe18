"""From an operation to its view: the shapes of body and query, the pipeline around it, and its result as bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import RLock
from typing import Any, Final, TypeVar

from mock_server.contract.answers.fields import AnswerShape
from mock_server.contract.answers.writing import write
from mock_server.contract.operation import Operation
from mock_server.domain.faults import HAS_LEFT
from mock_server.domain.paging import Page
from mock_server.http.running import JSON, Answer, Call, Endpoint
from mock_server.jsontext import Raw, dump

View = Callable[..., Answer]
_IMPORTING: Final = RLock()
"""Libraries whose parts import each other can break if two threads import different parts."""


class Endpoints(dict[str, Endpoint]):
    """A package's views by operation, imported with the first call of one that is missing: servers listen sooner."""

    def __init__(self, rows: Mapping[str, Operation], staged: Callable[[Operation, Endpoint], Endpoint]) -> None:
        super().__init__()
        self._rows = rows
        self._staged = staged
        self.import_views: Callable[[], object] = dict
        """Set by the package: imports the modules with its views."""
        self.bare: dict[str, Endpoint] = {}
        """The same without the pipeline around them."""

    def view(self, operation: str) -> Callable[[View], View]:
        """Registers a view: it gets the call, the validated body or query, and the parts of the path."""
        row = self._rows[operation]

        def register(view: View) -> View:
            self.bare[operation] = bound(view, row)
            self[operation] = self._staged(row, self.bare[operation])
            return view

        return register

    def load(self) -> None:
        """Imports all views; a second thread waits, for the views of other packages too."""
        with _IMPORTING:
            self.import_views()

    def __missing__(self, name: str) -> Endpoint:
        self.load()
        if name not in self:
            raise KeyError(name)
        return self[name]


def bound(view: View, row: Operation) -> Endpoint:
    """The view, with body and query of the call read and validated."""
    body, query = row.takes

    def endpoint(call: Call) -> Answer:
        if body is None and query is None:
            return view(call, **call.args)
        workspace = call.opened
        if row.needs is None and workspace is not None:
            dialect, ignores = workspace.dialect, workspace.deciding.ignores_unknown
        else:  # the control API
            dialect, ignores = call.dialect, bool
        if body is not None and (query is None or call.method not in ("GET", "HEAD")):
            if query is not None and call.environ.get("QUERY_STRING"):
                query.of(dialect).load_beside(call.query, ignores)
            return view(call, body.of(dialect).load(call.body, call.now, ignores), **call.args)
        assert query is not None
        pairs = call.query_pairs if call.environ.get("QUERY_STRING") else []
        return view(call, query.of(dialect).load_query(pairs, call.now, ignores), **call.args)

    return endpoint


T = TypeVar("T")

NOTHING = Answer(200, b"")
"""The answer of a call without a result (facts §1.3)."""


def show(value: object) -> Answer:
    """A value as a JSON answer."""
    return Answer(200, dump(value), (JSON,))


def show_as(call: Call, shape: AnswerShape[T], record: T) -> Answer:
    """A record in its shape, in the dialect of the call."""
    return show(write(shape, record, call.dialect))


def show_page(call: Call, page: Page[Any], shape: AnswerShape[T], of: Callable[[Any], T] | None = None) -> Answer:
    """One page of a list, in the dialect's envelope; `of` converts an item to what its shape shows."""
    dialect, operation = call.dialect, call.operation
    keys = dialect.list_of(operation.name, operation.route)
    items = [write(shape, item if of is None else of(item), dialect) for item in page.items]
    if HAS_LEFT in call.environ:  # on a thread, which gives its turn up only between two calls of the encoder
        items = [Raw(dump(item)) for item in items]
    return show(keys.envelope(items, page.total, page.has_more))
