"""What falls due happens at its own time, however its workspace left memory, and whoever asks for it first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any, Final

import msgspec
import pytest

from mock_server.app import create_app
from mock_server.domain.instants import SECOND_MS
from mock_server.domain.outcomes import DisputePlan
from mock_server.engine import timeline
from mock_server.engine.payments import due
from mock_server.lasting.replicas import LOOK_EVERY_MS
from mock_server.sandbox import Sandbox
from mock_server.store.space import Space
from mock_server.store.transaction import Transaction
from mock_server.webhooks import delivery_queue
from mock_server.webhooks.worker_pool import Work, WorkerPool
from tests.counts import times
from tests.lasting.starts import KEY, Starts
from tests.running import until
from tests.webhooks.shops import HOOK, ORIGIN, Shop
from tests.wire import Wire

RECEIVER: Final = "https://shop.example.com"
REPORT: Final = {"timeRange": {"startTime": "2026-01-01T00:00:00Z"}, "emails": ["a@b.cc"], "returnUrl": f"{RECEIVER}/r"}
PLAN: Final = msgspec.json.encode(DisputePlan(after_ms=1, reason="fraudulent")).decode()
LEAVES: Final = ("restart", "kill", "unload", "takeover")


class Holding(WorkerPool):
    """Does everything at once, or, while it holds, nothing."""

    holds = False

    def take(self, work: Work, address: str = "", *, urgent: bool = False) -> None:
        if not self.holds:
            work()


class Living(Starts):
    """A server whose thread's rounds are made by hand: exactly when it would be awake, and never otherwise."""

    def __init__(self, leaves: str, data: str) -> None:
        super().__init__(data, workspaces=1 if leaves == "unload" else 100, webhook_url=HOOK)
        self.leaves = leaves
        self.shop, self.notices, self.pool = Shop(), Notices(), Holding()
        self.client = self.begin()
        self.merchant_id = self.client.pay(payment_id="pay_first")["merchant_id"]
        self.pass_until(self.clock.now_ms())

    def begin(self) -> Wire:
        self.server: Sandbox = self.again()
        self.server.post._workers = self.pool
        self.server.post.routing.connect(ORIGIN, self.shop)
        self.server.post.routing.connect(RECEIVER, self.notices)
        self.server._background._thread = Thread()  # so that it takes notes
        return Wire(create_app(self.server), self.server, KEY)

    def leave(self) -> None:
        """Lets the workspace leave memory; afterwards, deliveries are made again."""
        assert self.server.lasting is not None
        if self.leaves == "unload":
            self.server.lasting.saver.save()
            Wire(create_app(self.server), self.server, f"snd_other_{self.clock.now_ms()}").pay()
            assert self.space() is None
        else:
            if self.leaves == "restart":
                self.server.post.close()
            self.client = self.begin()
        self.pool.holds = False

    def space(self) -> Space | None:
        """The workspace's space, if it is in memory."""
        assert self.server.lasting is not None
        spaces = self.server.lasting.here()
        return next((one for one in spaces if one.name == self.name), None)

    @property
    def name(self) -> str:
        from mock_server.sandbox import identity
        from tests.sandbox.workspaces import key

        return identity.OF_KEYS + key(KEY).digest

    def pass_until(self, at: int) -> None:
        """Lets time pass; the thread is awake whenever it said so, or when it is woken."""
        lasting, background = self.server.lasting, self.server._background
        assert lasting is not None
        while True:
            until(lambda: lasting.saver.trouble is None)  # a lease is renewed in real time
            background._woken.clear()
            following = background._round(self.clock.now_ms())
            if background._woken.is_set():
                continue
            if following > at:
                break
            self.clock.advance(max(0, following - self.clock.now_ms()))
        self.clock.advance(at - self.clock.now_ms())

    def is_due(self, what: str, subject: str) -> bool:
        """Whether something is still due; also if nobody has loaded its workspace."""
        if (space := self.space()) is None:
            return True
        entries = space.transact(lambda tx: [*tx.all_due()])
        return any((one.what, one.subject) == (what, subject) for one in entries)


