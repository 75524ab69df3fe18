"""Running commands for a call outside its own key's workspace: in the server's registry, in another merchant's
workspace.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from mock_server.engine.context import CommandContext
from mock_server.http.context import Call
from mock_server.http.running import link_base, words_of
from mock_server.store.protocol import Transaction

if TYPE_CHECKING:
    from mock_server.sandbox import Workspace

P = ParamSpec("P")
T = TypeVar("T")
Command = Callable[Concatenate[Transaction, CommandContext, P], T]


def register(call: Call, workspace: Workspace, command: Command[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Runs a command in one transaction of the server's registry, on behalf of a merchant's workspace."""
    make = _desk(call, workspace)
    return call.sandbox.server.transact(lambda tx: command(tx, make(), *args, **kwargs))


def run_in(call: Call, workspace: Workspace, command: Command[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Runs a command in one transaction of a merchant's workspace."""
    return workspace.work(_desk(call, workspace), command, *args, **kwargs)[0]


def _desk(call: Call, workspace: Workspace) -> Callable[[], CommandContext]:
    now = call.now if workspace is call.workspace else workspace.catch_up()
    words, base = words_of(call), link_base(call)
    return lambda: workspace.desk(now, words, base)
