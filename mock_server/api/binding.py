"""Where the views of the API register, each by the name of its row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Concatenate, Final, TypeVar

from mock_server.contract.answers.writing import write
from mock_server.contract.operation import Operation, Success
from mock_server.contract.operations import BY_NAME
from mock_server.domain.paging import Query
from mock_server.engine import profiles
from mock_server.engine.context import CommandContext
from mock_server.http.binding import NOTHING, Endpoints, show, show_as, show_page
from mock_server.http.pipeline import staged
from mock_server.http.running import Answer, Call, run
from mock_server.store.transaction import Transaction

T = TypeVar("T")
Command = Callable[Concatenate[Transaction, CommandContext, ...], T]
Show = Callable[[Call, T], Answer]

ENDPOINTS: Final = Endpoints(BY_NAME, staged)
view = ENDPOINTS.view
PROFILE: Final = "X-Profile-Id"


def runs(
    operation: str, command: Command[T], shown: Show[T] | None = None, *, run_by: Callable[..., Any] = run
) -> None:
    """Registers the view of an operation that is one command of the engine.

    The command gets the parts of the path, then the body or query, if it says anything: a shape may give its values by
    name. Its result is shown by `shown`, otherwise as the operation's row says. `run_by` runs it elsewhere than in the
    workspace of the caller's key.
    """
    show_result: Show[T] = shown or _as_the_row_says(BY_NAME[operation])

    @view(operation)
    def answer(call: Call, *said: Any, **path: str) -> Answer:
        if said and isinstance(said[0], dict):
            return show_result(call, run_by(call, command, *path.values(), **said[0]))
        if said and said[0] is None:
            said = ()
        elif said and isinstance(said[0], Query):
            said = (_of_its_profile(call, said[0]),)
        return show_result(call, run_by(call, command, *path.values(), *said))


def _as_the_row_says(row: Operation) -> Show[Any]:
    shape: Any = row.gives
    if row.success is Success.PAGE:
        return lambda call, page: show_page(call, page, shape)
    if row.success is Success.ARRAY:
        return lambda call, records: show([write(shape, record, call.dialect) for record in records])
    if row.success is Success.NOTHING:
        return lambda call, result: NOTHING
    if shape is None:
        return lambda call, result: show(result)
    return lambda call, result: show_as(call, shape, result)


def _of_its_profile(call: Call, query: Query) -> Query:
    """A list's query, limited to the profile that a call at profile level names. Refused as `object_unknown`."""
    profile_id = call.headers.get(PROFILE) if "/profile/" in call.operation.path else None
    if not profile_id:
        return query
    run(call, profiles.retrieve, profile_id)
    return query.within("profile_id", profile_id)
