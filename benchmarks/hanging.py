"""`python -m benchmarks.hanging`: how long a receiver that answers waits for its webhooks beside many that never do.

Once all of them are for one workspace (a profile each), and once each has a workspace of its own.
"""

from __future__ import annotations

import argparse
import json
import selectors
import socket
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Empty, SimpleQueue
from typing import Any, ClassVar, Final

from benchmarks.machine import Ask, Running
from benchmarks.peers import JSON, SANDBOX, create_body

EACH: Final = 6
"""So many events wait for each receiver that hangs: more than a workspace has on their way to it at once."""
BOUND_S: Final = 0.2
PATIENCE_S: Final = 60.0


class Answers(BaseHTTPRequestHandler):
    """Takes every event, and notes when."""

    protocol_version = "HTTP/1.1"
    came: ClassVar[SimpleQueue[float]] = SimpleQueue()

    def do_POST(self) -> None:
        self.came.put(time.perf_counter())
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


class Hangs:
    """Listeners on ports of their own that read whatever comes and never answer."""

    def __init__(self, count: int) -> None:
        self._listeners = [socket.create_server(("127.0.0.1", 0), backlog=64) for _ in range(count)]
        self.ports = [one.getsockname()[1] for one in self._listeners]
        self._over = threading.Event()
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        with selectors.DefaultSelector() as ready:
            for one in self._listeners:
                ready.register(one, selectors.EVENT_READ, "new")
            while not self._over.is_set():
                for key, _ in ready.select(0.2):
                    sock: Any = key.fileobj
                    if key.data == "new":
                        ready.register(sock.accept()[0], selectors.EVENT_READ, "open")
                    elif not sock.recv(65_536):
                        ready.unregister(sock)
                        sock.close()

    def close(self) -> None:
        """Ends them all."""
        self._over.set()


def main() -> None:
    """Measures both ways, and ends with 1 where the good receiver waited too long."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks.hanging", description=__doc__)
    asked.add_argument("--receivers", type=int, default=200)
    asked.add_argument("--events", type=int, default=200)
    how = asked.parse_args()
    good = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=good.serve_forever, daemon=True).start()
    held_up = [_measured(together, how.receivers, how.events, good.server_address[1]) for together in (True, False)]
    sys.exit(any(held_up))


def _measured(together: bool, receivers: int, events: int, good: int) -> bool:
    hangs, running = Hangs(receivers), SANDBOX.run("--rate-limit", "0")
    try:
        for number, port in enumerate(hangs.ports):
            key = "snd_hanging_together" if together else f"snd_hanging_{number:05d}"
            _listen(running, key, port, f"pro_hangs{number}")
            for _ in range(EACH):
                _pay(running, key, f"pro_hangs{number}")
        key = "snd_hanging_together" if together else "snd_hanging_not"
        _listen(running, key, good, "pro_good")
        took = sorted(_delivered(running, key) for _ in range(events))
        memory = running.memory_mb
    finally:
        running.stop()
        hangs.close()
    p99 = took[int(len(took) * 0.99)]
    sys.stdout.write(
        f"{receivers} receivers hang, {'in one workspace' if together else 'each in its own workspace'}: the good one's"
        f" event came after {took[len(took) // 2] * 1000:.1f} ms (median), {p99 * 1000:.1f} ms (p99),"
        f" {took[-1] * 1000:.1f} ms (worst of {events}); the server took {memory:.0f} MB\n"
    )
    sys.stdout.flush()
    return p99 > BOUND_S


def _listen(running: Running, key: str, port: int, profile: str) -> None:
    target = {"url": f"http://127.0.0.1:{port}/", "secret": "s", "profile_id": profile}
    running.ask(Ask("PUT", "/_sandbox/webhooks/target", {**JSON, "api-key": key}, json.dumps(target).encode()))


def _pay(running: Running, key: str, profile: str) -> None:
    body = {**json.loads(create_body(time.perf_counter_ns())), "profile_id": profile}
    said = running.ask(Ask("POST", "/payments", {**JSON, "api-key": key}, json.dumps(body).encode()))
    assert said.status == 200, said.body


def _delivered(running: Running, key: str) -> float:
    """How long after the call began its event was there."""
    began = time.perf_counter()
    _pay(running, key, "pro_good")
    try:
        return Answers.came.get(timeout=PATIENCE_S) - began
    except Empty:
        return PATIENCE_S


if __name__ == "__main__":
    main()
