"""What is measured of the sandbox: one function for each row of the table in docs/performance.md."""

from __future__ import annotations

import http.client
import json
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.machine import SERVER_CORE, Ask, Running, load, pinned
from benchmarks.peers import CREATE, FLASK, KEY, RETRIEVE, SANDBOX, create_body, driven, ids_of

ROOT: Final = Path(__file__).parent.parent
SIZES: Final = (1_000, 10_000, 100_000, 1_000_000)
Figures = dict[str, Any]


class Filter(NamedTuple):
    """One question of the fixed set that lists are measured with: its values take turns."""

    name: str
    queries: tuple[str, ...]


FILTERS: Final = (
    Filter("no filter", ("",)),
    Filter("status", ("status=succeeded", "status=failed")),
    Filter("currency", ("currency=EUR", "currency=USD")),
    Filter("payment_method", ("payment_method=card",)),
    Filter("connector", ("connector=payment_sandbox",)),
    Filter("card_network", ("card_network=Visa", "card_network=Mastercard")),
    Filter("status + currency", ("status=failed&currency=EUR", "status=failed&currency=USD")),
    Filter("customer + status", ("customer_id=%CUS%&status=succeeded",)),
    Filter("status + time range", ("status=succeeded&created_gte=%FROM%", "status=failed&created_gte=%FROM%")),
)


@contextmanager
def served(*more: str) -> Iterator[Running]:
    """The sandbox, for as long as it is measured."""
    running = SANDBOX.run(*more)
    try:
        yield running
    finally:
        running.stop()


def start_up(rounds: int = 9) -> Figures:
    """Process start to first answer, beside `import flask`, and the memory then; in turns, medians."""
    flask, sandbox, memory = [], [], []
    for _ in range(rounds):
        flask.append(
            _took(lambda: subprocess.run(pinned(SERVER_CORE, [sys.executable, "-c", "import flask"]), check=True))
        )
        with served() as running:
            sandbox.append(running.start_s)
            time.sleep(0.3)
            memory.append(running.memory_mb)
    return {
        "flask_s": statistics.median(flask),
        "start_s": statistics.median(sandbox),
        "memory_mb": statistics.median(memory),
        "all_s": sandbox,
    }


def speed(rounds: int = 3, seconds: float = 4.0) -> Figures:
    """Creates and retrieves at 1, 16 and 64 connections, and Flask's constant view at 16: medians of rounds.

    The creates at 16 and 64 also where lists were asked before, so that everything is indexed.
    """
    found: dict[str, list[Figures]] = {}
    for turn in range(rounds):
        with served() as running:
            _ask_lists(running)
            for many in (16, 64):
                found.setdefault(f"indexed_{many}", []).append(load(running, CREATE, many, seconds=seconds, first=1))
        with served() as running:
            for many in (1, 16, 64):
                first = 1 + turn * 10_000_000 + many * 1_000_000
                found.setdefault(f"create_{many}", []).append(load(running, CREATE, many, seconds=seconds, first=first))
            ids = ids_of(SANDBOX, running)
            for many in (1, 16, 64):
                found.setdefault(f"retrieve_{many}", []).append(load(running, RETRIEVE, many, seconds=seconds, ids=ids))
        reference = FLASK.run()
        try:
            found.setdefault("flask_16", []).append(load(reference, FLASK.retrieve, 16, seconds=seconds))
        finally:
            reference.stop()
    return {name: _median(runs) for name, runs in found.items()}


def peers(rows: Any, seconds: float = 3.0, say: Callable[[str], object] = print) -> Figures:
    """The same of other servers, at 16 connections."""
    found: Figures = {}
    for row in rows:
        if not row.there.exists():
            say(f"skipped: {row.name} is not in {row.there} (make bench-peers)")
            continue
        try:
            running = row.run()
        except (RuntimeError, OSError) as failed:
            say(f"skipped: {row.name} did not start: {failed}")
            continue
        try:
            there = driven(row, running)
            found[row.name] = {"does": row.does, "start_s": running.start_s, "memory_mb": running.memory_mb}
            if row.create is not None:
                found[row.name]["create"] = load(there, row.create, 16, seconds=seconds)
            found[row.name]["retrieve"] = load(there, row.retrieve, 16, seconds=seconds, ids=ids_of(row, there))
        finally:
            running.stop()
        say(
            f"{row.name}: "
            + ", ".join(f"{k} {v['rps']:.0f}/s" for k, v in found[row.name].items() if isinstance(v, dict))
        )
    return found


