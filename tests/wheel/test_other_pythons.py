"""The wheel on the Pythons between the oldest and the newest; under `make soak` on all of this machine.

They warn of different things, and 3.12 starts no thread once the main thread has ended.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from mock_server.contract.control_operations import CONTROL_OPERATIONS
from tests.counts import SOAK
from tests.wheel.environments import Environment, made, pythons

EXTRAS: Final = "[testcontainers,tls,mcp,postgresql]" if SOAK else ""
FOUND: Final = pythons()
ASKED: Final = FOUND if SOAK else dict([*FOUND.items()][1:-1])

IMPORTED: Final = ("mock_server", "payment_sandbox") if SOAK else ("mock_server.domain",)
MODULES: Final = """
import importlib, pathlib
for package in PACKAGES:
    at = pathlib.Path(list(importlib.import_module(package).__path__)[0])
    for file in sorted(at.rglob("[!_]*.py")):
        print(".".join((package, *file.relative_to(at).with_suffix("").parts)))
        importlib.import_module(".".join((package, *file.relative_to(at).with_suffix("").parts)))
"""

READ: Final = [row.path for row in CONTROL_OPERATIONS if row.method == "GET" and "<" not in row.path]
LATE: Final = {
    "in a thread": "threading.Thread(target=late).start()",
    "at exit": "atexit.register(late)",
}
"""How a program goes on after its last line."""
PROGRAM: Final = """
import atexit, threading, urllib.error, urllib.request
from payment_sandbox import Sandbox

sandbox = Sandbox()

def status(path):
    asked = urllib.request.Request(sandbox.url + path, headers={"api-key": sandbox.api_key})
    try:
        with urllib.request.urlopen(asked, timeout=None) as answer:
            return answer.status
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code

def late():
    if threading.current_thread() is not threading.main_thread():
        threading.main_thread().join()
    for path in PATHS:
        if status(path) >= 500:
            print(path, "was refused")
    print(sandbox.client.pay()["status"])
    sandbox.close()

"""


@pytest.fixture(scope="module", params=ASKED)
def elsewhere(request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    place = tmp_path_factory.mktemp("elsewhere")
    environment = made(FOUND[request.param], place / "env", place / "work")
    environment.add(f"{wheel}{EXTRAS}", *(["pytest"] if SOAK else []))
    return environment


def said(environment: Environment, program: str) -> str:
    done = environment.run("python", "-X", "dev", "-W", "error", "-c", program)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("way", LATE.values(), ids=LATE)
def test_a_sandbox_answers_until_its_program_has_ended(elsewhere: Environment, way: str) -> None:
    assert said(elsewhere, f"PATHS = {READ!r}{PROGRAM}{way}") == "succeeded\n"


def test_every_module_is_imported_without_a_warning(elsewhere: Environment) -> None:
    imported = said(elsewhere, f"PACKAGES = {IMPORTED!r}{MODULES}").split()
    assert "mock_server.domain.money" in imported
