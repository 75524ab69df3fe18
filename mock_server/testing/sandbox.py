"""A workspace of one's own: what a test, a script or another framework holds in its hands."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from mock_server.testing.awaiting import AsyncParts, AwaitableMethod
from mock_server.testing.outcomes import PaymentOutcome
from mock_server.testing.parts import TOKEN_VARIABLE, URL_VARIABLE, SandboxParts
from mock_server.testing.records import Why, Wire, ident
from mock_server.testing.report import report
from mock_server.testing.scenarios import Given, Scenario, ScenarioSource
from mock_server.testing.servers import AnyServer, RunningServer, SandboxServer

if TYPE_CHECKING:
    from mock_server.verdict.judging import Verdict
    from mock_server.verdict.probing import Probed

LONGEST_NAME: Final = 255


class Sandbox(SandboxParts):
    """One workspace of a server, by what the control API can do: so it is the same in this process and far away.

    Without `server` and `url` (or `PAYMENT_SANDBOX_URL`) a server is started in this process for it. Without
    `api_key` the workspace is new, and goes when the block is left; a key that is given opens its workspace as it
    stands. `seed` and `name` make ids and secrets the same in every run; `clock` is an instant at which the clock
    stands, `dialect` what the workspace speaks where that is not the server's, and
    `label` what a new one is called on the dashboard.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        server: AnyServer | None = None,
        api_key: str | None = None,
        seed: str | None = None,
        name: str | None = None,
        label: str | None = None,
        scenario: Given | Iterable[Given] = (),
        clock: datetime | str | bool | None = None,
        dialect: str | None = None,
        scenarios: Iterable[ScenarioSource] = (),
        config: Mapping[str, Any] | None = None,
        outcome: PaymentOutcome | None = None,
        control_token: str | None = None,
    ) -> None:
        self._owned: AnyServer | None = None
        found = server or self._found(url, control_token, config)
        super().__init__(found, api_key, seed, _shortened(name), outcome)
        self._is_own = api_key is None
        self._begins_with = (_several(scenario), clock, tuple(scenarios))
        self._dialect = dialect
        self._label = label
        self._kept: list[str] = []

    def _found(self, url: str | None, token: str | None, config: Mapping[str, Any] | None) -> AnyServer:
        at = url or os.environ.get(URL_VARIABLE)
        token = token or os.environ.get(TOKEN_VARIABLE)
        self._owned = RunningServer(at, token, config=config) if at else SandboxServer(config)
        return self._owned

    # beginning and end

    def start(self) -> Self:
        """Makes the workspace, or takes it as it stands."""
        names, clock, sources = self._begins_with
        if self._is_own:
            self._renew()
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

    def verdict(self) -> Verdict:
        """What is to be said of the client, by everything that this workspace has kept of it."""
        from mock_server.verdict.judging import judge

        return judge(self.evidence(), base=self.url)

    def probe(
        self,
        receiver: Any,
        path: str = "/webhooks",
        *,
        state: Callable[[], object] | None = None,
        only: Sequence[str] = (),
        timeout: float = 30.0,
    ) -> list[Probed]:
        """Holds a receiver of webhooks, a WSGI or ASGI app or an address, against forged, doubled and late events.

        They are made of the last event of a success; without one a payment is made. `state` tells how it stands.
        """
        from mock_server.testing.receivers import transport_to
        from mock_server.verdict import probing
        from mock_server.verdict.receiver import Receiver

        if not self.webhooks.all("payment_succeeded"):
            self.client.pay()
        event = json.loads(self.webhooks.all("payment_succeeded")[-1].payload)
        near = not isinstance(receiver, str)
        at = f"http://testserver{path}" if near else receiver
        secret, way = self.webhooks.secret, transport_to(receiver)
        return probing.probe(Receiver(at, secret, event, way, state, timeout_s=timeout, is_near=near), only)

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
        self._renew()
        self.scenarios.look_again()

    def _renew(self) -> None:
        self._server.renew(self.api_key, self.seed, self.name, self._label)
        if self._dialect is not None:
            self.control.put("/dialect", {"dialect": self._dialect})

    def report(self) -> str:
        """The workspace's story as a failing test shows it: calls, decisions, webhooks, how to play it again."""
        return report(self)

    def __repr__(self) -> str:
        return f"<payment sandbox {self.name or 'workspace'} at {self.url}>"


class AsyncSandbox(AsyncParts):
    """The same workspace, awaitable: see `Sandbox`."""

    start = AwaitableMethod(Sandbox.start)
    check = AwaitableMethod(Sandbox.check)
    close = AwaitableMethod(Sandbox.close)
    scenario = AwaitableMethod(Sandbox.scenario)
    next = AwaitableMethod(Sandbox.next)
    why = AwaitableMethod(Sandbox.why)
    timeline = AwaitableMethod(Sandbox.timeline)
    snapshot = AwaitableMethod(Sandbox.snapshot)
    restore = AwaitableMethod(Sandbox.restore)
    reset = AwaitableMethod(Sandbox.reset)
    report = AwaitableMethod(Sandbox.report)
    verdict = AwaitableMethod(Sandbox.verdict)
    evidence = AwaitableMethod(Sandbox.evidence)
    probe = AwaitableMethod(Sandbox.probe)


def _several(given: Given | Iterable[Given]) -> tuple[Given, ...]:
    return (given,) if isinstance(given, str | Path | Mapping) else tuple(given)


def _shortened(name: str | None) -> str | None:
    """A name that the server takes; the end of a long one tells tests apart, and so does its digest."""
    if name is None or len(name) <= LONGEST_NAME:
        return name
    digest = blake2b(name.encode("utf-8", "replace"), digest_size=8).hexdigest()
    return f"{digest}…{name[-(LONGEST_NAME - 20) :]}"
