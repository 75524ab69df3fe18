"""A program with a module `mock_server` of its own, as many have: pytest says which file is in the way."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Final

import pytest

from mock_server.testing import plugin
from tests.architecture.sources import ROOT
from tests.running import environment

OWN: Final = {
    "mock_server/__init__.py": "",
    "mock_server.py": "def start(): ...\n",
    "mock_server/__init__.py that needs more": "import nowhere\n",
    "mock_server.py that says so": "raise ImportError('install more')\n",
}
"""A file, and what is in it."""
GROUP: Final = "pytest11"
PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
((NAME, VALUE),) = PROJECT["entry-points"][GROUP].items()


@pytest.mark.parametrize("own", OWN)
def test_it_is_named_with_what_to_do(own: str, tmp_path: Path) -> None:
    file = tmp_path / own.split()[0]
    file.parent.mkdir(exist_ok=True)
    file.write_text(OWN[own])
    loads = f"from importlib.metadata import EntryPoint; EntryPoint({NAME!r}, {VALUE!r}, {GROUP!r}).load()"
    command = [sys.executable, "-c", loads]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env=environment())
    *_, said = done.stderr.splitlines()
    assert said.startswith("ImportError: payment-sandbox ")
    assert f"{file} first" in said and "`pytest`" in said


def test_pytest_finds_the_plugin_where_that_is_said() -> None:
    assert EntryPoint(NAME, VALUE, GROUP).load() is plugin


def test_what_its_own_module_lacks_is_said_as_it_is() -> None:
    lacks = "import sys; sys.modules['mock_server.testing'] = None; import payment_sandbox"
    done = subprocess.run([sys.executable, "-c", lacks], capture_output=True, text=True, check=False, env=environment())
    *_, said = done.stderr.splitlines()
    assert (done.returncode, "mock_server.testing" in said, " first" in said) == (1, True, False), said
