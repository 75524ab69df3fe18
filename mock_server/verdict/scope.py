"""What a project leaves out of its coverage: patterns in its `pyproject.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path


def out_of_scope(folder: Path) -> list[str]:
    """`out_of_scope` of [tool.payment-sandbox.coverage], from the nearest pyproject.toml upwards. Raises ValueError."""
    for at in (folder, *folder.parents):
        file = at / "pyproject.toml"
        if file.is_file():
            section = tomllib.loads(file.read_text("utf-8")).get("tool", {}).get("payment-sandbox", {})
            found = section.get("coverage", {}).get("out_of_scope", [])
            if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
                raise ValueError(f"{file}: out_of_scope must be a list of patterns")
            return found
    return []
