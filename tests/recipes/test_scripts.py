"""The scripts behind `make image`, and which tests a run leaves out."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import conftest
from tests.architecture.sources import ROOT
from tests.running import environment

TESTS = ROOT / "tests"


ASKED_FOR = sorted(
    {name for path in TESTS.rglob("*.py") for name in re.findall(r'which\(\s*"([^"]+)"', path.read_text("utf-8"))}
)
"""The programs without which tests are left out, by the name under which they are looked for."""


@pytest.mark.parametrize("program", ASKED_FOR)
def test_ci_has_each_program_that_a_test_looks_for(program: str) -> None:
    """A test that is left out in CI fails there, on the first machine that comes without the program."""
    installs = (ROOT / ".ci" / "run").read_text("utf-8").partition("tools() {")[2].partition("\n}\n")[0]
    assert re.search(rf"command -v {program}\b", installs)


def engine(folder: Path, answers: dict[str, bool], wanted: str | None = None) -> subprocess.CompletedProcess[str]:
    """Ask for the engine where these programs are installed, which answer or do not."""
    for name, runs in answers.items():
        program = folder / name
        program.write_text(f"#!/bin/sh\nexit {0 if runs else 1}\n")
        program.chmod(0o755)
    given = {} if wanted is None else {"ENGINE": wanted}
    return subprocess.run(
        ["/bin/sh", str(ROOT / ".ci" / "container-engine")],
        env={**environment(), "ENGINE": "", **given, "PATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("answers", "wanted", "found"),
    [
        ({"podman": True, "docker": True}, None, "podman"),
        ({"podman": False, "docker": True}, None, "docker"),
        ({"docker": True}, None, "docker"),
        ({"podman": True, "docker": True}, "docker", "docker"),
    ],
)
def test_the_engine_is_the_one_that_answers(
    tmp_path: Path, answers: dict[str, bool], wanted: str | None, found: str
) -> None:
    assert engine(tmp_path, answers, wanted).stdout == f"{found}\n"


@pytest.mark.parametrize("answers", [{}, {"docker": False}])
def test_without_one_it_says_what_to_install(tmp_path: Path, answers: dict[str, bool]) -> None:
    asked = engine(tmp_path, answers)
    assert asked.returncode == 1
    assert "neither podman nor docker" in asked.stderr
    assert "apt install podman" in asked.stderr


def left_out(folder: str, *asked: str) -> bool | None:
    config: Any = SimpleNamespace(args=[str(ROOT / one) for one in asked])
    return conftest.pytest_ignore_collect(TESTS / folder, config)


@pytest.mark.parametrize(("folder", "variable"), [(folder, wanted[0]) for folder, wanted in conftest.WANTS.items()])
def test_what_has_to_be_built_first_is_left_out_and_said(
    monkeypatch: pytest.MonkeyPatch, folder: str, variable: str
) -> None:
    monkeypatch.delenv(variable, raising=False)
    assert left_out(folder, "tests") is True
    assert left_out(folder, f"tests/{folder}/test_x.py::test_y") is None  # asked for by name: it says why it cannot
    assert any(f"tests/{folder} " in line for line in conftest.pytest_report_header())
    monkeypatch.setenv(variable, "something")
    assert left_out(folder, "tests") is None


def test_nothing_else_is_left_out() -> None:
    assert left_out("recipes", "tests") is None
    assert left_out("plugin/container", "tests") is None
