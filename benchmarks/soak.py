"""`make bench-soak`: ten minutes of mixed load with faults and webhooks on; memory stays flat, nothing fails unasked.

32 clients of four merchants create, retrieve, capture, refund and list. A scenario delays, refuses and breaks some of
their calls, and every event is sent to a receiver. As in a sandbox that test runs share, one workspace after the other
is reset, so that what grows in the end is no payment that somebody made.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import statistics
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Final, NamedTuple

from benchmarks.machine import Ask, Running
from benchmarks.peers import JSON, SANDBOX, create_body

CLIENTS: Final = 32
WORKSPACES: Final = 4
TURNS: Final = 10
"""How often each workspace is reset."""
SAMPLES: Final = 120
WARM: Final = 0.4
"""The part of the time in which workspaces, journals and the allocator's own rooms fill up."""
MOST_GROWTH: Final = 0.05
"""What memory may be above, in the later half of the time after that (ours)."""
DRAINED_S: Final = 20.0
TROUBLE: Final = b"""summary: a soak
chaos:
  error: {HE_00: 1%}
  connection_reset: 0.5%
  decline: {insufficient_funds: 2%}
  webhook_copies: 5%
rules:
  - on: payments.retrieve
    probability: 1%
    then: {delay: 50ms}
"""
BROKEN: Final = "broken off"
EXPECTED: Final = frozenset({"200", "400", "404"})
"""A capture or a refund too many is refused, and a payment of before a reset is gone."""


class Receiver(BaseHTTPRequestHandler):
    """Takes every event."""

    protocol_version = "HTTP/1.1"
    taken: ClassVar[Counter[str]] = Counter()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.taken["events"] += 1
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