def tail(many: int = 100_000) -> Figures:
    """The slowest of very many requests at 64 connections."""
    with served() as running:
        return load(running, CREATE, 64, many=many)


def _ask_lists(running: Running) -> None:
    """Asks what has everything indexed that a create makes, from then on."""
    for path in ("/payments/list?status=failed", "/customers/list?customer_id=x", "/_sandbox/webhooks?event_type=x"):
        running.ask(Ask("GET", path, KEY))


def fill(many: int = 15_000, *more: str, indexed: bool = False) -> Figures:
    """Memory per stored payment, all features on; beyond the journal's and the inbox's bounds they grow no more."""
    with served(*more) as running:
        if indexed:
            _ask_lists(running)
        load(running, CREATE, 16, many=500)
        time.sleep(0.5)
        before = running.memory_mb
        load(running, CREATE, 16, many=many, first=10_000)
        time.sleep(0.5)
        first = running.memory_mb
        load(running, CREATE, 16, many=many, first=10_000_000)
        time.sleep(0.5)
        later = running.memory_mb
        running.ask(Ask("POST", "/_sandbox/reset", KEY))
        time.sleep(3.0)
        after = running.memory_mb
    return {
        "many": many,
        "kb_each": (first - before) * 1000 / many,
        "kb_each_later": (later - first) * 1000 / many,
        "given_back": (later - after) / max(0.1, later - before),
    }


def lists(sizes: tuple[int, ...] = SIZES, rounds: int = 40) -> Figures:
    """Median times of every question of the fixed set, in workspaces of rising size; and how a million are given.

    The workspaces take turns, so that the machine's moods meet all of them. A payment is made before each question, and
    one that has several values asks for the next: no page and no total can be remembered.
    """
    found: Figures = {"sizes": list(sizes), "p50_us": {}, "given_s": {}, "first_s": [], "beside_ms": []}
    with ExitStack() as running:
        askers = []
        for size in sizes:
            server = running.enter_context(served())
            began = time.perf_counter()
            _give(server, size)
            found["given_s"][size] = time.perf_counter() - began
            first_s, beside_ms = _first_list(server)
            found["first_s"].append(first_s)
            found["beside_ms"].append(beside_ms)
            askers.append(_Asker(server))
        for one in FILTERS:
            times = [[asker.took(one.queries, turn) for asker in askers] for turn in range(rounds)]
            each = range(len(one.queries))  # by value: one that has other pages may take twice as long
            found["p50_us"][one.name] = [
                statistics.mean(statistics.median(of_one[at :: len(each)]) for at in each)
                for of_one in zip(*times, strict=True)
            ]
        if 100_000 in sizes:
            found["reset_ms"] = _reset_ms(askers[sizes.index(100_000)].running)
    return found


def _first_list(running: Running) -> tuple[float, float]:
    """How long the first list with a filter takes, which has all indexed; and the slowest call of others meanwhile."""
    is_over, slowest = threading.Event(), 0.0

    def others() -> None:
        nonlocal slowest
        connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=30)
        while not is_over.is_set():
            slowest = max(slowest, _took(partial(_told, connection)))

    other = threading.Thread(target=others)
    other.start()
    took = _took(lambda: running.ask(Ask("GET", "/payments/list?status=failed", KEY), 600.0))
    is_over.set()
    other.join()
    return took, slowest * 1000


def _told(connection: http.client.HTTPConnection) -> None:
    connection.request("GET", "/payments/pay_of_nobody", headers={"api-key": "snd_another_0123456789abcdef"})
    connection.getresponse().read()


