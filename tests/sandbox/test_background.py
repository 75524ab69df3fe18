"""What falls due while nobody calls."""

from __future__ import annotations

import gc
from threading import Event
from weakref import ref

import pytest

from mock_server.domain.cards import by_name
from mock_server.domain.instants import SECOND_MS
from mock_server.sandbox import Sandbox, Workspace, timekeeping
from mock_server.sandbox.background import Background
from mock_server.store.protocol import NEVER
from tests.clocks import ManualClock
from tests.sandbox.workspaces import key, pay, sandbox, told


@pytest.fixture
def server(clock: ManualClock) -> Sandbox:
    return sandbox(clock)


def pending() -> str:
    row = by_name("visa_pending_succeeds")
    assert row is not None
    return row.number


def test_it_says_when_to_come_back(server: Sandbox, clock: ManualClock) -> None:
    background = Background(server.workspaces, clock)
    assert background.run_once(clock.now_ms()) == NEVER
    pay(server.workspace(key()), pending())
    pay(server.workspace(key("snd_other_0123456789")), pending())
    due = clock.now_ms() + 10 * SECOND_MS
    assert background.run_once(clock.now_ms()) == due
    assert background.run_once(due - 1) == due
    assert background.run_once(due) == NEVER
    for workspace in server.workspaces():
        assert [what for _, what, _ in told(workspace)] == ["payment_processing", "payment_succeeded"]


def test_a_workspace_whose_time_stands_is_left_alone(server: Sandbox, clock: ManualClock) -> None:
    background = Background(server.workspaces, clock)
    workspace = server.workspace(key())
    pay(workspace, pending())
    timekeeping.freeze(workspace)
    assert background.run_once(clock.now_ms() + 100 * SECOND_MS) == NEVER
    assert len(told(workspace)) == 1


def test_a_workspace_ahead_of_real_time_comes_earlier(server: Sandbox, clock: ManualClock) -> None:
    workspace = server.workspace(key())
    timekeeping.freeze(workspace, clock.now_ms() + 1000 * SECOND_MS)
    timekeeping.resume(workspace)
    pay(workspace, pending())
    assert Background(server.workspaces, clock).run_once(clock.now_ms()) == clock.now_ms() + 10 * SECOND_MS


def test_one_broken_workspace_is_no_other_workspaces_trouble(
    server: Sandbox, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    broken = server.workspace(key("snd_broken_012345678"))
    broken.space.transact(lambda tx: tx.schedule(0, "payment.settles", "x"))

    class Breaks(Workspace):
        def apply_due(self, until: int) -> int:
            raise RuntimeError("no")

    good = server.workspace(key())
    pay(good, pending())
    workspaces = [Breaks(server, broken.space), good]
    Background(lambda: workspaces, clock).run_once(clock.now_ms() + 10 * SECOND_MS)
    assert [what for _, what, _ in told(good)] == ["payment_processing", "payment_succeeded"]
    assert "of a workspace failed" in caplog.text


def test_the_thread_wakes_for_what_falls_due_sooner(clock: ManualClock) -> None:
    """Between start and stop a payment that is due at once is settled without a call."""
    server = sandbox(clock)
    workspace = server.workspace(key())
    settled = Event()
    workspace.space.on_append("inbox", lambda: settled.set() if len(told(workspace)) == 2 else None)
    server.start()
    server.start()
    try:
        pay(workspace, pending())
        clock.advance(10 * SECOND_MS)
        server.wake()
        settled.wait()
    finally:
        server.stop()
    server.stop()
    assert [what for _, what, _ in told(workspace)] == ["payment_processing", "payment_succeeded"]
    assert server._background._thread is None


def test_a_workspace_that_is_reset_is_let_go_with_all_that_lay_ahead_of_it(server: Sandbox, clock: ManualClock) -> None:
    background = Background(server.workspaces, clock)
    workspace = server.workspace(key())
    pay(workspace, pending())
    assert background.run_once(clock.now_ms()) != NEVER
    gone = ref(workspace.space)
    del workspace
    server.reset(key())
    gc.collect()
    assert gone() is None