class Notices(Shop):
    """A receiver of reports' notices."""

    def send(self, url: str, *more: Any) -> Any:
        self.got.append(url)  # type: ignore[arg-type]  # only their number counts
        from mock_server.webhooks.transport import Response

        return Response(int(str(self.always)))


@pytest.fixture(params=LEAVES)
def living(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Living]:
    in_file = request.param != "takeover"
    data = str(tmp_path / "state.sqlite") if in_file else request.getfixturevalue("cluster").database()
    made = Living(request.param, data)
    yield made
    made.end()


TOUCHES: Final[dict[str, Callable[[Living], object]]] = {
    "nobody": lambda living: None,
    "api": lambda living: living.client.get("/payments/pay_first"),
    "control": lambda living: living.client.get("/_sandbox/webhooks"),
    "page": lambda living: living.client.as_key(None).get(f"/_sandbox/downloads/{living.merchant_id}/r.csv?token=x"),
}
"""Who asks for the workspace first."""


def everything(living: Living) -> list[tuple[int, str, str]]:
    """Makes something of each kind of scheduled event; gives when, what and whose, in order."""
    living.shop.always = living.notices.always = 500
    living.client.pay("visa_pending_succeeds")
    assert living.client.post("/analytics/v1/report/payments", REPORT).status == 200
    living.pass_until(living.clock.now_ms())
    space, now = living.space(), living.clock.now_ms()
    assert space is not None

    def one_of_each(tx: Transaction) -> list[tuple[int, str, str]]:
        for number, what in enumerate(timeline.SORTS):
            argument = PLAN if what == due.DISPUTE else ""
            subject = "pay_first" if what == due.DISPUTE else f"none_{number}"
            tx.schedule(now + (15 + 7 * number) * SECOND_MS, what, subject, argument)
        return [(one.at, one.what, one.subject) for one in tx.all_due()]

    made = space.transact(one_of_each)
    assert {what for _, what, _ in made} == {*timeline.SORTS, *delivery_queue.SORTS}, "a kind of event has no example"
    return made


@pytest.mark.parametrize("touch", TOUCHES)
def test_each_kind_of_event_happens_at_its_time(living: Living, touch: str) -> None:
    events = everything(living)
    living.shop.always = living.notices.always = 200
    late = LOOK_EVERY_MS if living.leaves == "takeover" else 0
    instants = sorted({at for at, _, _ in events})
    for at in instants[: times(1, soak=99)] if late else instants:  # each jump of the clock ends a lease, in real time
        living.leave()
        TOUCHES[touch](living)
        living.pass_until(at - 1)
        here = [(what, subject) for when, what, subject in events if when == at]
        assert all(living.is_due(*one) for one in here)
        living.pass_until(at + late)
        assert [one for one in here if living.is_due(*one)] == [], "these did not happen"


@pytest.mark.parametrize("touch", TOUCHES)
@pytest.mark.parametrize("frozen", [True, False])
def test_what_was_on_its_way_is_sent_again_at_once(living: Living, frozen: bool, touch: str) -> None:
    if frozen:
        living.client.post("/_sandbox/clock/freeze", {})
    living.pool.holds = True
    living.client.pay(capture_method="manual")
    living.client.post("/analytics/v1/report/payments", REPORT)
    living.pass_until(living.clock.now_ms())
    before, told = len(living.shop.got), len(living.notices.got)
    if living.leaves == "unload":  # it stays in memory
        Wire(create_app(living.server), living.server, "snd_other_0123456789").pay()
        assert living.space() is not None
        return
    living.leave()
    TOUCHES[touch](living)
    living.pass_until(living.clock.now_ms())
    assert (len(living.shop.got) - before, len(living.notices.got) - told) == (1, 1)
