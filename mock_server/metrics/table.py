"""Every figure of `/_sandbox/metrics`: one row a figure, which the scrape and the reference are both made from."""

# ruff: noqa: E501  (one row, one line)

from __future__ import annotations

from typing import Final, NamedTuple


class Metric(NamedTuple):
    """A figure: its name without the ending that its sort brings, its sort, its labels and what it says."""

    name: str
    sort: str
    labels: tuple[str, ...]
    about: str

    @property
    def shown(self) -> str:
        """The name as it stands in the text."""
        return {"counter": f"{self.name}_total", "info": f"{self.name}_info"}.get(self.sort, self.name)


BUILD: Final = Metric(
    "payment_sandbox_build",
    "info",
    ("version", "dialect"),
    "Which version this is, and which dialect it uses; always 1.",
)
REQUESTS: Final = Metric(
    "payment_sandbox_requests",
    "counter",
    ("operation", "status"),
    "Calls answered: of the API, the control API (`control.…`) and pages (`page.…`); `none` where no route takes a call. The status is what was answered, also where a fault then broke the line.",
)
DURATION: Final = Metric(
    "payment_sandbox_request_duration_seconds",
    "histogram",
    ("operation",),
    "Real time from a call's head to its answer; what a scenario, a webhook or a line fault makes the answer wait is not in it, a long poll's wait is.",
)
WORKSPACES: Final = Metric("payment_sandbox_workspaces", "gauge", (), "Workspaces there are.")
EVICTED: Final = Metric(
    "payment_sandbox_workspaces_evicted", "counter", (), "Workspaces that made room for others (setting `workspaces`)."
)
PAYMENTS: Final = Metric(
    "payment_sandbox_payments", "gauge", ("status",), "Payments in all workspaces, by where they stand."
)
FAULTS: Final = Metric(
    "payment_sandbox_faults",
    "counter",
    ("fault",),
    "What scenarios did to calls on the line: each `fault` by its name, `delay`, `error` and `respond` for an answer of their own. A call can have several.",
)
ATTEMPTS: Final = Metric(
    "payment_sandbox_webhook_attempts",
    "counter",
    ("kind", "result"),
    "Requests that carried an event, copies included: why each was made, and `2xx` to `5xx` or `no_answer`.",
)
DUE: Final = Metric(
    "payment_sandbox_due_work",
    "gauge",
    (),
    "Entries that wait in the queues of all workspaces: expiries, settlements, deliveries and the like, whenever they are due.",
)
DROPPED: Final = Metric(
    "payment_sandbox_dropped",
    "gauge",
    ("log",),
    "What fell out of the `journal`, the `inbox` and the answers kept for repeated calls (`idempotency`) of the workspaces there are: settings of these names, and with `_bytes` and `_bytes_total` behind them.",
)
KEPT: Final = Metric(
    "payment_sandbox_kept_bytes",
    "gauge",
    ("what",),
    "Bytes kept of each sort that is bounded by them, in all workspaces; what two sorts share counts in both.",
)

METRICS: Final = (BUILD, REQUESTS, DURATION, WORKSPACES, EVICTED, PAYMENTS, FAULTS, ATTEMPTS, DUE, DROPPED, KEPT)
"""Every figure, in the order in which they are told."""