class Client(threading.Thread):
    """One client that does what a shop does until it is told to stop."""

    def __init__(self, port: int, number: int, over: threading.Event) -> None:
        super().__init__(daemon=True)
        self.seen = Counter[str]()
        self._key = key_of(number % WORKSPACES)
        self._draw = random.Random(number)
        self._over = over
        self._line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self._ids: list[str] = []

    def run(self) -> None:
        while not self._over.is_set():
            try:
                self._one()
            except (OSError, http.client.HTTPException):
                self.seen[BROKEN] += 1
                self._line.close()

    def _one(self) -> None:
        draw = self._draw.random()
        if draw < 0.3 or not self._ids:
            body = json.loads(create_body(self._draw.randrange(10**6)))
            body["capture_method"] = "manual" if draw < 0.1 else "automatic"
            made = self._call("POST", "/payments", body)
            if "payment_id" in made:
                self._ids = [*self._ids[-20:], made["payment_id"]]
            return
        payment_id = self._draw.choice(self._ids)
        if draw < 0.8:
            self._call("GET", f"/payments/{payment_id}")
        elif draw < 0.87:
            self._call("POST", f"/payments/{payment_id}/capture", {})
        elif draw < 0.94:
            self._call("POST", "/refunds", {"payment_id": payment_id, "amount": 10})
        else:
            self._call("GET", "/payments/list?limit=10&status=succeeded")

    def _call(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        data = None if body is None else json.dumps(body).encode()
        self._line.request(method, path, data, {**JSON, **self._key})
        answer = self._line.getresponse()
        said: dict[str, Any] = json.loads(answer.read())
        asked_for = "scenario" in (answer.headers.get("X-Sandbox-Because") or "")
        self.seen[f"{answer.status} of a scenario" if asked_for else str(answer.status)] += 1
        if answer.status == 404:
            self._ids.clear()
        return said


class Sample(NamedTuple):
    """What was seen at one moment."""

    passed_s: float
    memory_mb: float
    calls: int


def main() -> None:
    """Soaks, and ends with 1 where something grew or failed."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    asked.add_argument("--minutes", type=float, default=10.0)
    minutes = asked.parse_args().minutes
    receiver = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    running = SANDBOX.run("--webhook-url", f"http://127.0.0.1:{receiver.server_address[1]}/")
    try:
        wrong = _soak(running, minutes * 60)
    finally:
        running.stop()
        receiver.shutdown()
    _say("\n".join(wrong) or "flat, and nothing failed that no scenario asked for")
    raise SystemExit(1 if wrong else 0)


def key_of(workspace: int) -> dict[str, str]:
    """The header that opens one of the workspaces."""
    return {"api-key": f"snd_soak_{workspace:08d}"}


def _begin(running: Running, workspace: int) -> None:
    """A new workspace, with trouble in it."""
    key = key_of(workspace)
    for ask in (
        Ask("POST", "/_sandbox/reset", key),
        Ask("PUT", "/_sandbox/scenarios/soak", {**key, "Content-Type": "application/yaml"}, TROUBLE),
        Ask("POST", "/_sandbox/scenarios/soak/activate", key),
    ):
        said = running.ask(ask)
        if said.status >= 400:
            raise RuntimeError(said.body.decode())


def _soak(running: Running, seconds: float) -> list[str]:
    """Everything that was not as it should be."""
    for workspace in range(WORKSPACES):
        _begin(running, workspace)
    over = threading.Event()
    clients = [Client(running.port, number, over) for number in range(CLIENTS)]
    for client in clients:
        client.start()
    samples = list(_watched(running, seconds, clients))
    over.set()
    for client in clients:
        client.join(35)
    seen = sum((client.seen for client in clients), Counter[str]())
    _say(f"{sum(seen.values())} calls: {', '.join(f'{what} {many}' for what, many in sorted(seen.items()))}")
    return [*_failed(seen, running), *_undelivered(running), *_grown(samples)]


def _watched(running: Running, seconds: float, clients: list[Client]) -> Iterator[Sample]:
    """Memory in even steps, and a workspace that is reset now and then."""
    began = time.monotonic()
    for step in range(1, SAMPLES + 1):
        time.sleep(max(0.0, began + step * seconds / SAMPLES - time.monotonic()))
        calls = sum(sum(client.seen.values()) for client in clients)
        sample = Sample(time.monotonic() - began, running.memory_mb, calls)
        if step % (SAMPLES // 20) == 0:
            _say(f"{sample.passed_s:5.0f} s  {sample.memory_mb:6.1f} MB  {calls} calls")
        yield sample
        turn, is_its_turn = divmod(step, SAMPLES // (TURNS * WORKSPACES))
        if not is_its_turn:
            _begin(running, turn % WORKSPACES)


def _failed(seen: Counter[str], running: Running) -> list[str]:
    """Answers and broken lines that no scenario wanted: the server tells how often it broke one."""
    wrong = [f"{many} answers of {what}" for what, many in seen.items() if what.isdigit() and what not in EXPECTED]
    told = _metric(running, "payment_sandbox_faults_total", 'fault="connection_reset"')
    return wrong if seen[BROKEN] == told else [*wrong, f"{seen[BROKEN]} lines broken, {told:.0f} of them on purpose"]


def _undelivered(running: Running) -> list[str]:
    """Attempts that the receiver never saw, once all that was on its way has come."""
    until, before = time.monotonic() + DRAINED_S, -1
    while before < (before := Receiver.taken["events"]) and time.monotonic() < until:
        time.sleep(1.0)
    sent = _metric(running, "payment_sandbox_webhook_attempts_total", "")
    _say(f"{sent:.0f} attempts to deliver, {before} events taken")
    return [] if sent == before else [f"{sent:.0f} attempts, and {before} events taken"]


def _metric(running: Running, name: str, label: str) -> float:
    """The sum of a metric's lines that have the label."""
    text = running.ask(Ask("GET", "/_sandbox/metrics")).body.decode()
    lines = [line for line in text.splitlines() if line.startswith(name) and label in line]
    return sum(float(line.rpartition(" ")[2]) for line in lines)


def _grown(samples: list[Sample]) -> list[str]:
    """Whether memory goes on growing once it is warm; medians, since each reset gives some back."""
    warm = [sample.memory_mb for sample in samples[round(len(samples) * WARM) :]]
    half = len(warm) // 2
    first, last = statistics.median(warm[:half]), statistics.median(warm[half:])
    _say(f"memory once warm: {first:.1f} MB, and {last:.1f} MB later ({last / first - 1:+.1%})")
    return [f"memory went from {first:.1f} to {last:.1f} MB"] if last > first * (1 + MOST_GROWTH) else []


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
