"""A test tool that stops time in some frames of its process, as freezegun does, does not stop the sandbox's."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from mock_server.domain.instants import DAY_MS, HOUR_MS, MINUTE_MS
from mock_server.testing import Sandbox, SandboxServer
from tests.counts import times
from tests.sandbox.test_clock_set_back import Machine

FUNCTIONS: Final = ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns")
INSTANTS: Final = ("1970-01-02", "2020-01-01", "2026-01-31", "2031-06-01", "2050-01-01")
FRAMES: Final = 5
"""How many frames freezegun looks at: where one of them is of an ignored module, time goes on."""
REAL: Final[dict[str, Callable[[], Any]]] = {name: getattr(time, name) for name in FUNCTIONS}


def frozen(name: str, at: datetime, ignored: str) -> Callable[[], Any]:
    seconds = at.timestamp()

    def now() -> Any:
        frame: Any = sys._getframe(1)
        for _ in range(FRAMES):
            if frame is not None:
                if str(frame.f_globals.get("__name__", "")).startswith(ignored):
                    return REAL[name]()
                frame = frame.f_back
        return int(seconds * 1e9) if name.endswith("_ns") else seconds

    return now


@pytest.fixture(params=INSTANTS)
def instant(request: pytest.FixtureRequest) -> datetime:
    return datetime.fromisoformat(request.param).replace(tzinfo=UTC)


@pytest.mark.parametrize("ignored", ["threading", "no module"])
def test_a_sandbox_keeps_the_real_time(
    instant: datetime, ignored: str, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def shop(environ: Any, start_response: Any) -> list[bytes]:
        seen.append(environ["PATH_INFO"])
        start_response("200 OK", [])
        return [b""]

    before = datetime.now(UTC)
    for name in FUNCTIONS:
        monkeypatch.setattr(time, name, frozen(name, instant, ignored))
    sandbox.webhooks.connect(shop)
    paid = sandbox.client.pay(capture_method="manual")
    sandbox.webhooks.wait_for("payment_authorized", payment_id=paid, delivered=True)
    assert abs(datetime.fromisoformat(paid["created"]) - before) < timedelta(hours=1)
    captured = sandbox.client.post(f"/payments/{paid['payment_id']}/capture", {"amount_to_capture": 4200})
    assert captured["status"] == "succeeded", captured.text
    sandbox.webhooks.wait_for("payment_succeeded", payment_id=paid, delivered=True)
    with pytest.raises(AssertionError, match="within"):
        sandbox.webhooks.wait_for("refund_succeeded", timeout=0.01)
    with pytest.raises(AssertionError, match="within"):
        sandbox.journal.wait_for("refunds.create", timeout=0.01)
    assert sandbox.clock.advance(hours=1).now > before + timedelta(minutes=59)
    assert seen


IMPORTED: Final = """
import time
real, real_monotonic = time.time_ns, time.monotonic
time.time_ns = lambda: 0
time.monotonic = lambda: 0.0
from mock_server.clock import SystemClock
time.time_ns, time.monotonic = real, real_monotonic
assert abs(SystemClock().now_ms() - time.time_ns() // 1_000_000) < 600_000
assert abs(SystemClock().monotonic() - time.monotonic()) < 600
"""


def test_also_where_it_is_imported_while_time_stands() -> None:
    subprocess.run([sys.executable, "-c", IMPORTED], check=True)


JUMPS: Final = (MINUTE_MS, HOUR_MS, DAY_MS, 2000 * DAY_MS)


@pytest.mark.parametrize("seed", range(times(6, soak=300)))
def test_a_test_that_travels_leaves_the_next_one_the_machines_time(seed: int) -> None:
    """time-machine moves the clock of the whole process, and back at the end of the test."""
    dice, machine = random.Random(seed), Machine()
    with SandboxServer(clock=machine.clock) as server:
        for number in range(8):
            travels = dice.choice((0, 1, -1)) * dice.choice(JUMPS)
            is_inside = dice.random() < 0.5  # or the fixture of the travel is around that of the workspace
            machine.is_set(0 if is_inside else travels)
            with Sandbox(server=server, name=str(number), seed="tests") as workspace:
                begins_ms = machine.wall_ms
                assert workspace.clock.now.timestamp() * 1000 == pytest.approx(begins_ms, rel=0, abs=2)
                machine.is_set(travels if is_inside else 0)
                shown = datetime.fromisoformat(workspace.client.pay()["created"]).timestamp() * 1000
                assert shown == pytest.approx(max(begins_ms, machine.wall_ms), rel=0, abs=2)
                machine.passes(dice.choice((1, 999)))
                machine.is_set(-travels if is_inside else 0)
                assert workspace.clock.now.timestamp() * 1000 >= shown
            machine.is_set(0 if is_inside else -travels)


def test_a_workspace_of_several_tests_does_not_go_back() -> None:
    machine = Machine()
    with SandboxServer(clock=machine.clock) as server, Sandbox(server=server, name="wide", seed="tests") as wide:
        machine.is_set(DAY_MS)
        reached = wide.clock.now
        machine.is_set(-DAY_MS)
        with Sandbox(server=server, name="one", seed="tests"):
            assert wide.clock.now >= reached


async def sleeps() -> None:
    await asyncio.sleep(0.001)


async def waits_for_a_task() -> None:
    await asyncio.wait_for(asyncio.create_task(asyncio.sleep(0.001)), 3600)


async def gives_up() -> None:
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(asyncio.Event().wait(), 0.001)


async def is_limited() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.001):
            await asyncio.Event().wait()


async def is_called_later() -> None:
    done = asyncio.Event()
    asyncio.get_running_loop().call_later(0.001, done.set)
    await done.wait()


@pytest.mark.parametrize("instant", INSTANTS[-times(1, soak=len(INSTANTS)) :], indirect=True)
@pytest.mark.parametrize("pause", [sleeps, waits_for_a_task, gives_up, is_limited, is_called_later])
def test_a_connected_app_can_wait(
    pause: Callable[[], Awaitable[None]], instant: datetime, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def shop(scope: Any, receive: Any, send: Any) -> None:
        await pause()
        await send({"type": "http.response.start", "status": 200})
        await send({"type": "http.response.body"})

    for name in FUNCTIONS:
        monkeypatch.setattr(time, name, frozen(name, instant, "no module"))
    sandbox.webhooks.connect(shop)
    paid = sandbox.client.pay()
    sandbox.webhooks.wait_for("payment_succeeded", payment_id=paid, delivered=True, timeout=60)
