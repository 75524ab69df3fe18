"""What a reader types first: the docs' commands that install, in a copy of the checkout and an empty environment."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.architecture.sources import ROOT
from tests.docs.snippets import Block, blocks, documents
from tests.wheel.environments import Environment, made, pythons

HERE: Final = str(Path(__file__).relative_to(ROOT))
FIRST: Final = [
    pytest.param(block, id=f"{path.relative_to(ROOT)}:{block.line}")
    for path in documents(ROOT)
    for block in blocks(path.read_text("utf-8"))
    if HERE in (block.left_out or "")
]


@pytest.fixture
def fresh(tmp_path: Path) -> Environment:
    """An environment with nothing in it, working in what git keeps of this checkout."""
    if "PAYMENT_SANDBOX_WHEEL" not in os.environ:
        pytest.skip("it installs from an index: make wheel-test runs it")
    copy = tmp_path / "checkout"
    environment = made(next(iter(pythons().values())), tmp_path / "env", copy, pip=True)
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    _copy(files.decode().split("\0")[:-1], copy)
    return environment


def _copy(names: list[str], to: Path) -> None:
    for name in names:
        place = to / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_symlink():
            place.symlink_to((ROOT / name).readlink())
        else:
            place.write_bytes((ROOT / name).read_bytes())


def test_there_are_some() -> None:
    assert len(FIRST) >= 2


@pytest.mark.parametrize("block", FIRST)
def test_it_runs_in_an_empty_environment(fresh: Environment, block: Block) -> None:
    commands = "\n".join(line.removeprefix("$ ") for line in block.text.splitlines())
    done = fresh.shell(f"set -e\n{commands}\npayment-sandbox --version")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "payment-sandbox" in done.stdout
