"""The clients that repeat a call by themselves, or return half an answer, as the reference has them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from mock_server.testing import Sandbox, SandboxServer
from tests.architecture.sources import ROOT
from tests.counts import SOAK
from tests.running import environment
from tests.wire import card_payment

SECTION: Final = (ROOT / "docs/reference/faults.md").read_text("utf-8").partition("## Clients")[2].partition("\n## ")[0]
PROGRAMS: Final = Path(__file__).with_name("repeating")
FAULTS: Final = ("connection_reset", "empty_response", "truncated_body")
LOST: Final = FAULTS[:2]


class Client(NamedTuple):
    """Its name in the table, the program that must be there, how it is run, and whether that takes long."""

    name: str
    tool: str
    command: tuple[str, ...]
    is_slow: bool = False


CLIENTS: Final = (
    Client("Node's `fetch`", "node", ("node", "client.mjs")),
    Client("PHP's streams", "php", ("php", "client.php")),
    Client("Ruby's `Net::HTTP`", "ruby", ("ruby", "client.rb")),
    Client("Go's `net/http`", "go", ("go", "run", "client.go"), is_slow=True),
    Client("Java's `HttpURLConnection`", "java", ("java", "Client.java"), is_slow=True),
)
TRIED: Final = [one for one in CLIENTS if shutil.which(one.tool) and (SOAK or not one.is_slow)]


def told(client: str) -> set[str]:
    """The faults that this client does not report, as the table says."""
    rows = [row.split("|") for row in re.findall(r"^\| (.*) \|$", SECTION, re.MULTILINE)]
    return {fault for named, faults, _ in rows if client in named for fault in re.findall("`(.*?)`", faults)}


@pytest.fixture(scope="module")
def server() -> object:
    with SandboxServer() as server:
        yield server


@pytest.mark.parametrize("client", TRIED, ids=lambda one: one.tool)
def test_a_client_does_with_each_fault_what_the_table_says(client: Client, server: SandboxServer) -> None:
    spaces = {fault: Sandbox(server=server, api_key=f"snd_{client.tool}_{fault}") for fault in FAULTS}
    for fault, space in spaces.items():
        space.next("payments.create", fault=fault, effect="kept")
    ran = subprocess.run(
        [*client.command, *FAULTS],
        cwd=PROGRAMS,
        env=environment(BASE=server.url, ORDER=json.dumps(card_payment()), GOTOOLCHAIN="local"),
        capture_output=True,
        text=True,
        check=True,
    )
    seen = dict(line.split(" ") for line in ran.stdout.splitlines())
    calls = {fault: len(space.journal.calls("payments.create")) for fault, space in spaces.items()}
    assert seen == {
        fault: "error" if fault not in told(client.name) else "whole" if fault in LOST else "half" for fault in FAULTS
    }
    assert calls == {fault: 1 + (fault in told(client.name) and fault in LOST) for fault in FAULTS}


def test_the_table_has_these_clients_only() -> None:
    named = re.findall(r"^\| (\w+'s.*?) \|", SECTION, re.MULTILINE)
    assert {one for row in named for one in row.split(", ")} <= {client.name for client in CLIENTS}
