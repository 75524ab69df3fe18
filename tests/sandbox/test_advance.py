"""Leading a clock on: in order, once, with what was added on the way, however the way is cut into steps."""

from __future__ import annotations

import sys
from collections.abc import Callable
from threading import Event, Thread
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.cards import by_name
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.events import DELIVER
from mock_server.domain.instants import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS
from mock_server.domain.outcomes import Challenge
from mock_server.engine.payments import charge
from mock_server.sandbox import Workspace, timekeeping
from mock_server.sandbox.timekeeping import AdvanceResult, advance
from tests.clocks import ManualClock
from tests.sandbox.workspaces import carry_out, key, pay, sandbox, told
from tests.store.retrying import RetryingStore

CARDS = ("visa_success", "visa_pending_succeeds", "visa_3ds_required", "visa_generic_decline")


def number(name: str) -> str:
    row = by_name(name)
    assert row is not None
    return row.number


def by(ms: int) -> Callable[[int], int]:
    return lambda now: now + ms


@pytest.fixture
def workspace(clock: ManualClock) -> Workspace:
    return sandbox(clock).workspace(key())


def test_what_falls_due_is_applied_at_its_own_instant_in_order(workspace: Workspace) -> None:
    start = workspace.now()
    authorized = pay(workspace, capture_method="manual")
    pending = pay(workspace, number("visa_pending_succeeds"))
    waits = pay(workspace, number("visa_3ds_required"))
    done = advance(workspace, by(8 * DAY_MS))
    assert done.now == start + 8 * DAY_MS == workspace.now()
    assert [(one.at - start, one.subject) for one in done.fired] == [
        (10 * SECOND_MS, pending.payment_id),
        (15 * MINUTE_MS, waits.payment_id),
        (7 * DAY_MS, authorized.payment_id),
    ]
    assert [at - start for at, *_ in told(workspace)][-3:] == [10 * SECOND_MS, 15 * MINUTE_MS, 7 * DAY_MS]


def test_a_clock_that_ran_goes_on_from_the_target_and_one_that_stood_stands_there(
    workspace: Workspace, clock: ManualClock
) -> None:
    start = workspace.now()
    advance(workspace, by(HOUR_MS))
    clock.advance(5)
    assert workspace.now() == start + HOUR_MS + 5
    timekeeping.freeze(workspace)
    advance(workspace, by(HOUR_MS))
    clock.advance(5)
    assert workspace.now() == start + 2 * HOUR_MS + 5
    timekeeping.resume(workspace)
    clock.advance(5)
    assert workspace.now() == start + 2 * HOUR_MS + 10


STEPS = st.lists(st.integers(0, 2 * DAY_MS), min_size=0, max_size=6)
MADE = st.lists(st.tuples(st.sampled_from(CARDS), st.sampled_from(["automatic", "manual"])), min_size=1, max_size=6)


@given(made=MADE, steps=STEPS, frozen=st.booleans(), twice=st.booleans())
def test_a_jump_and_any_partition_of_it_tell_the_same(
    made: list[tuple[str, str]], steps: list[int], frozen: bool, twice: bool
) -> None:
    jumped, walked = (filled(made, frozen=frozen, retrying=twice) for _ in range(2))
    whole = advance(jumped, by(sum(steps)))
    parts = [advance(walked, by(step)) for step in steps]
    assert [one for part in parts for one in part.fired] == list(whole.fired)
    assert told(walked) == told(jumped)
    assert walked.now() == jumped.now()
    assert walked.space.dump() == jumped.space.dump()


def filled(made: list[tuple[str, str]], *, frozen: bool, retrying: bool) -> Workspace:
    """A workspace with these payments, a minute between them."""
    clock = ManualClock()
    workspace = sandbox(clock, RetryingStore() if retrying else None).workspace(key())
    if frozen:
        timekeeping.freeze(workspace)
    for name, method in made:
        pay(workspace, number(name), capture_method=method)
        advance(workspace, by(MINUTE_MS))
    return workspace


