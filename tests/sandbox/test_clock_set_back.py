"""A machine whose clock is set back or on: the time of workspaces never runs backwards."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import pytest

from mock_server.app import create_app
from mock_server.clock import SystemClock
from mock_server.domain.instants import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, parse
from mock_server.sandbox import build
from mock_server.settings import Settings
from tests.api.places import workspace
from tests.counts import times
from tests.sandbox.workspaces import told
from tests.wire import Wire

NS: Final = 1_000_000


class Machine:
    """A machine's two clocks (ns), and a server that reads them."""

    def __init__(self) -> None:
        self.wall_ms, self.even_ms = parse("2026-01-01"), 5_000
        self.clock = SystemClock(lambda: self.wall_ms * NS + 999_999, lambda: self.even_ms * NS + 999_999)

    def passes(self, ms: int) -> None:
        self.wall_ms += ms
        self.even_ms += ms

    def is_set(self, by_ms: int) -> None:
        self.wall_ms += by_ms


STEPS: Final = (1, 999, SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS, 400 * DAY_MS)


@pytest.mark.parametrize("tens", range(times(20, soak=2_000)))
def test_its_time_goes_on_until_the_machines_has_caught_up(tens: int) -> None:
    for seed in range(10 * tens, 10 * tens + 10):
        goes_on(seed)


def goes_on(seed: int) -> None:
    dice, machine = random.Random(seed), Machine()
    behind_at, behind_ms = 0, 0  # what was shown last while the machine was behind, and since when
    before = machine.clock.now_ms()
    for _ in range(40):
        for _ in range(dice.randrange(3)):
            machine.passes(dice.choice(STEPS))
            machine.is_set(dice.choice((0, 0, 1, -1)) * dice.choice(STEPS))
        now = machine.clock.now_ms()
        if machine.wall_ms < before:
            before += machine.even_ms - behind_ms if before == behind_at else 0
            behind_at, behind_ms = before, machine.even_ms
        else:
            before = machine.wall_ms
        assert now == before, seed


def test_threads_that_read_it_together_do_not_push_it_on() -> None:
    machine = Machine()
    began = machine.clock.now_ms()
    machine.is_set(-DAY_MS)

    def read(_: int) -> int:
        return [machine.clock.now_ms() for _ in range(times(500, soak=50_000))][-1]

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(read, range(4))) == {began}


STATES: Final[dict[str, tuple[tuple[str, dict[str, str]], ...]]] = {
    "running": (),
    "advanced": (("advance", {"by": "1h"}),),
    "resumed": (("freeze", {}), ("resume", {})),
}


@pytest.mark.parametrize("back_ms", STEPS)
@pytest.mark.parametrize("state", STATES)
def test_what_is_due_happens_and_nothing_lies_before_what_came_earlier(state: str, back_ms: int) -> None:
    machine = Machine()
    sandbox = build(Settings(seed="tests", rate_limit=2), clock=machine.clock)
    api = Wire(create_app(sandbox), sandbox)
    for step, body in STATES[state]:
        assert api.post(f"/_sandbox/clock/{step}", body).status == 200
    began = workspace(api).now()
    first = api.pay("visa_pending_succeeds")
    assert (first.status, api.pay().status, api.get("/payments/list").status) == (200, 200, 429)
    machine.is_set(-back_ms)
    assert workspace(api).now() == began
    assert api.get("/payments/list").status == 429
    machine.passes(2 * MINUTE_MS)
    sandbox.run_once(machine.clock.now_ms())
    assert workspace(api).now() == began + 2 * MINUTE_MS - (back_ms if back_ms <= 2 * MINUTE_MS else 0)
    assert api.get(f"/payments/{first['payment_id']}").json["status"] == "succeeded"
    at = [at - began for at, *_ in told(workspace(api))]
    assert at == [0, 0, 10 * SECOND_MS]
