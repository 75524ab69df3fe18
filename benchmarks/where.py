"""Where the time of a call goes: `python -m benchmarks.where` looks every millisecond, without a socket."""

# ruff: noqa: E501  (one row, one line)

from __future__ import annotations

import argparse
import io
import json
import signal
import sys
import time
from collections import Counter
from types import FrameType
from typing import Any, Final, NamedTuple

from flask import Flask

from benchmarks.peers import KEY, create_body
from mock_server.app import create_app
from mock_server.sandbox import build
from mock_server.settings import Settings

EVERY_S: Final = 0.001
HERE: Final = "mock_server/"


class Step(NamedTuple):
    """A part of the walk: the functions whose time it is, wherever they are called from."""

    name: str
    functions: tuple[str, ...]


STEPS: Final = (
    Step("reading JSON", ("jsontext/reading.py parse",)),
    Step("checking the body, making the command", ("contract/requests/shapes.py Shape.load", "contract/requests/shapes.py Shape.load_query")),
    Step("encoding and indexing records", ("store/table.py RecordTable.put", "store/table.py RecordTable.remove")),
    Step("the issuer's decision", ("engine/payments/charge.py decide",)),
    Step("ids and secrets", ("randomness.py Randomness.token", "randomness.py Randomness.digits")),
    Step("writing the answer", ("contract/answers/writing.py write", "http/binding.py show")),
    Step("the journal's line", ("http/journal.py write",)),
    Step("counting for metrics and the limit", ("http/observe.py measure", "sandbox/workspace.py Workspace.count_call")),
    Step("key, workspace, what is due", ("sandbox/sandbox.py Sandbox.workspace", "http/authenticate.py key_of", "sandbox/workspace.py Workspace.catch_up")),
    Step("the rest of the engine and its transaction", ("http/running.py run",)),
    Step("the stages of the pipeline, and the way to them", ("http/express.py Express.__call__",)),
)  # fmt: skip


class Watch:
    """Looks at the stack now and then, and gives each look to the innermost step that it is in."""

    def __init__(self) -> None:
        self.looks: Counter[str] = Counter()
        self._step_of = {function: step.name for step in STEPS for function in step.functions}

    def __call__(self, _: int, frame: FrameType | None) -> None:
        while frame is not None:
            code = frame.f_code
            step = self._step_of.get(f"{code.co_filename.rpartition(HERE)[2]} {code.co_qualname}")
            if step is not None:
                self.looks[step] += 1
                return
            frame = frame.f_back


def called(app: Flask, method: str, path: str, body: bytes = b"") -> bytes:
    """One call, as the server makes it."""
    environ = {
        "REQUEST_METHOD": method, "PATH_INFO": path, "QUERY_STRING": "", "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(body)), "HTTP_HOST": "127.0.0.1", "HTTP_API_KEY": KEY["api-key"],
        "wsgi.input": io.BytesIO(body), "wsgi.url_scheme": "http", "SERVER_NAME": "x", "SERVER_PORT": "1",
    }  # fmt: skip
    return b"".join(app.wsgi_app(environ, lambda *_: lambda _: None))


def watched(what: str, many: int) -> tuple[float, Counter[str]]:
    """How many µs a call takes, and how often each step was seen."""
    app = create_app(build(Settings(rate_limit=100_000_000)))
    ids = [json.loads(called(app, "POST", "/payments", create_body(number)))["payment_id"] for number in range(100)]
    watch = Watch()
    signal.signal(signal.SIGPROF, watch)
    signal.setitimer(signal.ITIMER_PROF, EVERY_S, EVERY_S)
    began = time.process_time()
    for number in range(many):
        if what == "create":
            called(app, "POST", "/payments", create_body(1_000 + number))
        else:
            called(app, "GET", f"/payments/{ids[number % 100]}")
    took = time.process_time() - began
    signal.setitimer(signal.ITIMER_PROF, 0)
    return took / many * 1e6, watch.looks


def table(what: str, many: int) -> str:
    """One row a step, with its share and its µs."""
    took, looks = watched(what, many)
    all_looks = max(1, sum(looks.values()))
    shares = ((step.name, looks[step.name] / all_looks) for step in STEPS if looks[step.name])
    rows = [f"| {name} | {share * took:.0f} | {share:.0%} |" for name, share in shares]
    return "\n".join([f"| {what}: {took:.0f} µs | µs | share |", "|---|---|---|", *rows])


def main() -> None:
    """Prints both tables."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks.where", description=__doc__)
    asked.add_argument("--calls", type=int, default=9_000)
    many: Any = asked.parse_args().calls
    sys.stdout.write(f"{table('create', many)}\n\n{table('retrieve', 4 * many)}\n")


if __name__ == "__main__":
    main()
