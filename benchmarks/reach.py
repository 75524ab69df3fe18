"""The table of what is to be reached: one row each, with where its figure stands and how it is said."""

# ruff: noqa: E501  (one row, one line)

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final, NamedTuple

Figures = dict[str, Any]


class Reach(NamedTuple):
    """One row. `of` gives the figure from all that was measured, `holds` whether it is reached."""

    what: str
    reach: str
    of: Callable[[Figures], float]
    holds: Callable[[float], bool]
    shown: str


def at_most(most: float) -> Callable[[float], bool]:
    return lambda figure: figure <= most


def at_least(least: float) -> Callable[[float], bool]:
    return lambda figure: figure >= least


def _speed(name: str, figure: str) -> Callable[[Figures], float]:
    return lambda found: float(found["speed"][name][figure])


def _ratio(peer: str) -> Callable[[Figures], float]:
    def of(found: Figures) -> float:
        other = found["peers"].get(peer)
        return (
            float("nan") if other is None else float(found["speed"]["create_16"]["rps"]) / float(other["create"]["rps"])
        )

    return of


def _growth(found: Figures) -> float:
    """Of all questions the one that grew most from the smallest workspace to the largest."""
    return max(float(times[-1]) / float(times[0]) for times in found["lists"]["p50_us"].values())


def _given(found: Figures) -> float:
    given: dict[Any, float] = found["lists"]["given_s"]
    return given.get(1_000_000) or given.get("1000000") or math.nan


ROWS: Final = (
    Reach("start: process start to first answer", "≤ 0.20 s", lambda f: f["start"]["start_s"], at_most(0.20), "{:.3f} s"),
    Reach("… beside `python -c \"import flask\"`", "≤ 1.6 ×", lambda f: f["start"]["start_s"] / f["start"]["flask_s"], at_most(1.6), "{:.2f} ×"),
    Reach("create + confirm of a card payment, c=16", "≥ 6 000/s", _speed("create_16", "rps"), at_least(6_000), "{:.0f}/s"),
    Reach("… server's processor time", "≤ 165 µs", _speed("create_16", "cpu_us"), at_most(165), "{:.0f} µs"),
    Reach("… beside Prism", "≥ 2 ×", _ratio("Prism"), at_least(2), "{:.1f} ×"),
    Reach("… beside mountebank", "≥ 1.5 ×", _ratio("mountebank"), at_least(1.5), "{:.1f} ×"),
    Reach("… where lists were asked before, so that everything is indexed", "≥ 0.9 ×", lambda f: f["speed"]["indexed_16"]["rps"] / f["speed"]["create_16"]["rps"], at_least(0.9), "{:.2f} ×"),
    Reach("… beside localstripe", "≥ 30 ×", _ratio("localstripe"), at_least(30), "{:.0f} ×"),
    Reach("retrieve, c=16", "≥ 9 000/s", _speed("retrieve_16", "rps"), at_least(9_000), "{:.0f}/s"),
    Reach("… beside a constant view of Flask", "≥ 0.75 ×", lambda f: f["speed"]["retrieve_16"]["rps"] / f["speed"]["flask_16"]["rps"], at_least(0.75), "{:.2f} ×"),
    Reach("p99 of create, c=64", "≤ 25 ms", lambda f: f["speed"]["create_64"]["p99_us"] / 1000, at_most(25), "{:.1f} ms"),
    Reach("p99 of retrieve, c=64", "≤ 12 ms", lambda f: f["speed"]["retrieve_64"]["p99_us"] / 1000, at_most(12), "{:.1f} ms"),
    Reach("slowest of 100 000 creates, c=64", "≤ 100 ms", lambda f: f["tail"]["max_us"] / 1000, at_most(100), "{:.0f} ms"),
    Reach("p50 of create, c=1", "≤ 0.30 ms", lambda f: f["speed"]["create_1"]["p50_us"] / 1000, at_most(0.30), "{:.2f} ms"),
    Reach("p50 of retrieve, c=1", "≤ 0.15 ms", lambda f: f["speed"]["retrieve_1"]["p50_us"] / 1000, at_most(0.15), "{:.2f} ms"),
    Reach("lists with filters, 1e3 → 1e6 payments: growth of p50", "≤ 2 ×", _growth, at_most(2), "{:.2f} ×"),
    Reach("memory at start", "≤ 45 MB", lambda f: f["start"]["memory_mb"], at_most(45), "{:.1f} MB"),
    Reach("memory per payment, journal and inbox filling up", "≤ 2.5 kB", lambda f: f["fill"]["kb_each"], at_most(2.5), "{:.1f} kB"),
    Reach("… once they are full (10 000 lines each)", "≤ 2.5 kB", lambda f: f["fill"]["kb_each_later"], at_most(2.5), "{:.1f} kB"),
    Reach("… filling up, where everything is indexed", "≤ 3.4 kB", lambda f: f["fill_indexed"]["kb_each"], at_most(3.4), "{:.1f} kB"),
    Reach("first list with a filter, 100 000 payments", "≤ 2 s", lambda f: f["lists"]["first_s"][2], at_most(2), "{:.1f} s"),
    Reach("… 1 000 000 payments: slowest call of others meanwhile", "≤ 50 ms", lambda f: f["lists"]["beside_ms"][-1], at_most(50), "{:.0f} ms"),
    Reach("a million payments given by a scenario", "≤ 60 s", _given, at_most(60), "{:.0f} s"),
    Reach("reset of a workspace with 100 000 payments", "≤ 1 ms", lambda f: f["lists"]["reset_ms"], at_most(1), "{:.2f} ms"),
    Reach("pytest: fresh workspace for a test", "≤ 0.5 ms", lambda f: f["pytest"]["workspace_ms"], at_most(0.5), "{:.2f} ms"),
    Reach("pytest: server's start and stop", "≤ 60 ms", lambda f: f["pytest"]["server_ms"], at_most(60), "{:.1f} ms"),
    Reach("pytest: plugin not used", "≤ 5 ms", lambda f: f["pytest"]["unused_ms"], at_most(5), "{:.1f} ms"),
    Reach("p99 beside 500 parked and 1 000 idle connections", "≤ 1.5 ×", lambda f: f["waiting"]["beside_p99_us"] / f["waiting"]["alone_p99_us"], at_most(1.5), "{:.2f} ×"),
)  # fmt: skip
