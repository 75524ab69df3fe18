"""The third door: a container keeps what clients rely on, by the same checks as a thread and a process."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Final

import pytest

from tests.architecture.sources import ROOT
from tests.container.engine import Container
from tests.running import environment

LONGEST_S: Final = 250


def run(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *words],
        cwd=ROOT,
        env=environment(**variables),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.timeout(LONGEST_S)
def test_every_check_holds_behind_this_door(plain: Container) -> None:
    done = run(
        *("pytest", "tests/conformance/test_doors.py", "-q", "-p", "no:cacheprovider", "-k", "container"),
        PAYMENT_SANDBOX_CONTAINER_URL=plain.base,
        PAYMENT_SANDBOX_CONTAINER_LISTENER=plain.machine(),
    )
    assert done.returncode == 0, done.stdout[-4000:]
    assert " passed" in done.stdout


@pytest.mark.timeout(LONGEST_S)
def test_so_does_the_command(plain: Container, tmp_path_factory: pytest.TempPathFactory) -> None:
    report = tmp_path_factory.mktemp("conformance") / "report.xml"
    done = run(
        *("mock_server", "conformance", "--target", plain.base, "--listener", plain.machine()),
        *("--junit", os.fspath(report)),
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr
    assert report.stat().st_size
