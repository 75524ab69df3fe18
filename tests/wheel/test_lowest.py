"""A part of the tests beside the lowest versions that the package says it runs with, and on the newest Python here.

Every other test runs on one Python, beside the versions of the lock.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Final

import pytest
from packaging.requirements import Requirement

from tests.architecture.sources import ROOT
from tests.counts import SOAK
from tests.wheel.conftest import PYTHONS
from tests.wheel.environments import made

EXTRAS: Final = ("testcontainers", "tls", "mcp", "postgresql")
TOOLS: Final = (
    *("pytest", "pytest-cov", "pytest-timeout", "pytest-xdist", "hypothesis", "httpx", "jsonschema-rs", "packaging"),
    "psutil",
)
FEW: Final = (
    *(f"cli/test_{name}.py" for name in ("every_command", "completion", "mcp")),
    *(f"contract/requests/test_{name}.py" for name in ("create", "fast", "laws")),
    *(f"jsontext/test_{name}.py" for name in ("javascript", "reading", "writing")),
    *("plugin/test_fixtures.py", "settings/test_load.py", "metrics", "dashboard/test_pages.py"),
)
"""What of them no version changes, or one test says for all: Node and zsh are one, and three shapes have every kind."""
NOT: Final = (
    "both_ways_say_the_same and not (same[create] or same[method] or same[connector])",
    *("completes[zsh]", "without_the_extra", "node_writes_any_value", "node_keeps_the_bytes", "an_interrupt_ends_it"),
)
MANY: Final = (
    *("api", "causes", "cli", "contract", "control", "dashboard", "dialects", "domain", "http", "jsontext", "metrics"),
    *("pages", "sandbox", "store", "verdict"),
)


def lowest() -> list[str]:
    """Each direct requirement at its lower bound, which has to be a version that there is."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    texts = [*project["dependencies"], *(one for extra in EXTRAS for one in project["optional-dependencies"][extra])]
    found = []
    for one in map(Requirement, texts):
        bound = next(part.version for part in one.specifier if part.operator == ">=")
        found.append(f"{one.name}[{','.join(one.extras)}]=={bound}" if one.extras else f"{one.name}=={bound}")
    return found


def test_it_runs_beside_the_lowest_versions_that_it_names(wheel: Path, tmp_path: Path) -> None:
    passes(next(iter(PYTHONS.values())), tmp_path, *lowest(), f"{wheel}")


@pytest.mark.parametrize("version", [*PYTHONS][1:])
def test_it_runs_on_the_newest_python(wheel: Path, tmp_path: Path, version: str) -> None:
    passes(PYTHONS[version], tmp_path, f"{wheel}[{','.join(EXTRAS)}]")


def passes(python: str, place: Path, *wanted: str) -> None:
    """Runs the tests with a Python, and with what is wanted there."""
    environment = made(python, place / "env", place / "work")
    environment.add(*wanted, *TOOLS)
    tests = " ".join(f"tests/{name}" for name in (MANY if SOAK else FEW))
    chosen = "" if SOAK else f"-k '{' and '.join(f'not ({one})' for one in NOT)}'"
    workers = 2 if SOAK else 0  # each would look at all files first
    words = f"python -m pytest -q -n {workers} -p no:cacheprovider --timeout 300 {chosen} {tests}"
    done = environment.shell(f"cd '{ROOT}' && unset CI PAYMENT_SANDBOX_WHEEL PAYMENT_SANDBOX_SOAK && {words}")
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-2_000:]
