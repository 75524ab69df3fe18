"""No text of a client, a server, a file or a receiver controls the terminal that a command prints it to.

Escape sequences, signs that turn the direction of a line, and colours that hide what follows: a command shows them as
something else, on both streams, with and without colours.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Final

import pytest
import yaml
from click.testing import Result

from mock_server.domain.unseen import UNSEEN
from tests.cli.leaves import LEAVES, LOOKING, READY, typed
from tests.cli.over_http import ask
from tests.cli.test_another_server import another
from tests.counts import SOAK
from tests.running import RunningSandbox
from tests.wire import card_payment

HOSTILE: Final = "\x1b]0;title\x07 \x1b[2J \x1b[8mhidden \x1b[30;40mblack \x9b31m \u202egnirts \u2066 \x07 \r\x0b end"
CONTROLS: Final = re.compile(rf"\x1b(?!\[(0|1|2|3[1-6])m)|[\x00-\x08\x0b-\x1a\x1c-\x1f]|[{UNSEEN}]")
"""All but ends of lines and the colours that the program itself uses."""


def harmless(done: Result) -> None:
    for stream in (done.stdout, done.stderr):
        assert not CONTROLS.search(stream), stream


@pytest.fixture(scope="module")
def sandbox() -> Iterator[RunningSandbox]:
    """A sandbox whose client sends such texts wherever it may."""
    with RunningSandbox() as running:
        text = HOSTILE.replace("\r", "")
        body = {
            **card_payment(),
            "confirm": True,
            "description": text,
            "metadata": {"note": text, f"k{text[:20]}": text},
        }
        body |= {"merchant_order_reference_id": text, "customer": {"id": "cus_1", "name": text, "email": "a@b.example"}}
        paid = ask(running, "POST", "/payments", body)["payment_id"]
        ask(running, "POST", "/refunds", {"payment_id": paid, "amount": 10, "reason": text})
        ask(running, "POST", f"/_sandbox/payments/{paid}/dispute", {"reason": text})
        ask(running, "PUT", "/_sandbox/scenarios/hostile", {"name": "hostile", "summary": text, "rules": []})
        ask(running, "PUT", "/_sandbox/webhooks/target", {"url": "http://127.0.0.1:9/a"})
        yield running


@pytest.mark.parametrize("name", [one for one in LOOKING if one != "sign"])
def test_of_clients(sandbox: RunningSandbox, name: str) -> None:
    leaf = next(one for one in LEAVES if one.name == name)
    forms = [["--colour", "always"] if leaf.has("--colour") else [], ["--json"] if leaf.has("--json") else []]
    for more in forms:
        harmless(typed([*name.split(), *LOOKING[name].split(), *more], PAYMENT_SANDBOX_URL=sandbox.base))


ANSWER: Final = json.dumps({"error": {"message": HOSTILE, "fields": [{"field": HOSTILE, "message": HOSTILE}]}})
HEADS: Final = "HTTP/1.1 {} OK\r\nX-Request-Id: req_1\r\nContent-Type: {}\r\n\r\n"
BODIES: Final = {
    f"{status} {kind}": (HEADS.format(status, kind) + body).encode()
    for status in (200, 400, 503)
    for kind, body in (("text/html", HOSTILE), ("application/json", ANSWER), ("application/json;", HOSTILE))
}
SERVED: Final = {
    **{one.name: one.line for one in LEAVES if one.name in READY},
    "conformance": ["conformance", "--only", "http.health", "--listener", "none"],
    "probe": ["probe", "{url}", "--secret", "x", "--only", "valid"],
    "pay": ["pay"],
}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        (name, kind)
        for name, kind in product(SERVED, BODIES)
        if SOAK or name not in ("conformance", "probe") or kind.startswith("200")
    ],
)
def test_of_servers_and_receivers(name: str, kind: str) -> None:
    with another(BODIES[kind]) as url:
        words = [word.replace("{url}", url) for word in SERVED[name]]
        words += ["--timeout", "1ms"] if name == "wait" else []
        harmless(typed(words, PAYMENT_SANDBOX_URL=url))


SCENARIO: Final = {"version": 1, "name": "own", "summary": HOSTILE, "story": [{"do": "payments.list"}]}
CALL: Final = {"request": {"method": HOSTILE, "url": f"http://x/payments{HOSTILE}", "headers": []}, "response": {}}
FILES: Final = {
    "a summary": ("own.yaml", yaml.safe_dump(SCENARIO)),
    "a key": ("own.yaml", yaml.safe_dump({**SCENARIO, HOSTILE: 1, "story": [{"do": HOSTILE}]})),
    "a name": (f"o{HOSTILE.replace('/', '')}.yaml", yaml.safe_dump({**SCENARIO, "name": HOSTILE})),
    "a story": ("own.yaml", yaml.safe_dump({**SCENARIO, "story": [{"do": "payments.list", "see": {"http": HOSTILE}}]})),
    "a call": ("own.har", json.dumps({"log": {"entries": [{"startedDateTime": HOSTILE, **CALL}]}})),
    "a journal": ("own.json", json.dumps({"data": [{"operation": HOSTILE, "number": HOSTILE, "path": HOSTILE}]})),
    "a baseline": ("own.toml", f"[[accepted]]\nid = {json.dumps(HOSTILE[1:30])}\nreason = 'x'\nuntil = 2099-01-01\n"),
    "coverage": ("own.json", json.dumps({"payment_sandbox_coverage": 1, "used": [HOSTILE], "met": {HOSTILE: 1}})),
    "nothing": ("own.txt", HOSTILE),
}
READING: Final = (
    "scenarios check {file}", "scenarios check {folder}", "scenarios play {file}", "scenarios from-har {file}",
    "scenarios list --scenarios {folder}", "verdict --journal {file}", "verdict --baseline {file}",
    "coverage combine {file}", "probe http://127.0.0.1:9 --secret x --event {file}", "pay --port-file {file}",
    "data check {file}", "scenarios put {file}",
)  # fmt: skip
READS: Final = {
    "a summary": "scenarios", "a key": "scenarios", "a name": "scenarios", "a story": "scenarios", "a call": "har",
    "a journal": "journal", "a baseline": "baseline", "coverage": "combine",
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "line"), [(kind, line) for kind, line in product(FILES, READING) if SOAK or READS.get(kind, "") in line]
)
def test_of_files(kind: str, line: str, sandbox: RunningSandbox, tmp_path: Path) -> None:
    file = tmp_path / FILES[kind][0]
    file.write_text(FILES[kind][1])
    words = [word.format(file=file, folder=tmp_path) for word in line.split()]
    harmless(typed(words, PAYMENT_SANDBOX_URL=sandbox.base))
