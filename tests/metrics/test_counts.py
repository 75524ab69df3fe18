"""The counters: nothing is lost between threads, and durations stand in the right places."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from mock_server.metrics import BOUNDS_S, METRICS, NO_ANSWER, NOWHERE, REQUESTS, Counts, Metric, result_of


def test_no_call_is_lost_between_threads() -> None:
    counts = Counts()

    def work(status: int) -> None:
        for _ in range(1_000):
            counts.call("payments.create", status, 0.001)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, [200, 400, 200, 400]))
    assert counts.calls() == {("payments.create", 200): 2_000, ("payments.create", 400): 2_000}
    assert counts.durations()["payments.create"].up_to[-1] == 4_000


@pytest.mark.parametrize(
    ("took_s", "at"),
    [(0.0, 0), (BOUNDS_S[0], 0), (BOUNDS_S[0] + 1e-9, 1), (BOUNDS_S[-1], len(BOUNDS_S) - 1), (99.0, len(BOUNDS_S))],
)
def test_a_duration_counts_up_to_the_first_bound_that_holds_it(took_s: float, at: int) -> None:
    counts = Counts()
    counts.call("payments.create", 200, took_s)
    up_to, sum_s = counts.durations()["payments.create"]
    assert list(up_to) == [0] * at + [1] * (len(BOUNDS_S) + 1 - at)
    assert sum_s == took_s


def test_what_reached_no_operation_has_no_duration() -> None:
    counts = Counts()
    counts.add(REQUESTS, NOWHERE, 404)
    assert counts.calls() == {(NOWHERE, 404): 1}
    assert counts.durations() == {}


def test_attempts_are_told_apart_by_what_came_back() -> None:
    assert [result_of(status) for status in (200, 204, 302, 500, None)] == ["2xx", "2xx", "3xx", "5xx", NO_ANSWER]


@pytest.mark.parametrize("row", METRICS, ids=lambda row: row.name)
def test_a_row_is_what_prometheus_recommends(row: Metric) -> None:
    assert row.name.startswith("payment_sandbox_")
    assert not row.name.endswith(("_total", "_info", "_count", "_sum", "_bucket"))
    assert row.about.endswith(".")
