"""The scenarios that are shipped: beside the package in the repository, inside it in the wheel."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

import mock_server

SUFFIXES: Final = (".yaml", ".yml", ".json")


@cache
def bundled_directory() -> Path | None:
    """Where the shipped files are; None in an installation without them."""
    package = Path(mock_server.__file__).parent
    places = (package / "_scenarios", package.parent / "scenarios")
    return next((place for place in places if place.is_dir()), None)


def bundled_files() -> dict[str, Path]:
    """The shipped files by name, none of them read."""
    directory = bundled_directory()
    return {} if directory is None else {path.stem: path for path in files_in(directory)}


def files_in(directory: Path) -> list[Path]:
    """The scenario files of a directory and those below it, in order; hidden ones are passed over."""
    found = (path for path in directory.rglob("*") if path.suffix in SUFFIXES and path.is_file())
    return sorted(path for path in found if not _hidden(path.relative_to(directory)))


def _hidden(path: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.parts)
