from __future__ import annotations

from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from mock_server.server.loop import KEPT_CANCELLED, Timers


@given(st.lists(st.tuples(st.integers(0, 20), st.booleans())), st.integers(0, 20))
def test_what_is_due_comes_once_in_the_order_of_its_instants(entries: list[tuple[int, bool]], now: int) -> None:
    timers = Timers()
    called: list[tuple[int, int]] = []
    made = [timers.add(at, partial(called.append, (at, n))) for n, (at, _) in enumerate(entries)]
    for (_, cancelled), timer in zip(entries, made, strict=True):
        if cancelled:
            timer.cancel()
    for _ in range(2):
        for then in timers.take_due(now):
            then()
    assert called == sorted((at, n) for n, (at, cancelled) in enumerate(entries) if at <= now and not cancelled)
    left = [at for at, cancelled in entries if at > now and not cancelled]
    assert timers.next_at() == min(left, default=None)


def test_a_timer_that_was_called_can_be_cancelled() -> None:
    timers = Timers()
    timer = timers.add(1, lambda: None)
    timers.take_due(1)
    timer.cancel()
    timer.cancel()
    assert timers.next_at() is None


def test_cancelled_timers_do_not_pile_up() -> None:
    timers = Timers()
    kept = timers.add(5, lambda: None)
    for _ in range(10_000):
        timers.add(9, lambda: None).cancel()
    assert len(timers._heap) <= 2 * KEPT_CANCELLED + 2
    assert timers.next_at() == 5
    kept.cancel()
    assert timers.next_at() is None
    assert len(timers._heap) == 0
