"""A workspace for a test, a script or another framework."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from mock_server.addresses import with_scheme
from mock_server.scenario.loading.sources import ScenarioSource
from mock_server.testing.awaiting import AsyncParts, AwaitableMethod
from mock_server.testing.control import Payment
from mock_server.testing.outcomes import PaymentOutcome
from mock_server.testing.parts import TOKEN_VARIABLE, URL_VARIABLE, SandboxParts
from mock_server.testing.records import Why, Wire, ident
from mock_server.testing.report import report
from mock_server.testing.scenarios import Given, Scenario
from mock_server.testing.servers import AnyServer, RunningServer, SandboxServer

if TYPE_CHECKING:
    from mock_server.verdict.probing import Probed
    from mock_server.verdict.rules import Verdict

__tracebackhide__ = True
LONGEST_NAME: Final = 255
UNDISTURBED: Final = {"X-Sandbox-Scenario": "none", "X-Sandbox-Outcome": "succeeded"}


class Sandbox(SandboxParts):
    """One workspace of a server, in this process or elsewhere.

    Without `server` and `url` (or `PAYMENT_SANDBOX_URL`) a server is started in this process. Without `api_key` the
    workspace is new and ends with the block; with a key, the key's workspace is used as it is, and `seed`, `name`,
    `dialect` and `label` are for `reset()`. `seed` and `name` make ids and secrets the same in every run; `clock` is an
    instant at which the clock is frozen, `dialect` another dialect than the server's, and `label` the name of a new
    workspace on the dashboard.
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
        if api_key is not None:
            from mock_server.domain.api_keys import key_of_workspace  # late: most have none

            key_of_workspace(api_key)
        if server is None:
            at, token = url or os.environ.get(URL_VARIABLE), control_token or os.environ.get(TOKEN_VARIABLE)
            if control_token is not None and not at:
                raise TypeError("control_token is for a server that runs; give a new one its own in config")
            server = self._owned = RunningServer(at, token, config=config) if at else SandboxServer(config)
        elif any(one is not None for one in (url, config, control_token)):
            raise TypeError("a server has its URL, settings and control_token: give it alone, or these instead")
        if name is not None and len(name) > LONGEST_NAME:  # the end tells tests apart, and so does the digest
            digest = blake2b(name.encode("utf-8", "replace"), digest_size=8).hexdigest()
            name = f"{digest}…{name[-(LONGEST_NAME - 20) :]}"
        super().__init__(server, api_key, seed, name, outcome)
        self._is_own = api_key is None
        names = (scenario,) if isinstance(scenario, str | Path | Mapping) else tuple(scenario)
        self._clock, self._dialect, self._label = clock, dialect, label
        self._kept: list[str] = []
        self.scenarios._put.update({source.name: source for source in scenarios})
        try:
            self._begin(is_new=self._is_own)
            begins = (*names, *([outcome.as_scenario()] if outcome else ()))
            self._declared = [self.scenario(one).name for one in begins]
        except BaseException:
            with suppress(Exception):  # the first one is told
                self.close()
            raise

    def _begin(self, *, is_new: bool = True) -> None:
        if is_new:
            self._server.renew(self.api_key, self.seed, self.name, self._label)
            if self._dialect is not None:
                self.control.put("/dialect", {"dialect": self._dialect})
        if self._clock is not None and self._clock is not False:
            self.clock.freeze(None if isinstance(self._clock, bool) or self._clock == "frozen" else self._clock)
        for source in self.scenarios._put.values():
            self.scenarios._upload(source)
        self.webhooks._send_again()

    def check(self) -> None:
        """Raises ExpectationFailed if an assertion of a scenario fails that is on, or was until a reset or restore."""
        if self.scenarios.on():
            self.webhooks.settle()
        for name in (*self.scenarios._gone, *self.scenarios.on()):
            self.scenarios.check(name)

    def verdict(self) -> Verdict:
        """The verdict on the client, from everything that this workspace recorded."""
        from mock_server.verdict.rules import judge

        return judge(self.evidence(), base=self.url)

    def probe(
        self,
        receiver: Any,
        path: str | None = None,
        *,
        state: Callable[[], object] | None = None,
        only: Sequence[str] = (),
        timeout: float = 30.0,
    ) -> list[Probed]:
        """Tests a receiver of webhooks, a WSGI or ASGI app or an address, with forged, duplicate and late events.

        They are made from the last payment_succeeded event; without one a payment is created,
        whatever scenario is on. `path` is that in an app, by default `/webhooks`; `state` returns the receiver's state.
        """
        from mock_server.testing.receivers import path_in, transport_to
        from mock_server.verdict import probing

        at, near = path_in(receiver, path), not isinstance(receiver, str)
        if not self.webhooks._found("payment_succeeded")[0]:
            self.client.post("/payments", self.client.payment(), headers=UNDISTURBED)
        told = self.webhooks._chosen("payment_succeeded", None, 0)
        signed = self.control.post("/webhooks/sign", {"body": told.payload, "profile_id": told.profile_id})
        at = f"http://testserver{at}" if near else with_scheme(receiver)
        way, event, tells = transport_to(receiver), json.loads(told.payload), state or (lambda: None)
        return probing.probe(probing.Receiver(at, signed["secret"], event, way, tells, timeout, is_near=near), only)

    def close(self) -> None:
        """Ends the workspace and its pending deliveries."""
        try:
            if self._is_own:
                self.webhooks._target = {}  # it ends with the workspace, even if the server is no longer reached
            self.webhooks.disconnect()
            while self._kept:
                self.control.delete(f"/snapshots/{self._kept.pop()}")
            if self._is_own:
                self._server.end(self.api_key)
            else:
                for on in self.scenarios.on():
                    self.scenarios.turn_off(on)
        finally:
            if self._owned is not None:
                self._owned.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        try:
            if kind is None:
                self.check()
        finally:
            self.close()

    @cached_property
    def aio(self) -> AsyncSandbox:
        """The same, awaitable: `await sandbox.aio.clock.advance(hours=1)`."""
        return AsyncSandbox(self)

    def scenario(self, given: Given) -> Scenario:
        """Turns on a scenario: its name, file, text or a mapping. The end of a `with` block checks it, then ends it."""
        return self.scenarios.turn_on(given)

    def next(
        self, /, on: str | list[str] = "charge", then: Wire | None = None, *, times: int = 1, **outcome: Any
    ) -> None:
        """Sets the outcome of the next calls: `next("charge", decline="insufficient_funds")`."""
        if not isinstance(then, Mapping | None):
            raise TypeError(f"then is not a mapping such as {{'decline': 'lost_card'}}, but {then!r}")
        if twice := outcome.keys() & (then or {}).keys():
            raise TypeError(f"next() takes {', '.join(sorted(twice))} once: in `then`, or by name")
        self.control.post("/next", {"on": on, "then": {**(then or {}), **outcome}, "times": times})

    def why(self, payment: Payment) -> Why:
        """Why a payment has its status: decisions with their near misses, and what it waits for."""
        return Why(self.control.get(f"/payments/{ident(payment)}/why"))

    def timeline(self, payment: Payment) -> list[Wire]:
        """Everything that happened to a payment, in order."""
        return list(self.control.get(f"/payments/{ident(payment)}/timeline")["data"])

    def snapshot(self, name: str | None = None, *, journal: bool = False) -> str:
        """Saves the workspace on the server; returns the snapshot's name. Without `name` it ends with the workspace."""
        kept = f"test-{self._draw.token('snapshot', len(self._kept), 20)}" if name is None else name
        self.control.put(f"/snapshots/{kept}" + ("?journal=1" if journal else ""))
        if name is None:
            self._kept.append(kept)
        return kept

    def restore(self, name: str) -> None:
        """Replaces this workspace by a snapshot, with its clock, dialect and scenarios.

        Events go where this test sends them, or else where the snapshot does.
        """
        self.journal._losing()
        self.journal._forgiven = 0
        self.scenarios._look_again(lambda: self.control.post(f"/snapshots/{name}/restore"))
        self.webhooks._send_again()

    def reset(self) -> None:
        """Replaces this workspace by a new one with everything that was declared for it.

        That is its seed, name, clock, dialect and outcome, the scenarios that it began with, unless they were stopped,
        all that were uploaded, and the receiver of its events. It checks the assertions of the first, which then
        count from 0 again. What `next` said, scenarios that were turned on later, and addresses of single profiles end.
        """
        self.journal._losing()
        self.journal._forgiven = 0
        again = [name for name in self._declared if name in self.scenarios.on()]
        for name in again:
            self.scenarios._check_replaced(name)
        self.scenarios._look_again(self._begin)
        for name in again:
            self.scenarios._on.pop(name, None)  # on in each workspace of the server: it has been checked
            self.scenarios.turn_on(name)

    def report(self) -> str:
        """The workspace's history as in the report of a failing test: calls, decisions, webhooks, and a ticket."""
        return report(self)

    def __repr__(self) -> str:
        return f"<payment sandbox {self.name or 'workspace'} at {self.url}>"


class AsyncSandbox(AsyncParts):
    """The same workspace, awaitable: see `Sandbox`."""

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