# deliveries


class Sent:
    """Takes what is to be sent out of the queue, and calls whoever listens with nothing held."""

    def __init__(self, receiver: Callable[[Workspace, str], object] = lambda workspace, event: None) -> None:
        self.log: list[tuple[int, str]] = []
        self.settled = 0
        self._receiver = receiver

    def settle(self, workspace: Workspace, timeout_s: float) -> None:
        assert timeout_s == 2.0
        self.settled += 1

    def run_due(self, workspace: Workspace, until: int, timeout_s: float) -> int:
        count = 0
        while (entry := workspace.space.transact(lambda tx: tx.take_due(until, (DELIVER,)))) is not None:
            assert workspace.now() == until
            self.log.append((until, entry.subject))
            self._receiver(workspace, entry.subject)
            count += 1
        return count


@pytest.fixture
def listened(clock: ManualClock) -> Workspace:
    """A workspace that has somewhere to send its events to."""
    return sandbox(clock, webhook_url="http://localhost:9/hook").workspace(key())


def test_deliveries_are_made_at_their_instants_between_the_changes(listened: Workspace) -> None:
    start = listened.now()
    pay(listened, number("visa_pending_succeeds"))
    pay(listened, capture_method="manual")
    sent = Sent()
    done = advance(listened, by(8 * DAY_MS), sent)
    assert sent.settled == 1
    assert [at - start for at, _ in sent.log] == [0, 0, 10 * SECOND_MS, 7 * DAY_MS]
    whats = [(one.at - start, one.what == DELIVER) for one in done.fired]
    assert whats[-4:] == [
        (10 * SECOND_MS, False),
        (10 * SECOND_MS, True),
        (7 * DAY_MS, False),
        (7 * DAY_MS, True),
    ]


def test_what_a_receiver_adds_is_included(listened: Workspace) -> None:
    """The first event's receiver makes a payment that settles before the target."""
    start = listened.now()

    def makes_one(workspace: Workspace, event: str) -> None:
        if len(told(workspace)) == 1:
            pay(workspace, number("visa_pending_succeeds"))

    pay(listened, capture_method="manual")
    done = advance(listened, by(HOUR_MS), Sent(makes_one))
    assert (10 * SECOND_MS) in [one.at - start for one in done.fired]
    assert [what for _, what, _ in told(listened)] == ["payment_authorized", "payment_processing", "payment_succeeded"]


def test_without_delivering_they_stay_due(listened: Workspace) -> None:
    pay(listened, number("visa_pending_succeeds"))
    advance(listened, by(HOUR_MS))
    left = listened.space.transact(lambda tx: tx.all_due())
    assert [entry.what for entry in left] == [DELIVER, DELIVER]


