"""Other people's clients from npm: `make npm` installs the locked ones, without which their tests are left out."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

HERE: Final = Path(__file__).parent
MODULES: Final = HERE / "node_modules"


def package(name: str) -> Path:
    """Return the folder of a package; skips where it is not installed."""
    folder = MODULES / name
    if not folder.is_dir():
        pytest.skip(f"the npm package {name} is not here: make npm")
    return folder
