"""The awaitable twins: every method of a sandbox and its parts, run in a thread so that the event loop goes on.

A twin names the methods of its original, and each is typed as it is there: its words, and what its awaiting gives.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager
from datetime import datetime
from functools import update_wrapper
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

from mock_server.testing.cards import Cards
from mock_server.testing.client import Client
from mock_server.testing.clocks import WorkspaceClock
from mock_server.testing.control import Control
from mock_server.testing.journal import Journal
from mock_server.testing.outcomes import PaymentOutcome
from mock_server.testing.scenarios import Scenarios
from mock_server.testing.triggers import Triggers
from mock_server.testing.webhooks import Webhooks

P = ParamSpec("P")
R = TypeVar("R", covariant=True)
T = TypeVar("T")
Original = TypeVar("Original")


class Pending(Generic[R]):
    """A call that begins when it is awaited, or when its `async with` block is entered."""

    def __init__(self, work: Callable[[], R]) -> None:
        self._work = work
        self._made: Any = None

    def __await__(self) -> Generator[Any, None, R]:
        return asyncio.to_thread(self._work).__await__()

    async def __aenter__(self: Pending[AbstractContextManager[T]]) -> T:
        self._made = await self
        entered: T = await asyncio.to_thread(self._made.__enter__)
        return entered

    async def __aexit__(self: Pending[AbstractContextManager[object]], *error: object) -> bool | None:
        left: bool | None = await asyncio.to_thread(self._made.__exit__, *error)
        return left


class Twin(Generic[Original]):
    """What has the methods of another, each giving an awaitable."""

    def __init__(self, of: Original) -> None:
        self._of = of


class Method(Generic[P, R]):
    """A method of the original, by its name there."""

    def __init__(self, method: Callable[Concatenate[Any, P], R]) -> None:
        self._method = method

    def __get__(self, twin: Twin[Any], owner: object = None) -> Callable[P, Pending[R]]:
        def call(*args: P.args, **more: P.kwargs) -> Pending[R]:
            return Pending(lambda: self._method(twin._of, *args, **more))

        return update_wrapper(call, self._method)


class AsyncControl(Twin[Control]):
    """The control API."""

    get = Method(Control.get)
    post = Method(Control.post)
    put = Method(Control.put)
    delete = Method(Control.delete)


class AsyncClient(Twin[Client]):
    """The plain client."""

    request = Method(Client.request)
    get = Method(Client.get)
    post = Method(Client.post)
    put = Method(Client.put)
    delete = Method(Client.delete)
    pay = Method(Client.pay)
    payment = Method(Client.payment)

    @property
    def timeout(self) -> float:
        """In seconds."""
        return self._of.timeout


class AsyncClock(Twin[WorkspaceClock]):
    """The clock."""

    state = Method(WorkspaceClock.state)
    freeze = Method(WorkspaceClock.freeze)
    resume = Method(WorkspaceClock.resume)
    advance = Method(WorkspaceClock.advance)

    @property
    def now(self) -> Pending[datetime]:
        """What the clock shows."""
        return Pending(lambda: self._of.now)


class AsyncJournal(Twin[Journal]):
    """The calls that came in."""

    calls = Method(Journal.calls)
    wait_for = Method(Journal.wait_for)
    assert_called = Method(Journal.assert_called)
    assert_not_called = Method(Journal.assert_not_called)
    clear = Method(Journal.clear)

    @property
    def last(self) -> Pending[int]:
        """The number of the last call; 0 where there is none."""
        return Pending(lambda: self._of.last)


class AsyncScenarios(Twin[Scenarios]):
    """The scenarios."""

    turn_on = Method(Scenarios.turn_on)
    put = Method(Scenarios.put)
    turn_off = Method(Scenarios.turn_off)
    look_again = Method(Scenarios.look_again)
    shown = Method(Scenarios.shown)
    on = Method(Scenarios.on)
    check = Method(Scenarios.check)
    results = Method(Scenarios.results)
    check_all = Method(Scenarios.check_all)

    def settle(self) -> Pending[None]:
        """Waits until nothing is on its way to a receiver."""
        return Pending(self._of.settle)


class AsyncTriggers(Twin[Triggers]):
    """What the customer, the bank and the fraud check do."""

    authenticate = Method(Triggers.authenticate)
    settle = Method(Triggers.settle)
    fail = Method(Triggers.fail)
    expire = Method(Triggers.expire)
    hold = Method(Triggers.hold)
    dispute = Method(Triggers.dispute)
    settle_refund = Method(Triggers.settle_refund)
    advance_dispute = Method(Triggers.advance_dispute)
    webhook = Method(Triggers.webhook)


class AsyncWebhooks(Twin[Webhooks]):
    """The events that were told."""

    all = Method(Webhooks.all)
    wait_for = Method(Webhooks.wait_for)
    none = Method(Webhooks.none)
    get = Method(Webhooks.get)
    settle = Method(Webhooks.settle)
    connect = Method(Webhooks.connect)
    send_to = Method(Webhooks.send_to)
    deliver = Method(Webhooks.deliver)
    signed = Method(Webhooks.signed)
    resend = Method(Webhooks.resend)
    resend_all = Method(Webhooks.resend_all)
    disconnect = Method(Webhooks.disconnect)

    @property
    def secret(self) -> Pending[str]:
        """What signs the events of profiles that have no key of their own."""
        return Pending(lambda: self._of.secret)

    @property
    def raised(self) -> list[BaseException]:
        """What connected apps raised while they received."""
        return self._of.raised


class AsyncParts(Twin[Any]):
    """What a sandbox has beside its own methods: what asks nobody as it is, and its parts."""

    def __init__(self, of: Any) -> None:
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

    @property
    def webhook_secret(self) -> Pending[str]:
        """What signs this workspace's events."""
        return self.webhooks.secret
