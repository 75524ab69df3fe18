"""Workspaces with something in their queues, made without HTTP: for tests of time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from mock_server.domain.api_keys import ApiKey, parse
from mock_server.domain.commands import CardInput, MethodInput, PaymentRequest
from mock_server.domain.outcomes import CallContext
from mock_server.domain.payment import Payment
from mock_server.engine.context import CommandContext
from mock_server.engine.payments import create
from mock_server.sandbox import Sandbox, Workspace, build
from mock_server.settings import Settings
from mock_server.store.memory import Store
from mock_server.store.transaction import Transaction
from tests.clocks import ManualClock

P = ParamSpec("P")
T = TypeVar("T")

KEY = "snd_time_0123456789"


def key(text: str = KEY) -> ApiKey:
    """A key."""
    found = parse(text)
    assert isinstance(found, ApiKey)
    return found


def sandbox(clock: ManualClock, store: Store | None = None, **settings: Any) -> Sandbox:
    """A server without its thread."""
    return build(Settings(seed="tests", **settings), clock=clock, store=store or Store())


def carry_out(
    workspace: Workspace,
    command: Callable[Concatenate[Transaction, CommandContext, P], T],
    *args: P.args,
    **kwargs: P.kwargs,
) -> T:
    """Runs a command of the engine in a workspace, at its present time."""
    now = workspace.catch_up()
    return workspace.work(now, CallContext(operation="control"), None, command, *args, **kwargs)[0]


def pay(workspace: Workspace, number: str = "4242424242424242", **fields: Any) -> Payment:
    """A confirmed card payment."""
    card = CardInput(number=number, exp_month="03", exp_year="2099", cvc="737")
    data = MethodInput(category="card", card=card)
    kept = {"amount": 6540, "currency": "EUR", **fields}
    request = PaymentRequest(
        profile_id="pro_shop", confirm=True, payment_method="card", payment_method_type="credit",
        payment_method_data=data, carried=kept, **kept,
    )  # fmt: skip
    return carry_out(workspace, create.create, request)


def told(workspace: Workspace) -> list[tuple[int, str, str | None]]:
    """Everything the workspace told, in order: when, what, about which payment."""
    from mock_server.domain.paging import Query
    from mock_server.engine.kinds import EVENTS

    events = list(workspace.space.scan(EVENTS, Query(ascending=True)))
    events.sort(key=lambda event: event.number)
    return [(event.created_at, event.type, event.payment_id) for event in events]
