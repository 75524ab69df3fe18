"""The texts of scenarios before they are read: a directory's files, their names, and an order to upload them in."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

SUFFIXES: Final = (".yaml", ".yml", ".json")
HIDDEN: Final = (".", "_", "lost+found")
"""Beginnings of names that are passed over: also the folder that every volume of some file systems has."""
MOST_FILES: Final = 100_000
JSON: Final = "application/json"
YAML: Final = "application/yaml"


def files_in(directory: Path) -> list[Path]:
    """The scenario files of a directory and below it, in order, without hidden ones. OSError if it is too large.

    With links to nothing and folders that cannot be listed: whoever reads these says why it cannot.
    """
    found, count = list[Path](), 0

    def note(wrong: OSError) -> None:
        found.extend([] if isinstance(wrong, FileNotFoundError) else [Path(wrong.filename)])  # else it has gone

    for folder, folders, names in os.walk(directory, onerror=note):
        if (count := count + len(folders) + len(names)) > MOST_FILES:  # `/`, by a variable that is not set
            problem = f"more than {MOST_FILES:,} files are below it; name the directory of the scenarios"
            raise OSError(errno.E2BIG, problem, str(directory))
        folders[:], names = ([name for name in some if not name.startswith(HIDDEN)] for some in (folders, names))
        paths = [Path(folder, name) for name in names if name.lower().endswith(SUFFIXES)]
        found += [path for path in paths if path.is_file() or not path.exists()]
    return sorted(found)


class ScenarioSource(NamedTuple):
    """A scenario's text, as it is uploaded to a workspace; `file` is where it comes from."""

    name: str
    text: str
    kind: str
    extends: object = None
    file: str = "a text"


def source(text: str, unnamed: str, name: str | None = None, file: str = "a text") -> ScenarioSource:
    """A scenario's text with its name: the one in the text, else `name`, else `unnamed`."""
    text = text.removeprefix("\ufeff")
    values, kind = _values(text)
    found = values if isinstance(values, Mapping) else {}
    kind = JSON if file.lower().endswith(".json") else kind
    return ScenarioSource(str(found.get("name") or name or unnamed), text, kind, found.get("extends"), file)


def _values(text: str) -> tuple[object, str]:
    """What is in a text, and its kind; nothing if it is broken, as the server says better what is wrong."""
    try:
        return json.loads(text), JSON
    except (ValueError, RecursionError):
        import yaml

        with suppress(yaml.YAMLError, RecursionError):
            return yaml.load(text, yaml.BaseLoader), YAML
    return None, YAML


def in_order(sources: Iterable[ScenarioSource]) -> list[ScenarioSource]:
    """Each after what it extends. Raises ValueError if two have the same name."""
    by_name: dict[object, ScenarioSource] = {}
    for one in sources:
        if (other := by_name.setdefault(one.name, one)) is not one:
            raise ValueError(f"{one.file}: the name {one.name} is already used by {other.file}")

    def depth(one: ScenarioSource | None, most: int = 99) -> int:
        return 1 + depth(by_name.get(str(one.extends)), most - 1) if one and most else 0

    return sorted(by_name.values(), key=depth)
