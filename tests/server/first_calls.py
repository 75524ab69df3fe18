"""Which modules a server's first calls load, while they hold which others.

A thread that loads a module holds its lock, and waits for the locks of what that module imports. Two threads that come
from two sides wait for each other: one holds `package.module` and waits for the package, the other the package, which
imports that module. Python then ends one of them with a `_DeadlockError`, or with a name that "cannot be imported": an
internal error for a call.

Run as a program with names of `ACTS` and `BARE`, this file does each alone in a fork of a server that has just started,
and writes a line of JSON for each: what it waited for, and what it held then.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
import threading
from http.client import HTTPConnection
from typing import Any, Final, NamedTuple

from mock_server.cli.serving import warm
from mock_server.clock import SystemClock
from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.operations import OPERATIONS
from mock_server.front import serve
from mock_server.sandbox import Sandbox, build
from mock_server.settings import Settings

KEY: Final = "snd_first_calls_at_once"
CARD: Final = {"card_number": "4242424242424242", "card_exp_month": "03", "card_exp_year": "2030", "card_cvc": "737"}
DATA: Final = {"payment_method": "card", "payment_method_data": {"card": CARD}}
PAYMENT: Final = {"amount": 1, "profile_id": "pro_shop", "currency": "EUR", **DATA}
RULES: Final = "version: 1\nrules:\n  - {on: charge, when: {payment.amount: 1}, then: {decline: lost_card}}\n"
PARTS: Final = (
    '--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\nContent-Type: application/pdf\r\n\r\n'
    '%PDF-1.4\r\n--b\r\nContent-Disposition: form-data; name="purpose"\r\n\r\ndispute_evidence\r\n--b--\r\n'
)


class Call(NamedTuple):
    """A first call, as a client makes it."""

    method: str
    path: str
    body: str = ""
    kind: str = "application/json"


PRELOADING: Final = "preloading"
ACTS: Final = {
    "customers": Call("GET", "/customers/list"),
    "dashboard": Call("GET", "/_sandbox/ui/"),
    "document": Call("GET", "/_sandbox/openapi.json"),
    "journal": Call("GET", "/_sandbox/journal"),
    "library": Call("POST", "/_sandbox/scenarios/decline_then_success/activate"),
    "metrics": Call("GET", "/_sandbox/metrics"),
    "next": Call("POST", "/_sandbox/next", json.dumps({"then": {"decline": "lost_card"}})),
    "payment": Call("POST", "/payments", json.dumps(PAYMENT)),
    "reset": Call("POST", "/_sandbox/reset"),
    "scenario": Call("PUT", "/_sandbox/scenarios/mine", RULES, "application/yaml"),
    "snapshot": Call("PUT", "/_sandbox/snapshots/mine"),
    "target": Call("PUT", "/_sandbox/webhooks/target", json.dumps({"url": "http://127.0.0.1:9/"})),
    "verdict": Call("GET", "/_sandbox/verdicts"),
}
BARE: Final = {
    "page": Call("GET", "/payment_link/nobody/nothing"),
    "file": Call("POST", "/files", PARTS, "multipart/form-data; boundary=b"),
    **{
        f"{row.method} {row.path}": Call(row.method, re.sub("<[^>]*>", "one", row.path), "{}")
        for row in (*OPERATIONS, *CONTROL_OPERATIONS)
    },
}
"""What is refused: a customer's page, a file, and each call of both APIs with nothing in its body."""


class Imports:
    """What threads wait for from now on, other than what is there: each with what is held then."""

    def __init__(self) -> None:
        self.waits = dict[tuple[frozenset[str], str], None]()
        self._there = frozenset(sys.modules)
        self._held = threading.local()
        library: Any = importlib
        self._load = library._bootstrap._find_and_load
        library._bootstrap._find_and_load = self._loaded  # what an import statement calls

    def _loaded(self, name: str, import_: object) -> object:
        held: list[str] = vars(self._held).setdefault("names", [])
        if name in self._there or name in held:
            return self._load(name, import_)
        begun: Any = sys.modules.get(name)
        if begun is None or begun.__spec__._initializing:
            self.waits[frozenset(held), name] = None
        held.append(name)
        try:
            return self._load(name, import_)
        finally:
            held.pop()


def act(name: str, sandbox: Sandbox, port: int, wrong: list[str]) -> None:
    if name == PRELOADING:
        try:
            warm(sandbox)
        except Exception as error:
            wrong.append(f"{name}: {error!r}")
        return
    call = ACTS.get(name) or BARE[name]
    line = HTTPConnection("127.0.0.1", port)
    line.request(call.method, call.path, call.body, {"api-key": KEY, "content-type": call.kind})
    answer = line.getresponse()
    body = answer.read()
    if answer.status >= (500 if name in BARE else 400):
        wrong.append(f"{name}: {answer.status} {body!r}")
    line.close()


def alone(name: str) -> dict[str, object]:
    """What goes wrong with an act, and what it waits for."""
    wrong = list[str]()
    sandbox = build(Settings(log_level="error"), clock=SystemClock())
    with serve(sandbox, "127.0.0.1", 0) as server:
        imports = Imports()
        act(name, sandbox, int(server.address.rpartition(":")[2]), wrong)
    return {"act": name, "wrong": wrong, "waits": [[sorted(held), wanted] for held, wanted in imports.waits]}


if __name__ == "__main__":
    for name in sys.argv[1:]:
        if (pid := os.fork()) == 0:
            sys.stdout.write(json.dumps(alone(name)) + "\n")
            sys.stdout.flush()
            os._exit(0)
        os.waitpid(pid, 0)
