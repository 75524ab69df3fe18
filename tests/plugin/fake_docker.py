"""A container engine that runs no containers: it answers as much of its API as Testcontainers asks.

A container that is started is a sandbox in a process of its own, with the variables that it was made with.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from tests.running import RunningSandbox

ID: Final = "c0ffee" * 10 + "beef"


class FakeDocker(ThreadingHTTPServer):
    """One engine with at most one container; `made` is what it was asked to make."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.made: dict[str, Any] = {}
        self.port = ""
        self.calls: list[str] = []
        self.runs = ExitStack()

    @property
    def url(self) -> str:
        return f"tcp://127.0.0.1:{self.server_port}"

    def begin(self) -> None:
        variables = dict(one.split("=", 1) for one in self.made.get("Env") or [])
        sandbox = self.runs.enter_context(RunningSandbox(variables=variables))
        self.port = sandbox.base.rpartition(":")[2]

    def answer(self, called: str, body: bytes) -> tuple[int, object]:
        self.calls.append(called)
        match called.split(" "):
            case ["GET", "/version"]:
                return 200, {"ApiVersion": "1.44", "MinAPIVersion": "1.24", "Version": "27.0.0", "Components": []}
            case ["GET", path] if path.startswith("/images/"):
                return 200, {"Id": "sha256:1", "RepoTags": []}
            case ["POST", "/containers/create"]:
                self.made = json.loads(body)
                return 201, {"Id": ID, "Warnings": []}
            case ["POST", path] if path.endswith("/start"):
                self.begin()
                return 204, None
            case ["GET", path] if path == f"/containers/{ID}/json":
                published = [{"HostIp": "127.0.0.1", "HostPort": self.port}]
                return 200, {
                    "Id": ID,
                    "State": {"Status": "running", "Running": True},
                    "Config": {},
                    "NetworkSettings": {"Ports": {"12190/tcp": published}, "Networks": {}},
                }
            case ["DELETE", _]:
                self.runs.close()
                return 204, None
        return 404, {"message": f"nobody expects {called}"}


class _Handler(BaseHTTPRequestHandler):
    server: FakeDocker
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        path = path[path.index("/", 1) :] if path.startswith("/v1.") else path
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        status, told = self.server.answer(f"{self.command} {path}", body)
        sent = b"" if told is None else json.dumps(told).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def do_POST(self) -> None:
        self.do_GET()

    def do_DELETE(self) -> None:
        self.do_GET()

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def fake_docker() -> Iterator[FakeDocker]:
    """An engine that answers until the block is left."""
    with FakeDocker() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
            server.runs.close()
