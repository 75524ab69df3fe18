"""What a start waits for, and what it does not: libraries and rooms that come in with the first call for them."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from typing import Final, NamedTuple

import pytest

from mock_server.cli import COMMANDS
from tests.counts import SOAK
from tests.running import environment
from tests.wire import card_payment

LATE: Final = (
    "marshmallow", "yaml", "faker", "urllib3", "segno", "prometheus_client", "cryptography",
    "flask", "werkzeug", "jinja2", "ssl", "http.client", "email", "html",
    "mock_server.cli.tls", "mock_server.cli.authority", "mock_server.server.tls",
    "mock_server.api.payments", "mock_server.control.scenarios", "mock_server.pages.views",
    "mock_server.contract.kinds", "mock_server.contract.requests",
    "mock_server.scenario.model.scenario", "mock_server.story", "mock_server.openapi.serving",
)  # fmt: skip
START: Final = """
import sys
import mock_server.cli.serve, mock_server.cli.serving
from mock_server.app import Application
from mock_server.sandbox import build
from mock_server.settings import Settings
Application(build(Settings()))
print(*sys.modules)
"""


ALONE: Final = """
import gc, os, sys
from importlib import import_module
import mock_server.cli

gc.disable()
for room in sys.argv[1:]:
    if not os.fork():
        import_module("mock_server.cli." + room)
        os._exit(0)
    if os.wait()[1]:
        print(room, flush=True)
"""
SLOW: Final = {"collection", "mcp", "scenarios", "verdict"}
"""Rooms that take longer to import than all others together."""
HELP: Final = "import sys, mock_server.cli; print(*sys.modules)"


def uncounted() -> dict[str, str]:
    """The environment of a process whose lines are not counted, since that imports modules of its own."""
    return {name: value for name, value in environment().items() if not name.startswith("COV")}


def test_the_commands_own_help_imports_no_room() -> None:
    done = subprocess.run([sys.executable, "-c", HELP], capture_output=True, text=True, check=True, env=uncounted())
    rooms = {name for name in done.stdout.split() if name.startswith("mock_server")}
    light = {"mock_server.domain", "mock_server.domain.money", "mock_server.domain.unseen", "mock_server.guesses"}
    assert rooms == {"mock_server", "mock_server.cli", "mock_server.cli.output", *light}


def test_each_room_imports_what_it_needs() -> None:
    """Each is the first in its process: what one that came before has imported hides nothing."""
    rooms = sorted({row.room for row in COMMANDS} - (set() if SOAK else SLOW))
    done = subprocess.run(
        [sys.executable, "-c", ALONE, *rooms], capture_output=True, text=True, check=True, env=uncounted()
    )
    assert (done.stdout.split(), done.stderr) == ([], "")


def test_a_start_imports_nothing_that_can_wait() -> None:
    done = subprocess.run([sys.executable, "-c", START], capture_output=True, text=True, check=True, env=uncounted())
    assert not set(LATE) & set(done.stdout.split())


LIBRARIES: Final = frozenset({"flask", "werkzeug", "jinja2", "markupsafe", "itsdangerous", "blinker"})
MOST_MODULES: Final = 425
BODY: Final = json.dumps({**card_payment(), "confirm": True})


class Step(NamedTuple):
    """A call to a server that has just started, the status of its answer, and the libraries that are there after it."""

    name: str
    method: str
    path: str
    status: int
    body: str = ""
    more: str = ""
    libraries: str = ""


STEPS: Final = (
    Step("the start", "", "", 0),
    Step("what is loaded while it is idle", "", "idle", 0),
    Step("a create", "POST", "/payments", 200, BODY),
    Step("a list", "GET", "/payments/list", 200),
    Step("a refused body", "POST", "/payments", 400, '{"amount": "x"}'),
    Step("a body that is no JSON", "POST", "/payments", 400, "{"),
    Step("an unknown payment", "GET", "/payments/pay_x", 404),
    Step("an unknown path", "GET", "/nowhere", 404),
    Step("an unknown control call", "GET", "/_sandbox/nowhere", 404),
    Step("what is not offered", "GET", "/payouts", 501),
    Step("a wrong method", "PUT", "/payments", 405),
    Step("a wrong method of a page", "PUT", "/_sandbox/ui", 405),
    Step("HEAD", "HEAD", "/payments/pay_x", 404),
    Step("HEAD of an unknown path", "HEAD", "/nowhere", 404),
    Step("OPTIONS", "OPTIONS", "/payments", 405),
    Step(
        "a preflight",
        "OPTIONS",
        "/payments",
        204,
        "",
        "Origin: https://shop.test\r\nAccess-Control-Request-Method: POST\r\n",
    ),
    Step(
        "a name that is not ours", "GET", "/payments/pay_x", 403, "", "Origin: https://shop.test\r\nHost: evil.test\r\n"
    ),
    Step("a body larger than it may be", "POST", "/payments", 413, " " * 1_100_000),
    Step("a control call", "POST", "/_sandbox/reset", 200),
    Step("an address in two readings", "GET", "/payments/%2e%2e/x", 400),
    Step("a page", "GET", "/_sandbox/ui", 200, libraries="jinja2 markupsafe"),
)
SERVED: Final = """
import json, os, signal, socket, sys, threading
from mock_server.cli import main

reading, writing = os.pipe()
out = os.dup(1)
os.dup2(writing, 1)

def ask(port, step):
    name, method, path, status, body, more, libraries = step
    if path == "idle":
        [thread.join() for thread in threading.enumerate() if thread.name == "payment-sandbox-warming"]
    if not method:
        return 0
    host = "" if "Host:" in more else "Host: localhost\\r\\n"
    kind = f"Content-Type: application/json\\r\\nContent-Length: {len(body)}\\r\\n"
    head = f"{method} {path} HTTP/1.1\\r\\n{host}{more}{kind}Connection: close\\r\\napi-key: snd_first_steps\\r\\n"
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(f"{head}\\r\\n{body}".encode())
        with line.makefile("rb") as answer:
            return int(answer.read().split()[1])

def steps():
    with open(reading) as lines:
        port = json.loads(lines.readline())["port"]
    found = [(ask(port, step), list(sys.modules)) for step in json.load(sys.stdin)]
    os.write(out, json.dumps(found).encode())
    os.kill(os.getpid(), signal.SIGTERM)

threading.Thread(target=steps).start()
main(["serve", "--port", "0", "--log-format", "json"])
"""


@cache
def served() -> list[tuple[int, frozenset[str]]]:
    """The status of each step's answer, and what is loaded after it."""
    done = subprocess.run(
        [sys.executable, "-c", SERVED],
        input=json.dumps(STEPS),
        env=uncounted(),
        capture_output=True,
        text=True,
        check=False,
    )
    return [(status, frozenset(names)) for status, names in json.loads(done.stdout or done.stderr)]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_only_a_page_needs_templates_and_nothing_needs_flask(step: Step) -> None:
    status, loaded = served()[STEPS.index(step)]
    assert (status, loaded & LIBRARIES) == (step.status, frozenset(step.libraries.split()))


def test_a_start_imports_few_modules() -> None:
    assert len(served()[0][1]) <= MOST_MODULES
