"""The awaitable twins: every method of a sandbox and its parts, run in a thread so that the event loop continues.

A twin lists the methods of its original, each with the original's parameters and result.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
import warnings
from collections.abc import Callable, Coroutine, Generator
from contextlib import AbstractContextManager
from functools import cached_property, update_wrapper
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from mock_server.testing.client import Cards, Client
from mock_server.testing.control import ControlClient, Triggers, WorkspaceClock
from mock_server.testing.journal import Journal
from mock_server.testing.outcomes import PaymentOutcome
from mock_server.testing.parts import SandboxParts
from mock_server.testing.scenarios import Scenarios
from mock_server.testing.webhooks import Webhooks

__tracebackhide__ = True
P = ParamSpec("P")
R = TypeVar("R", covariant=True)
T = TypeVar("T")
Original = TypeVar("Original")


async def in_thread(work: Callable[..., Any], *arguments: Any) -> Any:
    """Runs it in a thread of the loop that awaits: asyncio's, or trio's."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        if "trio" not in sys.modules:
            raise RuntimeError("`aio` needs a running loop of asyncio or trio: without one, leave out `aio`") from None
        return await sys.modules["trio"].to_thread.run_sync(work, *arguments)
    return await asyncio.to_thread(work, *arguments)


class Pending(Coroutine[Any, Any, R]):
    """A call that starts when it is awaited, as a task too, or when its `async with` block is entered."""

    def __init__(self, name: str, work: Callable[[], R]) -> None:
        self._name = name
        self._work = work
        self._made: Any = None
        self._is_awaited = False

    def __del__(self) -> None:
        if not self._is_awaited:
            warnings.warn(f"{self._name} was never awaited: nothing was done", RuntimeWarning, stacklevel=2)

    @cached_property
    def _steps(self) -> Generator[Any, Any, R]:
        self._is_awaited = True
        return self._run().__await__()

    async def _run(self) -> Any:
        (found,) = await in_thread(lambda: (self._work(),))  # in a tuple: trio's threads return no coroutine
        return await found if inspect.isawaitable(found) else found  # the answer of an async client

    def __await__(self) -> Generator[Any, Any, R]:
        return self._steps

    def send(self, value: Any) -> Any:
        return self._steps.send(value)

    def throw(self, *error: Any) -> Any:
        return self._steps.throw(*error)

    def close(self) -> None:
        self._steps.close()

    async def __aenter__(self: Pending[AbstractContextManager[T]]) -> T:
        self._made = await self
        entered: T = await in_thread(self._made.__enter__)
        return entered

    async def __aexit__(self: Pending[AbstractContextManager[object]], *error: object) -> bool | None:
        left: bool | None = await in_thread(self._made.__exit__, *error)
        return left


class Twin(Generic[Original]):
    """An object with the methods of another, each returning an awaitable."""

    def __init__(self, of: Original) -> None:
        self._of = of


class AwaitableMethod(Generic[P, R]):
    """A method of the original, by its name there."""

    def __init__(self, method: Callable[Concatenate[Any, P], R]) -> None:
        self._method = method

    def __get__(self, twin: Twin[Any], owner: object = None) -> Callable[P, Pending[R]]:
        def call(*args: P.args, **more: P.kwargs) -> Pending[R]:
            return Pending(self._method.__qualname__, lambda: self._method(twin._of, *args, **more))

        return update_wrapper(call, self._method)


class AwaitableProperty(Generic[R]):
    """A property of the original, by its name there."""

    def __init__(self, of: Callable[[Any], R]) -> None:
        self._read: Any = of

    def __get__(self, twin: Twin[Any], owner: object = None) -> Pending[R]:
        return Pending(self._read.fget.__qualname__, lambda: self._read.__get__(twin._of))


class AsyncControl(Twin[ControlClient]):
    """The control API."""

    get = AwaitableMethod(ControlClient.get)
    post = AwaitableMethod(ControlClient.post)
    put = AwaitableMethod(ControlClient.put)
    delete = AwaitableMethod(ControlClient.delete)


