"""The programs of the docs run against a served sandbox."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.running import RunningSandbox

EXAMPLES = sorted((Path(__file__).parents[2] / "docs" / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_the_example_ends_well(path: Path) -> None:
    with RunningSandbox() as sandbox:
        ran = subprocess.run([sys.executable, str(path), sandbox.base], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
