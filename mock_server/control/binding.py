"""From a control route to its view: the row, the shapes of body and query, and the walk around both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.control.stages import walk
from mock_server.http.binding import Loads
from mock_server.http.context import Answer, Call
from mock_server.http.pipeline import Endpoint

View = Callable[..., Answer]
ROWS: Final = {row.name: row for row in CONTROL_OPERATIONS}


class Control:
    """The views of one part of the control API, and the shapes of their requests, by the operation that each serves."""

    def __init__(self) -> None:
        self.views: dict[str, Endpoint] = {}
        self.bare: dict[str, Endpoint] = {}
        """The views without the walk around them."""
        self.shapes: dict[str, tuple[Loads | None, Loads | None]] = {}

    def view(self, operation: str, body: Loads | None = None, query: Loads | None = None) -> Callable[[View], View]:
        """Registers a view: it gets the call, what the shapes made of body and query, and the path's parts."""

        def register(view: View) -> View:
            self.shapes[operation] = (body, query)
            self.bare[operation] = _bound(view, body, query)
            self.views[operation] = walk(ROWS[operation], self.bare[operation])
            return view

        return register


def _bound(view: View, body: Loads | None, query: Loads | None) -> Endpoint:
    def endpoint(call: Call) -> Answer:
        commands: list[Any] = []
        if body is not None:
            commands.append(body.load(call.body, call.now))
        if query is not None:
            commands.append(query.load_query(call.query_pairs, call.now))
        return view(call, *commands, **call.args)

    return endpoint