class AsyncClient(Twin[Client]):
    """The plain client."""

    request = AwaitableMethod(Client.request)
    get = AwaitableMethod(Client.get)
    post = AwaitableMethod(Client.post)
    put = AwaitableMethod(Client.put)
    delete = AwaitableMethod(Client.delete)
    pay = AwaitableMethod(Client.pay)
    payment = AwaitableMethod(Client.payment)

    @property
    def timeout(self) -> float:
        """In seconds."""
        return self._of.timeout


class AsyncClock(Twin[WorkspaceClock]):
    """The clock."""

    state = AwaitableMethod(WorkspaceClock.state)
    freeze = AwaitableMethod(WorkspaceClock.freeze)
    resume = AwaitableMethod(WorkspaceClock.resume)
    advance = AwaitableMethod(WorkspaceClock.advance)
    now = AwaitableProperty(WorkspaceClock.now)


class AsyncJournal(Twin[Journal]):
    """The received calls."""

    calls = AwaitableMethod(Journal.calls)
    wait_for = AwaitableMethod(Journal.wait_for)
    assert_called = AwaitableMethod(Journal.assert_called)
    assert_not_called = AwaitableMethod(Journal.assert_not_called)
    clear = AwaitableMethod(Journal.clear)
    last = AwaitableProperty(Journal.last)


class AsyncScenarios(Twin[Scenarios]):
    """The scenarios."""

    turn_on = AwaitableMethod(Scenarios.turn_on)
    put = AwaitableMethod(Scenarios.put)
    turn_off = AwaitableMethod(Scenarios.turn_off)
    shown = AwaitableMethod(Scenarios.shown)
    on = AwaitableMethod(Scenarios.on)
    check = AwaitableMethod(Scenarios.check)
    results = AwaitableMethod(Scenarios.results)


class AsyncTriggers(Twin[Triggers]):
    """Actions of the customer, the bank and the fraud check."""

    authenticate = AwaitableMethod(Triggers.authenticate)
    settle = AwaitableMethod(Triggers.settle)
    fail = AwaitableMethod(Triggers.fail)
    expire = AwaitableMethod(Triggers.expire)
    hold = AwaitableMethod(Triggers.hold)
    dispute = AwaitableMethod(Triggers.dispute)
    settle_refund = AwaitableMethod(Triggers.settle_refund)
    advance_dispute = AwaitableMethod(Triggers.advance_dispute)
    webhook = AwaitableMethod(Triggers.webhook)


class AsyncWebhooks(Twin[Webhooks]):
    """The events."""

    all = AwaitableMethod(Webhooks.all)
    wait_for = AwaitableMethod(Webhooks.wait_for)
    none = AwaitableMethod(Webhooks.none)
    get = AwaitableMethod(Webhooks.get)
    settle = AwaitableMethod(Webhooks.settle)
    connect = AwaitableMethod(Webhooks.connect)
    send_to = AwaitableMethod(Webhooks.send_to)
    deliver = AwaitableMethod(Webhooks.deliver)
    signed = AwaitableMethod(Webhooks.signed)
    resend = AwaitableMethod(Webhooks.resend)
    resend_all = AwaitableMethod(Webhooks.resend_all)
    disconnect = AwaitableMethod(Webhooks.disconnect)

    @property
    def raised(self) -> list[BaseException]:
        """The exceptions that connected apps raised while they received events."""
        return self._of.raised


class AsyncParts(Twin[SandboxParts]):
    """The attributes and parts of a sandbox."""

    webhook_secret = AwaitableProperty(SandboxParts.webhook_secret)

    def __init__(self, of: SandboxParts) -> None:
        super().__init__(of)
        self.url: str = of.url
        self.env: dict[str, str] = of.env
        self.api_key: str = of.api_key
        self.publishable_key: str = of.publishable_key
        self.seed: str | None = of.seed
        self.name: str | None = of.name
        self.outcome: PaymentOutcome | None = of.outcome
        self.server_note: str = of.server_note
        self.cards: Cards = of.cards
        self.control = AsyncControl(of.control)
        self.client = AsyncClient(of.client)
        self.clock = AsyncClock(of.clock)
        self.journal = AsyncJournal(of.journal)
        self.webhooks = AsyncWebhooks(of.webhooks)
        self.trigger = AsyncTriggers(of.trigger)
        self.scenarios = AsyncScenarios(of.scenarios)
