"""What replicas cost, beside memory and a file in the same run: `python -m benchmarks.replicas`.

A create and a retrieve, 16 at once and one alone: in memory, over a file, over PostgreSQL, through a replica that does
not own the workspace, and through HAProxy to the one that does. Processor time of a call, of the replicas and of all
that serves it (database and balancer too); and how long callers waited. Ways take turns; of each the best round counts,
since other work on the machine only ever adds to it. Needs PostgreSQL and HAProxy.
"""

from __future__ import annotations

import argparse
import json
import socket
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from benchmarks.lasting import BODY, WARM, Served, ask, cpu_s, say, served
from tests.lasting import balancer, clusters
from tests.lasting.shop import call

ROUNDS: Final = 5
BALANCED: Final = "snd_through_haproxy"


class Way(NamedTuple):
    """Where calls go, with which key, which servers of ours answer them, and everything that works for it."""

    name: str
    port: int
    key: str
    servers: Sequence[Served]
    others: Callable[[], Sequence[int]] = tuple


class Seen(NamedTuple):
    """Of one call: processor time in µs of our servers and of all, and waits in ms."""

    ours_us: float
    all_us: float
    p50_ms: float
    p99_ms: float


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        return int(unused.getsockname()[1])


def replica(url: str) -> tuple[str, ...]:
    port = str(free_port())
    return "--data", url, "--port", port, "--advertise", f"http://127.0.0.1:{port}"


def family(pid: int) -> list[int]:
    """A process and those that it started."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
    return [pid, *map(int, children)]


def measured(way: Way, method: str, count: int, at_once: int, paid: str) -> Seen:
    path = "/payments" if method == "POST" else f"/payments/{paid}"
    text = json.dumps(BODY).encode() if method == "POST" else b""
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\napi-key: {way.key}\r\nContent-Type: application/json\r\n"
    request = head.encode() + b"Content-Length: %d\r\n\r\n" % len(text) + text

    def spent() -> tuple[float, float]:
        ours = sum(server.cpu_s() for server in way.servers)
        return ours, ours + sum(map(cpu_s, way.others()))

    before = spent()
    took = sorted(ask(way.port, request, count, at_once))
    ours, whole = ((after - was) / count * 1e6 for after, was in zip(spent(), before, strict=True))
    return Seen(ours, whole, took[count // 2] * 1e3, took[count * 99 // 100] * 1e3)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--calls", type=int, default=3_000, help="calls a round")
    count: int = asked.parse_args().calls
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory())
        cluster = stack.enter_context(clusters.running())
        assert cluster is not None, clusters.MISSING
        memory = stack.enter_context(served())
        file = stack.enter_context(served("--data", f"{folder}/calls.sqlite"))
        url = cluster.database()
        owner, other = (stack.enter_context(served(*replica(url))) for _ in range(2))
        places = [f"127.0.0.1:{one.port}" for one in (owner, other, other)]
        port, pid = stack.enter_context(balancer.balanced(*places))
        database = cluster.process.pid
        key = "snd_first_steps"
        ways = (
            Way("memory", memory.port, key, (memory,)),
            Way("a file", file.port, key, (file,)),
            Way("PostgreSQL", owner.port, key, (owner,), lambda: family(database)),
            Way("… through another replica", other.port, key, (owner, other), lambda: family(database)),
            Way("… through HAProxy", port, BALANCED, (owner, other), lambda: [*family(database), pid]),
        )
        written(cluster, url, ways[2], count)
        compared(ways, count)


def written(cluster: clusters.Cluster, url: str, way: Way, count: int) -> None:
    """What a create leaves in the database, and in its log, where 16 are made at once."""

    def stands() -> tuple[int, float]:
        ((rows, log),) = cluster.ask("SELECT (SELECT count(*) FROM rows), pg_current_wal_lsn() - '0/0'::pg_lsn", url)
        return int(str(rows)), float(str(log))

    measured(way, "POST", count, 16, "")
    before = stands()
    measured(way, "POST", count, 16, "")
    rows, log = (after - was for after, was in zip(stands(), before, strict=True))
    say(f"a create adds {rows / count:.1f} rows, and {log / count / 1e3:.1f} kB to the log")


def compared(ways: Sequence[Way], count: int) -> None:
    paid = {}
    for way in ways:
        for _ in range(WARM):
            paid[way.name] = call(way.port, "POST", "/payments", BODY, key=way.key)[1]["payment_id"]
    for what, method, times, at_once in (
        ("create", "POST", count, 16),
        ("retrieve", "GET", count * 2, 16),
        ("create", "POST", count // 3, 1),
        ("retrieve", "GET", count // 3, 1),
    ):
        best: dict[str, Seen] = {}
        for _ in range(ROUNDS):
            for way in ways:
                found = measured(way, method, times, at_once, paid[way.name])
                seen = best.get(way.name, found)
                best[way.name] = Seen(*map(min, seen, found))
        say(f"\n{what}, {at_once} at once | replicas µs | all µs | p50 ms | p99 ms")
        for name, seen in best.items():
            say(f"{name} | {seen.ours_us:.0f} | {seen.all_us:.0f} | {seen.p50_ms:.2f} | {seen.p99_ms:.2f}")


if __name__ == "__main__":
    main()
