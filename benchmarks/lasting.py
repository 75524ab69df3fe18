"""What `serve --data` costs, beside memory in the same run: `python -m benchmarks.lasting`.

Processor time of a create and of a retrieve with 16 calls at once and with one; how long a start takes with a thousand
workspaces of a thousand payments; how long the first answer takes of a workspace with many payments, and how long
others wait meanwhile; how long a reset takes. Times are the best of several rounds that take turns, since other work on
the machine only ever adds to them.
"""

from __future__ import annotations

import argparse
import json
import os
import selectors
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from time import perf_counter, sleep
from typing import Any, Final

KEY: Final = "snd_first_steps"
OTHER: Final = "snd_somebody_else"
FLAGS: Final = ("--port", "0", "--log-format", "json", "--log-level", "error", "--rate-limit", "0", "--seed", "bench")
CARD: Final = {"card_number": "4242424242424242", "card_exp_month": "12", "card_exp_year": "2035", "card_cvc": "123"}
BODY: Final = {
    "amount": 4200, "currency": "EUR", "profile_id": "pro_bench", "confirm": True, "payment_method": "card",
    "payment_method_data": {"card": CARD},
}  # fmt: skip
ROUNDS: Final = 5
PAUSE_S: Final = 0.005
"""Between two calls of somebody else: without a pause they take half of the interpreter from what is read."""
WARM: Final = 300
"""So many calls before it is looked at who waits for whom: with its first ones a server brings in what it needs."""


class Served:
    """A sandbox in a process of its own."""

    def __init__(self, *flags: str) -> None:
        began = perf_counter()
        command = [sys.executable, "-m", "mock_server", "serve", *FLAGS, *flags]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.port: int = json.loads(self.process.stdout.readline())["port"]
        self.started_s = perf_counter() - began

    def call(self, method: str, path: str, body: Any = None, key: str = KEY, raw: bytes | None = None) -> Any:
        with closing(HTTPConnection("127.0.0.1", self.port)) as connection:
            kind = "application/json" if raw is None else "application/yaml"
            sent = raw if raw is not None else None if body is None else json.dumps(body).encode()
            connection.request(method, path, sent, {"api-key": key, "Content-Type": kind})
            answer = connection.getresponse()
            text = answer.read()
            assert answer.status == 200, text
            return json.loads(text)

    def cpu_s(self) -> float:
        return cpu_s(self.process.pid)

    def load(self, method: str, path: str, body: Any, count: int, at_once: int) -> float:
        """Processor time of a call in µs."""
        text = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\napi-key: {KEY}\r\nContent-Type: application/json\r\n"
        began = self.cpu_s()
        ask(self.port, head.encode() + b"Content-Length: %d\r\n\r\n" % len(text) + text, count, at_once)
        return (self.cpu_s() - began) / count * 1e6

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