@pytest.mark.parametrize("delivers", [True, False])
def test_due_deliveries_are_counted_only_where_they_are_told(listened: Workspace, delivers: bool) -> None:
    """Counting them holds the workspace for as long as it has many."""
    pay(listened)
    counted: list[str] = []

    def notes(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code.co_name == "all_due":
            counted.append(event)

    sys.setprofile(notes)
    try:
        done = advance(listened, by(HOUR_MS), Sent() if delivers else None, has_left=lambda: True)
    finally:
        sys.setprofile(None)
    assert (done.left, bool(counted)) == ((1, True) if delivers else (0, False))


def test_a_sender_that_leaves_its_entries_does_not_stop_the_clock(listened: Workspace) -> None:
    class Idle(Sent):
        def run_due(self, workspace: Workspace, until: int, timeout_s: float) -> int:
            return 0

    start = listened.now()
    pay(listened, number("visa_pending_succeeds"))
    done = advance(listened, by(HOUR_MS), Idle())
    assert [one.at - start for one in done.fired] == [10 * SECOND_MS]


def test_receivers_have_a_bound_together_and_the_clock_comes_to_its_target_all_the_same(
    listened: Workspace, clock: ManualClock
) -> None:
    waits: list[float] = []

    class Slow(Sent):
        def run_due(self, workspace: Workspace, until: int, timeout_s: float) -> int:
            waits.append(timeout_s)
            clock.advance(round(timeout_s * 1000))
            return int(workspace.space.transact(lambda tx: tx.take_due(until, (DELIVER,))) is not None)

    timekeeping.freeze(listened)
    start = listened.now()
    for _ in range(20):
        pay(listened, number("visa_pending_succeeds"))
        advance(listened, by(1))
    done = advance(listened, by(HOUR_MS), Slow())
    assert done.now == start + 20 + HOUR_MS == listened.now()
    assert sum(waits) == listened.host.settings.advance_timeout
    assert sum(one.what != DELIVER for one in done.fired) == 20
    due = listened.space.transact(lambda tx: [one for one in tx.all_due() if one.what == DELIVER])
    assert done.left == len(due) == 40 - len(waits)


def test_a_caller_that_left_is_led_to_the_target_without_waiting_for_receivers(listened: Workspace) -> None:
    start = listened.now()
    pay(listened, number("visa_pending_succeeds"))
    sent = Sent()
    done = advance(listened, by(HOUR_MS), sent, has_left=lambda: bool(sent.log))
    assert (len(sent.log), done.left, done.now) == (1, 1, start + HOUR_MS)
    assert not listened.clock.advancing


def test_only_one_advances_a_workspace_and_others_are_served_meanwhile(listened: Workspace) -> None:
    inside, go_on = Event(), Event()
    refused: list[Cause] = []

    def waits(workspace: Workspace, event: str) -> None:
        try:
            advance(workspace, by(HOUR_MS))
        except Refusal as refusal:
            refused.append(refusal.cause)
        inside.set()
        go_on.wait()

    start = listened.now()
    first = pay(listened, number("visa_3ds_required"))
    found: list[AdvanceResult] = []
    runner = Thread(target=lambda: found.append(advance(listened, by(HOUR_MS), Sent(waits))))
    runner.start()
    inside.wait()
    for forbidden in (
        lambda: advance(listened, by(1)),
        lambda: timekeeping.freeze(listened),
        lambda: timekeeping.resume(listened),
    ):
        with pytest.raises(Refusal) as refusal:
            forbidden()
        assert refusal.value.cause is Cause.ADVANCE_RUNNING
    assert listened.now() == start
    approved = carry_out(listened, charge.authenticate, first.payment_id, Challenge.APPROVED)
    assert approved.modified_at == start
    go_on.set()
    runner.join()
    assert refused[0] is Cause.ADVANCE_RUNNING
    assert found[0].now == start + HOUR_MS == listened.now()
    assert not listened.clock.advancing


def test_a_reset_ends_an_advance(clock: ManualClock) -> None:
    server = sandbox(clock, webhook_url="http://localhost:9/hook")
    workspace = server.workspace(key())
    pay(workspace, number("visa_pending_succeeds"))
    with pytest.raises(Refusal) as refusal:
        advance(workspace, by(HOUR_MS), Sent(lambda workspace, event: server.reset(key())))
    assert refusal.value.cause is Cause.WORKSPACE_GONE
    assert not server.workspace(key()).clock.advancing


def test_a_receiver_that_breaks_leaves_the_clock_where_it_stood(listened: Workspace) -> None:
    class Broken(RuntimeError):
        pass

    def breaks(workspace: Workspace, event: str) -> None:
        if workspace.now() > start:
            raise Broken

    start = listened.now()
    pay(listened, number("visa_pending_succeeds"))
    with pytest.raises(Broken):
        advance(listened, by(HOUR_MS), Sent(breaks))
    assert listened.now() == start + 10 * SECOND_MS
    assert not listened.clock.advancing


def test_time_never_runs_backwards(workspace: Workspace) -> None:
    with pytest.raises(Refusal) as refusal:
        advance(workspace, by(-1))
    assert refusal.value.cause is Cause.CLOCK_BACKWARDS
    assert not workspace.clock.advancing
