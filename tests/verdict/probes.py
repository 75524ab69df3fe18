"""The probe as a command, and receivers behind sockets for it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from click.testing import CliRunner, Result

from mock_server.cli import main
from mock_server.verdict.probing import Probed
from mock_server.verdict.rules import State
from tests.verdict.receivers import Correct

PATIENT_S = 300


def of(state: State, results: list[Probed]) -> list[str]:
    return [one.case.id for one in results if one.state is state]


@contextmanager
def served(app: Correct) -> Iterator[str]:
    """The receiver behind a socket; GET tells how it stands."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.say(200, json.dumps(app.state()).encode())

        def do_POST(self) -> None:
            headers = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in self.headers.items()}
            length, kind = self.headers["Content-Length"], self.headers["Content-Type"]
            environ = {**headers, "CONTENT_LENGTH": length, "CONTENT_TYPE": kind, "wsgi.input": self.rfile}
            try:
                app(environ, lambda status, _: self.say(int(status.split()[0]), b""))
            except (AssertionError, ValueError):
                self.say(500, b"")

        def say(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    class Listener(ThreadingHTTPServer):
        request_queue_size = 600
        daemon_threads = True

    with Listener(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/webhooks"
        server.shutdown()


def asked(url: str, *options: str) -> Result:
    return CliRunner().invoke(main, ["probe", url, "--secret", "whsec_1", "--state-url", url, *options])


def results_of(told: Result) -> dict[str, str]:
    return {one["id"]: one["result"] for one in json.loads(told.stdout)}
