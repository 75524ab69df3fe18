"""A workspace of one's own: what a test, a script or another framework holds in its hands."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Self

from mock_server.clock import SystemClock
from mock_server.randomness import Randomness
from mock_server.testing import judged
from mock_server.testing.awaiting import AsyncParts, Method
from mock_server.testing.cards import Cards
from mock_server.testing.client import Client
from mock_server.testing.clocks import WorkspaceClock
from mock_server.testing.control import Control
from mock_server.testing.journal import Journal
from mock_server.testing.outcomes import PaymentOutcome
from mock_server.testing.records import Wire, ident
from mock_server.testing.scenarios import Given, Scenario, Scenarios, Source
from mock_server.testing.servers import RunningServer, SandboxServer, Server
from mock_server.testing.told import Why
from mock_server.testing.triggers import Triggers
from mock_server.testing.webhooks import Webhooks

URL_VARIABLE: Final = "PAYMENT_SANDBOX_URL"
TOKEN_VARIABLE: Final = "PAYMENT_SANDBOX_CONTROL_TOKEN"
LONGEST_NAME: Final = 255


class Sandbox:
    """One workspace of a server, by what the control API can do: so it is the same in this process and far away.

    Without `server` and `url` (or `PAYMENT_SANDBOX_URL`) a server is started in this process for it. Without
    `api_key` the workspace is new, and goes when the block is left; a key that is given opens its workspace as it
    stands. `seed` and `name` make ids and secrets the same in every run; `clock` is an instant at which the clock
    stands.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        server: Server | None = None,
        api_key: str | None = None,
        seed: str | None = None,
        name: str | None = None,
        scenario: Given | Iterable[Given] = (),
        clock: datetime | str | bool | None = None,
        scenarios: Iterable[Source] = (),
        config: Mapping[str, Any] | None = None,
        outcome: PaymentOutcome | None = None,
        control_token: str | None = None,
    ) -> None:
        self._owned: Server | None = None
        self._server = server or self._found(url, control_token, config)
        draw = Randomness(None, "")
        self.api_key = api_key or f"snd_test_{draw.token('key', 0, 24)}"
        self._is_own = api_key is None
        self.seed, self.name = seed, _shortened(name)
        self._begins_with = (_several(scenario), clock, tuple(scenarios))
        self.outcome = outcome
        self._kept: list[str] = []
        self._draw = draw

    def _found(self, url: str | None, token: str | None, config: Mapping[str, Any] | None) -> Server:
        at = url or os.environ.get(URL_VARIABLE)
        token = token or os.environ.get(TOKEN_VARIABLE)
        self._owned = RunningServer(at, token, config=config) if at else SandboxServer(config)
        return self._owned

    # beginning and end

    def start(self) -> Self:
        """Makes the workspace, or takes it as it stands."""
        names, clock, sources = self._begins_with
        if self._is_own:
            self._server.renew(self.api_key, self.seed, self.name)
        for source in sources:
            self.scenarios.put(source)
        if clock is not None and clock is not False:
            self.clock.freeze(None if isinstance(clock, bool) or clock == "frozen" else clock)
        for name in names:
            self.scenario(name)
        if self.outcome is not None:
            self.scenario(self.outcome.as_scenario())
        return self

    def check(self) -> None:
        """Raises ExpectationFailed where a scenario that is on expects what does not hold."""
        __tracebackhide__ = True
        if self.scenarios.on():
            self.webhooks.settle()
            self.scenarios.check_all()

    verdict = judged.verdict
    probe = judged.probe

    def close(self) -> None:
        """Lets the workspace go, with everything that is on its way from it."""
        try:
            self.webhooks.disconnect()
            self._forget()
        finally:
            if self._owned is not None:
                self._owned.stop()

    def _forget(self) -> None:
        for name in self._kept:
            self.control.delete(f"/snapshots/{name}")
        self._kept.clear()
        if self._is_own:
            self._server.renew(self.api_key)
        else:
            for on in self.scenarios.on():
                self.scenarios.turn_off(on)

    def __enter__(self) -> Self:
        try:
            return self.start()
        except BaseException:
            if self._owned is not None:
                self._owned.stop()
            raise

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        __tracebackhide__ = True
        try:
            if kind is None:
                self.check()
        finally:
            self.close()

    # what the program under test needs

    @property
    def url(self) -> str:
        """The base URL of the API."""
        return self._server.url

    @property
    def server_note(self) -> str:
        """What is to be said of the server."""
        return self._server.note

    @property
    def publishable_key(self) -> str:
        """The key for browsers."""
        return f"pk_{self.api_key}"

    @property
    def env(self) -> dict[str, str]:
        """URL and keys as environment variables, for a program in a process of its own."""
        return {
            URL_VARIABLE: self.url,
            "PAYMENT_SANDBOX_API_KEY": self.api_key,
            "PAYMENT_SANDBOX_PUBLISHABLE_KEY": self.publishable_key,
        }

    @property
    def webhook_secret(self) -> str:
        """What signs this workspace's events."""
        return self.webhooks.secret

    # parts

    @cached_property
    def control(self) -> Control:
        """The control API in the name of this workspace."""
        return Control(self._server.http, self.api_key, self._server.token)

    @cached_property
    def client(self) -> Client:
        """A plain client of the API."""
        return Client(self.url, self.api_key, self.cards)

    @cached_property
    def cards(self) -> Cards:
        """The test cards by name."""
        return Cards(self.control, self._server.cards)

    @cached_property
    def clock(self) -> WorkspaceClock:
        """The workspace's clock."""
        return WorkspaceClock(self.control)

    @cached_property
    def journal(self) -> Journal:
        """The calls that came in."""
        return Journal(self.control, SystemClock().monotonic)

    @cached_property
    def webhooks(self) -> Webhooks:
        """The events that were told."""
        token = self._draw.token("receiver", 0, 12).lower()
        return Webhooks(self.control, self._server, token, SystemClock().monotonic)

    @cached_property
    def trigger(self) -> Triggers:
        """What the customer, the bank and the fraud check do."""
        return Triggers(self.control)

    @cached_property
    def scenarios(self) -> Scenarios:
        """The workspace's scenarios."""
        return Scenarios(self.control, lambda: self.webhooks.settle())

    @cached_property
    def aio(self) -> AsyncSandbox:
        """The same, awaitable: `await sandbox.aio.clock.advance(hours=1)`."""
        return AsyncSandbox(self)

    # doing

    def scenario(self, given: Given) -> Scenario:
        """Turns on a scenario: its name, file, text or a mapping. Leaving its `with` block checks it and ends it."""
        return self.scenarios.turn_on(given)

    def next(
        self, /, on: str | list[str] = "charge", then: Wire | None = None, *, times: int = 1, **outcome: Any
    ) -> None:
        """Says what the next such calls come to: `next("charge", decline="insufficient_funds")`."""
        self.control.post("/next", {"on": on, "then": {**(then or {}), **outcome}, "times": times})

    def why(self, payment: str | Mapping[str, Any]) -> Why:
        """Why a payment stands where it stands: decisions with their near misses, what it waits for."""
        return Why(self.control.get(f"/payments/{ident(payment)}/why"))

    def timeline(self, payment: str | Mapping[str, Any]) -> list[Wire]:
        """Everything that happened to a payment, in order."""
        found: list[Wire] = self.control.get(f"/payments/{ident(payment)}/timeline")["data"]
        return found

    def snapshot(self, name: str | None = None, *, journal: bool = False) -> str:
        """Keeps the workspace on the server; gives the snapshot's name. One without a name goes with the workspace."""
        kept = name or f"test-{self._draw.token('snapshot', len(self._kept), 20)}"
        self.control.put(f"/snapshots/{kept}" + ("?journal=1" if journal else ""))
        if name is None:
            self._kept.append(kept)
        return kept

    def restore(self, name: str) -> None:
        """Puts a snapshot in the place of this workspace."""
        self.control.post(f"/snapshots/{name}/restore")
        self.scenarios.look_again()

    def reset(self) -> None:
        """A new workspace in this one's place, with the same seed and name."""
        self._server.renew(self.api_key, self.seed, self.name)
        self.scenarios.look_again()

    def report(self) -> str:
        """The workspace's story as a failing test shows it: calls, decisions, webhooks, how to play it again."""
        from mock_server.testing.report import report

        return report(self)

    def __repr__(self) -> str:
        return f"<payment sandbox {self.name or 'workspace'} at {self.url}>"


class AsyncSandbox(AsyncParts):
    """The same workspace, awaitable: see `Sandbox`."""

    start = Method(Sandbox.start)
    check = Method(Sandbox.check)
    close = Method(Sandbox.close)
    scenario = Method(Sandbox.scenario)
    next = Method(Sandbox.next)
    why = Method(Sandbox.why)
    timeline = Method(Sandbox.timeline)
    snapshot = Method(Sandbox.snapshot)
    restore = Method(Sandbox.restore)
    reset = Method(Sandbox.reset)
    report = Method(Sandbox.report)
    verdict = Method(Sandbox.verdict)
    probe = Method(Sandbox.probe)


def _several(given: Given | Iterable[Given]) -> tuple[Given, ...]:
    return (given,) if isinstance(given, str | Path | Mapping) else tuple(given)


def _shortened(name: str | None) -> str | None:
    """A name that the server takes; the end of a long one tells tests apart, and so does its digest."""
    if name is None or len(name) <= LONGEST_NAME:
        return name
    from hashlib import blake2b

    digest = blake2b(name.encode("utf-8", "replace"), digest_size=8).hexdigest()
    return f"{digest}…{name[-(LONGEST_NAME - 20) :]}"
