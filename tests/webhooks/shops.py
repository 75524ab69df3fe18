"""Shops that receive webhooks: in this process, with answers by script, and nothing left to chance."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from mock_server.domain.events import DeliveryAttempt, Event
from mock_server.domain.paging import Query
from mock_server.engine.kinds import ATTEMPTS, EVENTS
from mock_server.sandbox import Workspace
from mock_server.sandbox.delivering import Delivering
from mock_server.webhooks.sending import Job, RequestResult
from mock_server.webhooks.signing import Headers
from mock_server.webhooks.transport import Response, Unanswered, Wire
from mock_server.webhooks.worker_pool import Work, WorkerPool
from tests.api.places import workspace
from tests.clocks import ManualClock
from tests.openapi.agreeing import webhook
from tests.wire import Wire as Client
from tests.wire import wire

ORIGIN = "http://shop.test"
HOOK = f"{ORIGIN}/hook"

Answer = int | str | Response | Callable[["Delivered"], int]
"""A status, why there is no answer, or what makes one of the two."""


class Inline(WorkerPool):
    """Does everything at once, in the thread that asks for it."""

    def take(self, work: Work, address: str = "", *, urgent: bool = False) -> None:
        work()


def send_notices(api: Client) -> int:
    """Sends what is due at once, and gives the number of reports' notices among it."""
    post, notices = api.sandbox.post, []
    report, workers = post.dispatcher._on_result, post.dispatcher._workers

    def noted(job: Job, results: Sequence[RequestResult]) -> None:
        notices.extend([job] if job.notice else [])
        report(job, results)

    post.dispatcher._on_result, post.dispatcher._workers = noted, Inline()
    try:
        post.attend(workspace(api), api.sandbox.clock.now_ms())
    finally:
        post.dispatcher._on_result, post.dispatcher._workers = report, workers
    return len(notices)


@dataclass(frozen=True)
class Delivered:
    """One request that came in."""

    url: str
    body: bytes
    headers: dict[str, str]
    at: int
    """The workspace's instant, counted from the first one."""

    @property
    def envelope(self) -> Any:
        return json.loads(self.body)

    @property
    def type(self) -> str:
        return str(self.envelope["event_type"])

    @property
    def object(self) -> Any:
        return self.envelope["content"]["object"]

    @property
    def signature(self) -> str | None:
        return self.headers.get("X-Webhook-Signature-512")


@dataclass
class Shop:
    """A transport that writes down what comes; `answers` are given in turn, then `always`."""

    now: Callable[[], int] = lambda: 0
    answers: list[Answer] = field(default_factory=list)
    always: Answer = 200
    got: list[Delivered] = field(default_factory=list)
    speaks: str = "interface"

    def send(self, url: str, body: bytes, headers: Headers, timeout_s: float, wire: Wire) -> Response:
        delivered = Delivered(url, body, dict(headers), self.now())
        self.got.append(delivered)
        webhook(delivered.envelope, self.speaks)
        wire.sent()
        answer = self.answers.pop(0) if self.answers else self.always
        if callable(answer):
            answer = answer(delivered)
        if isinstance(answer, str):
            raise Unanswered(answer)
        return answer if isinstance(answer, Response) else Response(answer, (("Server", "shop"),), b"thanks")

    @property
    def types(self) -> list[str]:
        return [delivered.type for delivered in self.got]


@dataclass
class Mall:
    """A server, a client, and the shop that its events go to; deliveries are made when `deliver` says so."""

    api: Client
    shop: Shop
    clock: ManualClock

    @property
    def workspace(self) -> Workspace:
        found: Workspace = workspace(self.api)
        return found

    def deliver(self) -> None:
        """Makes what is due now, in every workspace, with all that follows at this instant."""
        for _ in range(20):
            if self.api.sandbox.run_once(self.clock.now_ms()) > self.clock.now_ms() and not self._is_due():
                return

    def _is_due(self) -> bool:
        head, lines = self.workspace.space.transact(lambda tx: (tx.next_due(("deliver",)), tx.facts("deliver.line.")))
        return bool(lines) or (head is not None and head.at <= self.workspace.now())

    def advance(self, by: str) -> Any:
        return self.api.post("/_sandbox/clock/advance", {"by": by}).json

    def events(self) -> list[Event]:
        return list(self.workspace.space.scan(EVENTS, Query(ascending=True)))

    def attempts(self) -> list[DeliveryAttempt]:
        found = list(self.workspace.space.scan(ATTEMPTS, Query(ascending=True)))
        return sorted(found, key=lambda attempt: (attempt.made_at, attempt.number, attempt.copy))

    def scenario(self, *rules: dict[str, Any], **more: Any) -> None:
        """Turns a scenario with these rules on."""
        document = {"version": 1, "name": "trouble", "rules": list(rules), **more}
        put = self.api.put("/_sandbox/scenarios/trouble", document)
        assert put.status == 200, put.json
        assert self.api.post("/_sandbox/scenarios/trouble/activate").status == 200

    def inbox(self, query: str = "") -> Any:
        return self.api.get(f"/_sandbox/webhooks{query}").json["data"]


def mall(
    *, workers: WorkerPool | None = None, target: bool = True, dialect: Any = None, store: Any = None, **settings: Any
) -> Mall:
    """A server whose workspaces' events go to a shop in this process."""
    clock = ManualClock()
    began = clock.now_ms()
    if target:
        settings.setdefault("webhook_url", HOOK)
    api = wire(clock=clock, dialect=dialect, store=store, **settings)
    sandbox = api.sandbox
    sandbox.post = Delivering(sandbox.settings, clock, sandbox.wake, sandbox.counts, workers or Inline())
    made = Mall(api, Shop(speaks=sandbox.dialect.name), clock)
    made.shop.now = lambda: made.workspace.now() - began
    sandbox.post.routing.connect(ORIGIN, made.shop)
    return made


def each(items: list[Any], name: str) -> list[Any]:
    """One field of each."""
    return [getattr(item, name) for item in items]


def pairs(text: str) -> Iterator[tuple[str, str]]:
    """Headers as they are kept."""
    yield from map(tuple, json.loads(text))
