"""The routes as rows of text, for the generated parts of the docs: what each gives, and how it can be refused."""

from __future__ import annotations

from collections.abc import Iterable

from mock_server.cli.tables import Table, shown_path
from mock_server.contract import routes as table
from mock_server.contract.operations import OPERATIONS
from mock_server.domain.causes import Cause


def routes() -> Table:
    """Return every route: method, path, keys, record, and the errors of its own."""
    rows = (
        (
            operation.method,
            shown_path(operation.path),
            " or ".join(sorted(operation.keys, reverse=True)),
            operation.record,
            _listed(operation.errors),
        )
        for operation in OPERATIONS
    )
    return Table(("method", "path", "keys", "record", "errors of its own"), tuple(rows))


def shared_errors() -> Table:
    """Return the errors that sorts of routes share."""
    rows = (
        ("every route", table.ON_EVERY),
        ("a route with a JSON body", table.ON_BODIES),
        ("an upload", table.ON_FORMS),
        ("a list, and any other route with a query", table.ON_QUERIES),
        ("a route that changes something", table.ON_CHANGES),
        ("a call with a publishable key", table.ON_CLIENTS),
        ("analytics and the control API", table.ON_SLOW),
    )
    return Table(("which routes", "errors"), tuple((which, _listed(causes)) for which, causes in rows))


def left_out() -> Table:
    """Return the routes of the public API that are not served, each with the reason."""
    return Table(("route", "why it is left out", "source"), tuple(tuple(row) for row in table.LEFT_OUT))


def _listed(causes: Iterable[Cause]) -> str:
    return ", ".join(f"`{cause}`" for cause in causes)
