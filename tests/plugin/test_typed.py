"""`aio` is typed as the sandbox itself is: mypy and pyright take what is right, and find what is wrong."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from inspect import getmembers_static
from pathlib import Path
from typing import Final

import pytest

from mock_server.testing import Sandbox, SandboxServer
from mock_server.testing.awaiting import AwaitableMethod
from tests.architecture.sources import ROOT

HEAD: Final = """from __future__ import annotations
from datetime import datetime
from payment_sandbox import Answer, Event, Sandbox
async def uses(sandbox: Sandbox) -> None:
"""
RIGHT: Final = (
    "at: datetime = await sandbox.aio.clock.now",
    "at = (await sandbox.aio.clock.advance(hours=1)).now",
    "at = await sandbox.aio.clock.freeze(datetime.now())",
    "paid: Answer = await sandbox.aio.client.pay('success', amount=1999, timeout=2.0)",
    "told: Event = await sandbox.aio.webhooks.wait_for('payment_succeeded', payment_id=paid.json(), times=2)",
    "count: int = len(await sandbox.aio.journal.assert_called('payments.create', times=1))",
    "secret: str = await sandbox.aio.webhook_secret",
    "url: str = sandbox.aio.url + sandbox.aio.api_key + sandbox.aio.cards['success'].number",
    "async with sandbox.aio.scenario('lost_response') as scenario: print(scenario.name.upper())",
    "await sandbox.aio.next('charge', decline='lost_card', times=2)",
    "await sandbox.aio.trigger.settle(paid.json(), 'failed', decline='lost_card')",
    "name: str = await sandbox.aio.snapshot('a', journal=True)",
)
WRONG: Final = (
    "sandbox.aio.clok",
    "sandbox.aio.clock.nwo",
    "await sandbox.aio.clock.advance(hours='1')",
    "await sandbox.aio.clock.freeze(at=1)",
    "await sandbox.aio.clock.now()",
    "await sandbox.aio.client.pay(card=1)",
    "await sandbox.aio.url",
    "await sandbox.aio.webhooks.wait_for()",
    "await sandbox.aio.webhooks.wait_for('payment_succeeded', tiems=2)",
    "text: str = await sandbox.aio.webhooks.wait_for('payment_succeeded')",
    "late: str = sandbox.aio.webhook_secret",
    "await sandbox.aio.trigger.settle()",
    "async with sandbox.aio.snapshot(): pass",
    "await sandbox.aio.next('charge', times='2')",
)
ALONE: Final = ("--no-incremental", "--follow-imports=silent", "--no-site-packages", "--ignore-missing-imports")
"""Mypy checks the file alone, and what others have installed not at all: it takes half the time, and says the same."""
PARTS: Final = ("control", "client", "clock", "journal", "webhooks", "trigger", "scenarios")


def with_mypy(file: Path) -> set[int]:
    """The lines that mypy finds wrong."""
    told = output("mypy", "--strict", *ALONE, "--config-file=", str(file))
    return {int(line) for line in re.findall(rf"^{re.escape(file.name)}:(\d+): error", told, re.MULTILINE)}


def with_pyright(file: Path) -> set[int]:
    """The lines that pyright finds wrong."""
    found = json.loads(output("pyright", "--outputjson", str(file)))["generalDiagnostics"]
    return {one["range"]["start"]["line"] + 1 for one in found if one["severity"] == "error"}


def output(program: str, *arguments: str) -> str:
    return subprocess.run(
        [sys.executable, "-m", program, *arguments],
        cwd=Path(arguments[-1]).parent,
        env={**os.environ, "MYPYPATH": str(ROOT), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    ).stdout


@pytest.mark.timeout(300)  # a type checker reads the whole server
@pytest.mark.parametrize("checked", [with_mypy, with_pyright])
def test_type_checkers_know_the_awaitable_sandbox(tmp_path: Path, checked: Callable[[Path], set[int]]) -> None:
    file = tmp_path / "uses.py"
    file.write_text(HEAD + "".join(f"    {line}\n" for line in (*RIGHT, *WRONG)))
    found = {file.read_text().splitlines()[number - 1].strip() for number in checked(file)}
    assert found == set(WRONG)


@pytest.mark.parametrize("part", ["", *PARTS])
def test_the_awaitable_sandbox_lacks_nothing(inside: SandboxServer, part: str) -> None:
    sandbox = Sandbox(server=inside)
    plain, awaitable = (getattr(one, part) if part else one for one in (sandbox, sandbox.aio))
    assert public(plain) - {"aio", "checkout"} == public(awaitable)  # it drives a page of Playwright's waiting API
    methods = {
        name: one._method for name, one in getmembers_static(type(awaitable)) if isinstance(one, AwaitableMethod)
    }
    assert [name for name, one in methods.items() if name != one.__name__] == []


def public(of: object) -> set[str]:
    return {name for name in dir(of) if not name.startswith("_")}
