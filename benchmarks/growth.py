"""What many replicas ask of one database, by simulation: `python -m benchmarks.growth`.

Calls come at random to workspaces, some of them far oftener than others; a hash gives each workspace to one replica,
which commits what changed while its last commit was under way, and reads a workspace that is not in memory. The costs
of a call are measured ones (`python -m benchmarks.replicas`). Halfway a replica ends; what it owned is claimed again,
workspace by workspace, once its lease is over.
"""

from __future__ import annotations

import argparse
import random
from bisect import bisect
from collections import OrderedDict
from collections.abc import Iterator
from itertools import accumulate, count
from typing import Final
from zlib import crc32

from msgspec import Struct

from benchmarks.lasting import say

REPLICAS: Final = (1, 2, 4, 8, 16, 32, 64)
WORKSPACES: Final = (1_000, 100_000, 1_000_000)
IN_MEMORY: Final = 1_000
"""The setting `workspaces`."""
LEASE_S: Final = 3.0
RENEWED_EVERY_S: Final = 1.0
LOOKS_EVERY_S: Final = 1.0
"""How often each replica looks for due work that nobody looks after."""
IN_COMMIT: Final = 4
"""Statements of a commit: its begin, the fence, the rows, its end."""
IN_CLAIM: Final = 2
IN_READING: Final = 3
"""Statements that bring a workspace of up to 500 rows into memory."""
DECADES: Final = 6


class Costs(Struct, frozen=True):
    """Of one call, as measured: the share of calls that change something, and what the database does for each.

    Rows and bytes of its log a change, seconds of its processors a commit, a row and a statement that reads, and how
    long a commit takes beside what it takes for its rows.
    """

    changes: float = 0.5
    rows: float = 5.0
    log_bytes: float = 3_700.0
    commit_cpu_s: float = 350e-6
    row_cpu_s: float = 12e-6
    read_cpu_s: float = 40e-6
    commit_s: float = 2e-3
    row_s: float = 20e-6


class Replica(Struct):
    """What one replica has: workspaces in memory, oldest first; which of its own it claimed anew; changes that wait."""

    here: OrderedDict[int, None]
    claimed: set[int] | None = None
    waiting: int = 0
    busy_until: float = 0.0
    calls: int = 0


class Tally(Struct):
    """What came up, in all."""

    calls: int = 0
    commits: int = 0
    rows: float = 0.0
    reads: int = 0
    claims: int = 0
    refused: int = 0
    busiest: float = 0.0
    """The part of all calls that came to one replica."""

    def statements(self, replicas: int, seconds: float) -> float:
        """Sent to the database, leases and looks for due work included."""
        kept = replicas * seconds * (1 / RENEWED_EVERY_S + 1 / LOOKS_EVERY_S)
        return self.commits * IN_COMMIT + self.claims * IN_CLAIM + self.reads * IN_READING + kept


def workspaces_asked(workspaces: int, chance: random.Random) -> Iterator[int]:
    """Workspaces as calls name them: each tenfold of their number gets as many calls as the one before (Zipf)."""
    ends = [min(workspaces, 10**power) for power in range(DECADES + 1) if 10 ** (power - 1) < workspaces]
    shares = list(accumulate([1.0] * len(ends)))
    for _ in count():
        at = bisect(shares, chance.random() * shares[-1])
        yield chance.randrange(ends[at - 1] if at else 0, ends[at])


def simulated(replicas: int, workspaces: int, calls_s: float, seconds: float, costs: Costs) -> Tally:
    """Runs so long, of simulated time; the first replica ends halfway, and is back when its lease is over."""
    chance = random.Random(f"{replicas} {workspaces}")
    all_of = [Replica(OrderedDict()) for _ in range(replicas)]
    tally, now, dies_at, asked = Tally(), 0.0, seconds / 2, workspaces_asked(workspaces, chance)
    while now < seconds:
        now += chance.expovariate(calls_s * replicas)
        workspace = next(asked)
        at = crc32(b"%d" % workspace) % replicas
        one = all_of[at]
        tally.calls += 1
        one.calls += 1
        if at == 0 and now >= dies_at:
            if one.claimed is None:
                one.claimed = set()
                one.here.clear()
            if now < dies_at + LEASE_S:
                tally.refused += 1
                continue
            if workspace not in one.claimed:
                one.claimed.add(workspace)
                tally.claims += 1
        if workspace in one.here:
            one.here.move_to_end(workspace)
        else:
            one.here[workspace] = None
            tally.reads += 1
            if len(one.here) > IN_MEMORY:
                one.here.popitem(last=False)
        if chance.random() < costs.changes:
            one.waiting += 1
        if one.waiting and one.busy_until <= now:
            rows = one.waiting * costs.rows
            tally.commits += 1
            tally.rows += rows
            one.busy_until = now + costs.commit_s + rows * costs.row_s
            one.waiting = 0
    tally.busiest = max(one.calls for one in all_of) / tally.calls
    return tally


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--calls", type=float, default=500.0, help="calls a second and replica")
    asked.add_argument("--seconds", type=float, default=20.0, help="of simulated time")
    options = asked.parse_args()
    costs = Costs()
    say("replicas | workspaces | calls/s | of the busiest | statements a call | commits/s | leases/s "
        "| claims after an end | rows/s | log MB/s | database's cores | refused")  # fmt: skip
    for workspaces in WORKSPACES:
        for replicas in REPLICAS:
            seconds = options.seconds
            tally = simulated(replicas, workspaces, options.calls, seconds, costs)
            statements = tally.statements(replicas, seconds)
            reads = statements - tally.commits * IN_COMMIT
            cpu_s = tally.commits * costs.commit_cpu_s + tally.rows * costs.row_cpu_s + reads * costs.read_cpu_s
            figures = (
                f"{replicas}", f"{workspaces}", f"{tally.calls / seconds:.0f}",
                f"{tally.busiest * 100:.0f} %", f"{statements / tally.calls:.2f}",
                f"{tally.commits / seconds:.0f}", f"{replicas / RENEWED_EVERY_S:.0f}", f"{tally.claims}",
                f"{tally.rows / seconds:.0f}", f"{tally.rows / costs.rows * costs.log_bytes / seconds / 1e6:.1f}",
                f"{cpu_s / seconds:.2f}", f"{tally.refused}",
            )  # fmt: skip
            say(" | ".join(figures))


if __name__ == "__main__":
    main()
