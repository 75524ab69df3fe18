"""`make bench-soak`: ten minutes of mixed load with faults and webhooks on, and what grew meanwhile.

32 clients create, retrieve, capture, refund and list; a scenario delays and breaks some of their calls, and every event
is sent to a receiver. Memory after warm-up has to stay flat, and no call may fail that no scenario wanted to fail.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import sys
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Final

from benchmarks.machine import Ask, Running
from benchmarks.peers import JSON, PAYMENT, SANDBOX

CLIENTS: Final = 32
WORLDS: Final = 4
MOST_GROWTH_MB: Final = 12.0
"""What the resident memory may grow by after warm-up: the allocator's own, no record's (ours)."""
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

    def __init__(self, port: int, number: int, over: threading.Event, seen: Counter[str]) -> None:
        super().__init__(daemon=True)
        self._port = port
        self._key = f"snd_soak_{number % WORLDS:08d}"
        self._draw = random.Random(number)
        self._over = over
        self._seen = seen
        self._line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self._ids: list[str] = []

    def run(self) -> None:
        while not self._over.is_set():
            try:
                self._one()
            except (OSError, http.client.HTTPException):
                self._seen["broken"] += 1
                self._line.close()

    def _one(self) -> None:
        draw = self._draw.random()
        if draw < 0.3 or not self._ids:
            body = json.loads(PAYMENT.replace(b"%N%", b"%010d" % self._draw.randrange(10**6)))
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
        self._line.request(method, path, data, {**JSON, "api-key": self._key})
        answer = self._line.getresponse()
        said: dict[str, Any] = json.loads(answer.read())
        wanted = "scenario" in (answer.headers.get("X-Sandbox-Because") or "") or answer.status < 500
        self._seen[f"{answer.status}" if wanted else f"unwanted {answer.status}"] += 1
        return said


def main() -> None:
    """Soaks, and ends with 1 where something grew or failed."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    asked.add_argument("--minutes", type=float, default=10.0)
    minutes = asked.parse_args().minutes
    receiver = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    running = SANDBOX.run("--webhook-url", f"http://127.0.0.1:{receiver.server_address[1]}/")
    try:
        good = _soak(running, minutes * 60)
    finally:
        running.stop()
        receiver.shutdown()
    raise SystemExit(0 if good else 1)


def _soak(running: Running, seconds: float) -> bool:
    for world in range(WORLDS):
        key = {"api-key": f"snd_soak_{world:08d}"}
        for ask in (
            Ask("PUT", "/_sandbox/scenarios/soak", {**key, "Content-Type": "application/yaml"}, TROUBLE),
            Ask("POST", "/_sandbox/scenarios/soak/activate", key),
        ):
            said = running.ask(ask)
            if said.status >= 400:
                raise RuntimeError(said.body.decode())
    over, seen = threading.Event(), Counter[str]()
    clients = [Client(running.port, number, over, seen) for number in range(CLIENTS)]
    for client in clients:
        client.start()
    grown = _watched(running, seconds, seen)
    over.set()
    for client in clients:
        client.join(35)
    unwanted = sum(many for what, many in seen.items() if what.startswith("unwanted"))
    _say(f"{sum(seen.values())} calls, {Receiver.taken['events']} events taken; grown by {grown:.1f} MB; {dict(seen)}")
    return grown <= MOST_GROWTH_MB and not unwanted


def _watched(running: Running, seconds: float, seen: Counter[str]) -> float:
    """Memory every half minute, less what the payments themselves take, against that at a third of the time."""
    began, base, grown = time.monotonic(), None, 0.0
    while (passed := time.monotonic() - began) < seconds:
        time.sleep(min(30.0, seconds / 10))
        stored = seen["200"] * 0.35 * STORED_KB / 1000
        now = running.memory_mb - stored
        if base is None and passed > seconds / 3:
            base = now
        grown = 0.0 if base is None else max(grown, now - base)
        _say(f"{passed:5.0f} s  {running.memory_mb:6.1f} MB  {seen['200']} calls")
    return grown


STORED_KB: Final = 1.6
"""About what one stored payment takes for good, beside journal and inbox, which are bounded."""


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