def _give(running: Running, many: int) -> None:
    text = (
        f"summary: many\ngiven:\n  customers: 50\n  payments:\n    count: {many}\n    over: 30d\n"
        "    status: {succeeded: 0.8, failed: 0.2}\n    amount: [500, 20000]\n    currency: {EUR: 3, USD: 1}\n"
        "    card: {visa_success: 2, mastercard_success: 1}\n    customers: 50\n"
    )
    yaml = {**KEY, "Content-Type": "application/yaml"}
    for ask in (
        Ask("PUT", "/_sandbox/scenarios/many", yaml, text.encode()),
        Ask("POST", "/_sandbox/scenarios/many/activate", KEY),
    ):
        said = running.ask(ask, 600.0)
        if said.status >= 400:
            raise RuntimeError(said.body.decode())


class _Asker:
    """A client with one connection, and what it can ask for."""

    def __init__(self, running: Running) -> None:
        self.running = running
        self._connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=30)
        self._connection.connect()
        self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        page = json.loads(self._called("GET", "/payments/list?limit=100"))
        self._newest = next(value for value in page.values() if isinstance(value, list))

    def took(self, queries: tuple[str, ...], turn: int) -> float:
        """How many µs the first page takes after a payment was made."""
        self._called("POST", "/payments", create_body(turn))
        given = self._newest[turn % len(self._newest)]
        query = queries[turn % len(queries)].replace("%CUS%", str(given["customer_id"]))
        path = f"/payments/list?limit=10&{query.replace('%FROM%', _half_a_month_before(given['created'], turn % 5))}"
        began = time.perf_counter()
        self._called("GET", path)
        return (time.perf_counter() - began) * 1e6

    def _called(self, method: str, path: str, body: bytes | None = None) -> bytes:
        self._connection.request(method, path, body, dict(CREATE.headers))
        answer = self._connection.getresponse()
        said = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{path}: {said.decode()}")
        return said


def _half_a_month_before(instant: str, later: int) -> str:
    """In the middle of what was given over thirty days, and some days later."""
    return (datetime.fromisoformat(instant) - timedelta(days=15 - later)).date().isoformat()


def _reset_ms(running: Running) -> float:
    """Until a reset answers, less what any control call takes."""
    plain = statistics.median(_took(lambda: running.ask(Ask("GET", "/_sandbox/livez"))) for _ in range(20))
    return max(0.0, _took(lambda: running.ask(Ask("POST", "/_sandbox/reset", KEY))) - plain) * 1000


def waiting(idle: int = 1_000, parked: int = 500) -> Figures:
    """p99 of retrieves beside connections that wait: idle ones, and calls that a scenario delays."""
    with served() as running:
        ids = ids_of(SANDBOX, running)
        alone = load(running, RETRIEVE, 16, seconds=3.0, ids=ids)
        late = b"summary: late\nrules:\n  - on: payments.list\n    then: [{delay: 30s}]\n"
        slow = {"api-key": "snd_parked_0123456789abcdef"}
        running.ask(Ask("PUT", "/_sandbox/scenarios/late", {**slow, "Content-Type": "application/yaml"}, late))
        running.ask(Ask("POST", "/_sandbox/scenarios/late/activate", slow))
        call = f"GET /payments/list HTTP/1.1\r\nHost: x\r\napi-key: {slow['api-key']}\r\n\r\n".encode()
        held = [socket.create_connection(("127.0.0.1", running.port)) for _ in range(idle + parked)]
        for one in held[:parked]:
            one.sendall(call)
        time.sleep(1.0)
        beside = load(running, RETRIEVE, 16, seconds=3.0, ids=ids)
        for one in held:
            one.close()
    return {"alone_p99_us": alone["p99_us"], "beside_p99_us": beside["p99_us"], "idle": idle, "parked": parked}


def pytest_costs() -> Figures:
    """What the plugin costs: a fresh workspace for a test, a server's start and end, and the plugin unused."""
    command = [sys.executable, "-m", "benchmarks.plugin_cost"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    found: Figures = json.loads(done.stdout)
    return found


def _took(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _median(runs: list[Figures]) -> Figures:
    """Of every figure the median of all rounds."""
    return {name: statistics.median(run[name] for run in runs) for name in runs[0]}
