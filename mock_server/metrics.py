"""The server's metrics: what is counted while it serves, and what each figure means.

The counts are plain numbers of this process. They belong to no workspace: a reset does not change them, a snapshot does
not contain them, and they end with the process.
"""

# ruff: noqa: E501  (in the table one row is one line)

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from itertools import accumulate
from threading import Lock
from typing import Final, NamedTuple

BOUNDS_S: Final = (
    0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
)  # fmt: skip
"""Upper bounds of the buckets of durations; most calls take less than the third."""
NOWHERE: Final = "none"
"""The operation of a call without a route, or that the server refuses before it looks for one."""
NO_ANSWER: Final = "no_answer"


class Durations(NamedTuple):
    """How long the calls of an operation took: how many up to each bound, in all, and their sum in s."""

    up_to: tuple[int, ...]
    sum_s: float


class Counts:
    """A server's counters. Adding takes a short lock; calls never read them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._took: dict[tuple[str, int], list[float]] = {}
        """By operation and status: how many calls up to each bound, how many after the last, and their sum in s."""
        self._counted: dict[str, dict[tuple[object, ...], int]] = {}
        """The other counts by figure and labels."""

    # adding

    def call(self, operation: str, status: int, took_s: float) -> None:
        """Counts a call that was answered."""
        key = (operation, status)
        bucket = bisect_left(BOUNDS_S, took_s)
        with self._lock:
            took = self._took.get(key)
            if took is None:
                took = self._took[key] = [0] * (len(BOUNDS_S) + 2)
            took[bucket] += 1
            took[-1] += took_s

    def add(self, row: Metric, *labels: object, count: int = 1) -> int:
        """Adds to a figure with these labels; returns the count so far."""
        with self._lock:
            counted = self._counted.setdefault(row.name, {})
            so_far = counted[labels] = counted.get(labels, 0) + count
            return so_far

    # reading

    def calls(self) -> Mapping[tuple[object, ...], int]:
        """The number of calls by operation and status, those without an operation included."""
        with self._lock:
            calls: dict[tuple[object, ...], int] = {key: int(sum(took[:-1])) for key, took in self._took.items()}
        return {**calls, **self.of(REQUESTS)}

    def durations(self) -> Mapping[str, Durations]:
        """How long calls took, by operation."""
        sums: dict[str, list[float]] = {}
        with self._lock:
            for (operation, _), took in self._took.items():
                so_far = sums.get(operation, [0] * len(took))
                sums[operation] = [count + more for count, more in zip(so_far, took, strict=True)]
        return {name: Durations(tuple(map(int, accumulate(took[:-1]))), took[-1]) for name, took in sums.items()}

    def of(self, row: Metric) -> Mapping[tuple[object, ...], int]:
        """The counts of a figure by its labels."""
        with self._lock:
            return dict(self._counted.get(row.name, {}))


def result_of(status: int | None) -> str:
    """The label of a delivery attempt's result; None: there was no answer."""
    return NO_ANSWER if status is None else f"{status // 100}xx"


class Metric(NamedTuple):
    """A figure: its name without the ending that its sort adds, its sort, its labels and its description."""

    name: str
    sort: str
    labels: tuple[str, ...]
    about: str


# fmt: off
BUILD: Final = Metric("payment_sandbox_build", "info", ("version", "dialect"), "Version and default dialect of the server; the value is always 1.")
REQUESTS: Final = Metric("payment_sandbox_requests", "counter", ("operation", "status"), "Answered calls of the API, the control API (`control.…`) and pages (`page.…`); `none` if no route matches. The status is that of the answer, even if a fault then broke the connection.")
DURATION: Final = Metric("payment_sandbox_request_duration_seconds", "histogram", ("operation",), "Real time from the request head to the answer, including the wait of a long poll, without delays by scenarios, webhooks or faults.")
WORKSPACES: Final = Metric("payment_sandbox_workspaces", "gauge", (), "Number of workspaces.")
EVICTED: Final = Metric("payment_sandbox_workspaces_evicted", "counter", (), "Workspaces evicted to make room for others (setting `workspaces`).")
PAYMENTS: Final = Metric("payment_sandbox_payments", "gauge", ("status",), "Payments in all workspaces, by status.")
FAULTS: Final = Metric("payment_sandbox_faults", "counter", ("fault",), "Faults that scenarios applied to calls: each `fault` by its name, `delay`, `error`, and `respond` for an answer of their own. A call can have several.")
ATTEMPTS: Final = Metric("payment_sandbox_webhook_attempts", "counter", ("kind", "result"), "Delivery attempts, copies included, by the reason for the attempt and by result: `2xx` to `5xx` or `no_answer`.")
NOT_RECORDED: Final = Metric("payment_sandbox_not_recorded", "counter", ("recorder",), "What could not be recorded of a call or delivery, by recorder (`journal`, `figures`, `label`, …); answers do not change. If this is above 0, the log says more.")
DUE: Final = Metric("payment_sandbox_due_work", "gauge", (), "Scheduled events in all workspaces, such as expiries, settlements and deliveries.")
DROPPED: Final = Metric("payment_sandbox_dropped", "gauge", ("log",), "Entries dropped from the `journal`, the `inbox` and the answers stored for repeated calls (`idempotency`) of existing workspaces; limited by the settings of these names, also with `_bytes` and `_bytes_total`.")
KEPT: Final = Metric("payment_sandbox_kept_bytes", "gauge", ("what",), "Bytes stored in all workspaces, by kind of data with a byte limit; data shared by two kinds counts in both.")
LOADED: Final = Metric("payment_sandbox_data_workspaces_loaded", "gauge", (), "Workspaces in memory; all others are only in the file or database.")
UNSAVED: Final = Metric("payment_sandbox_data_unsaved_rows", "gauge", (), "Rows waiting to be saved. If this stays above 0, the file or database cannot be written.")
COMMITS: Final = Metric("payment_sandbox_data_commit_duration_seconds", "histogram", (), "Real time of each commit to the file or database.")
FAILED: Final = Metric("payment_sandbox_data_commits_failed", "counter", (), "Failed commits; each is retried.")
PASSED_ON: Final = Metric("payment_sandbox_passed_on", "counter", ("result",), "Calls about what another replica owns: `sent` to it, or answered 503 as it was `unreachable`, as the call was `returned` after it had been passed on once, or `refused` as too many were with other replicas.")
OWNED: Final = Metric("payment_sandbox_owned_workspaces", "gauge", (), "Workspaces that this replica owns.")
LEASE: Final = Metric("payment_sandbox_lease_left_seconds", "gauge", (), "Seconds for which this replica's lease is valid; 0 if it has expired.")
# fmt: on
METRICS: Final = tuple(row for row in tuple(globals().values()) if isinstance(row, Metric))
"""All figures, in the order in which they are shown; the last ones exist only with the setting `data`."""
