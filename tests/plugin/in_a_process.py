"""pytest in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.architecture.sources import ROOT
from tests.plugin.conftest import LOADED, STRICT


def pytest_in_a_process(folder: Path, *arguments: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "PAYMENT_"))}
    command = [sys.executable, "-m", "pytest", *LOADED, *STRICT, *arguments]
    done = subprocess.run(
        command,
        cwd=folder,
        env={**environment, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
