"""One row an operation: what it names is there, and there is a view for each and no other."""

from __future__ import annotations

from mock_server import control
from mock_server.api import ENDPOINTS
from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.operations import BY_NAME, OPERATIONS
from mock_server.dialects.interface import INTERFACE
from mock_server.pages.links import ROUTES

ROWS = [*BY_NAME.values(), *CONTROL_OPERATIONS, *ROUTES]


def test_a_row_names_shapes_that_are_there() -> None:
    for row in ROWS:
        assert all(shape is None or hasattr(shape.of(INTERFACE), "load") for shape in row.takes), row.name


def test_a_row_is_told_in_a_sentence() -> None:
    assert [row.name for row in ROWS if not row.about[0].isupper() or "_" in row.about or not row.source] == []


def test_every_row_has_a_view_and_every_view_a_row() -> None:
    ENDPOINTS.load()
    assert set(ENDPOINTS) == set(BY_NAME)
    control.ENDPOINTS.load()
    assert set(control.ENDPOINTS) == {row.name for row in CONTROL_OPERATIONS}


def test_no_two_rows_stand_on_one_route() -> None:
    routes = [row.route for row in (*OPERATIONS, *CONTROL_OPERATIONS)]
    assert len(set(routes)) == len(routes)