def cpu_s(pid: int) -> float:
    """Processor time that a process has taken so far."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def served(*flags: str) -> Iterator[Served]:
    server = Served(*flags)
    try:
        yield server
    finally:
        server.stop()


def ask(port: int, request: bytes, count: int, at_once: int) -> list[float]:
    """Asks the same so often, so many at once; how long each took, in s."""
    waiting, sockets, sent_at = selectors.DefaultSelector(), {}, {}
    took: list[float] = []
    for _ in range(at_once):
        line = socket.create_connection(("127.0.0.1", port))
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sockets[line.fileno()] = line
        waiting.register(line, selectors.EVENT_READ, [b""])
        sent_at[line] = perf_counter()
        line.sendall(request)
    begun, done = at_once, 0
    while done < count:
        for found, _ in waiting.select():
            line, had = sockets[found.fd], found.data
            had[0] += line.recv(65_536)
            head, whole, body = had[0].partition(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0]) if whole else 0
            if whole and len(body) >= length:
                assert head.startswith(b"HTTP/1.1 200"), head
                had[0], done = b"", done + 1
                took.append(perf_counter() - sent_at[line])
                if begun < count:
                    begun += 1
                    sent_at[line] = perf_counter()
                    line.sendall(request)
    for line in sockets.values():
        line.close()
    return took


def calls(folder: Path, count: int) -> None:
    with served() as memory, served("--data", str(folder / "calls.sqlite")) as lasting:
        both = {"memory": memory, "data": lasting}
        paid = {name: server.call("POST", "/payments", BODY)["payment_id"] for name, server in both.items()}
        for what, method, times, at_once in (
            ("create", "POST", count, 16),
            ("retrieve", "GET", count * 2, 16),
            ("create", "POST", count // 2, 1),
            ("retrieve", "GET", count, 1),
        ):
            best = dict.fromkeys(both, float("inf"))
            for _ in range(ROUNDS):
                for name, server in both.items():
                    path = "/payments" if method == "POST" else f"/payments/{paid[name]}"
                    took = server.load(method, path, BODY if method == "POST" else None, times, at_once)
                    best[name] = min(best[name], took)
            ratio = best["memory"] / best["data"]
            say(f"{what}, {at_once} at once: {best['memory']:.0f} µs in memory, {best['data']:.0f} µs: {ratio:.2f}")


def starts(folder: Path, workspaces: int, payments: int) -> None:
    """A start over many workspaces; all but one are copies of its rows."""
    path = folder / "starts.sqlite"
    give(path, payments)
    with closing(sqlite3.connect(path)) as database, database:
        ((space,), *_) = database.execute("SELECT space FROM workspaces WHERE name != '' ORDER BY space").fetchall()
        for number in range(1, workspaces):
            copy = (space + number + 1, space)
            database.execute("INSERT INTO rows SELECT ?, part, key, value FROM rows WHERE space = ?", copy)
            database.execute("INSERT INTO workspaces VALUES (?, ?, NULL)", (f"w_{number}", space + number + 1))
    both: dict[str, tuple[str, ...]] = {"memory": (), "data": ("--data", str(path))}
    best = dict.fromkeys(both, float("inf"))
    for _ in range(ROUNDS):
        for name, flags in both.items():
            with served(*flags) as server:
                best[name] = min(best[name], server.started_s)
    ratio = best["data"] / best["memory"]
    say(f"start: {best['memory']:.2f} s empty, {best['data']:.2f} s with {workspaces} workspaces: {ratio:.2f}")


def give(path: Path, payments: int) -> None:
    scenario = f"version: 1\nname: many\nsummary: Many.\ngiven: {{payments: {{count: {payments}, over: 30d}}}}\n"
    with served("--data", str(path)) as server:
        server.call("PUT", "/_sandbox/scenarios/many", raw=scenario.encode())
        server.call("POST", "/_sandbox/scenarios/many/activate")
        server.call("POST", "/payments", BODY, key=OTHER)


def reads(folder: Path, payments: int) -> None:
    path = folder / f"reads-{payments}.sqlite"
    give(path, payments)
    with served("--data", str(path)) as server:
        for _ in range(WARM):
            server.call("GET", "/payments/list?limit=1", key=OTHER)
        waits: list[float] = []
        took: list[float] = []

        def read() -> None:
            began = perf_counter()
            server.call("GET", "/payments/list?limit=1")
            took.append(perf_counter() - began)

        reader = Thread(target=read)
        reader.start()
        while reader.is_alive():
            sleep(PAUSE_S)
            began = perf_counter()
            server.call("GET", "/payments/list?limit=1", key=OTHER)
            waits.append(perf_counter() - began)
        began = perf_counter()
        server.call("POST", "/_sandbox/reset", {})
        reset_ms = (perf_counter() - began) * 1e3
    waits.sort()
    say(
        f"first answer of {payments} payments: {took[0]:.2f} s; others meanwhile waited at most "
        f"{waits[-1] * 1e3:.0f} ms (median {waits[len(waits) // 2] * 1e3:.1f}); its reset: {reset_ms:.1f} ms"
    )


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--calls", type=int, default=4_000, help="calls a round")
    asked.add_argument("--workspaces", type=int, default=1_000)
    asked.add_argument("--payments", type=int, nargs="*", default=[100, 100_000])
    options = asked.parse_args()
    with TemporaryDirectory() as folder:
        calls(Path(folder), options.calls)
        for payments in options.payments:
            reads(Path(folder), payments)
        starts(Path(folder), options.workspaces, 1_000)


if __name__ == "__main__":
    main()
