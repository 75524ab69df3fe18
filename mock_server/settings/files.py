"""A configuration file as entries of text, which are read like environment variables."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple


class SettingsRefused(Exception):
    """The settings are not valid, or their file is not; `mistakes` has one sentence for each mistake."""

    def __init__(self, mistakes: Iterable[str]) -> None:
        self.mistakes = tuple(mistakes)
        super().__init__("\n".join(self.mistakes))


class SettingEntry(NamedTuple):
    """A setting's text and its origin, for messages."""

    name: str
    text: str | tuple[str, ...]
    origin: str


def nearest_file(name: str, folder: Path) -> Path | None:
    """The file of a name in a folder, or in the nearest one above it that has one."""
    places = (above / name for above in (folder, *folder.parents))
    return next((place for place in places if place.is_file()), None)


def read_entries(path: str, text: str) -> list[SettingEntry]:
    """The settings of a file: TOML if its name ends in .toml, YAML (or JSON) otherwise.

    A value of null counts as unset.  Raises SettingsRefused.
    """
    return _toml_entries(path, text) if path.endswith(".toml") else _yaml_entries(path, text)


def _toml_entries(path: str, text: str) -> list[SettingEntry]:
    import tomllib

    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsRefused([f"{path}: not TOML: {error}"]) from None
    entries, mistakes = [], []
    for key, value in document.items():
        texts = [_plain(one) for one in (value if isinstance(value, list) else [value])]
        known = tuple(text for text in texts if text is not None)
        if len(known) < len(texts):
            mistakes.append(f"{path}: {key} {_WRONG}")
        else:
            entries.append(_entry(key, known if isinstance(value, list) else known[0], path))
    if mistakes:
        raise SettingsRefused(mistakes)
    return entries


_WRONG: Final = "must be a string, a number, true or false, or a list of strings"


def _plain(value: object) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else None


def _yaml_entries(path: str, text: str) -> list[SettingEntry]:
    # Imported here because most starts have no file.
    import yaml

    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else path
        raise SettingsRefused([f"{where}: not YAML: {error.problem or error.context}"]) from None
    except yaml.YAMLError as error:
        raise SettingsRefused([f"{path}: not YAML: {error}"]) from None
    if root is None:
        return []
    if not isinstance(root, yaml.MappingNode):
        raise SettingsRefused([f"{path}:1: expected a mapping of settings"])
    return _mapping_entries(path, root.value)


def _mapping_entries(path: str, pairs: list[tuple[Any, Any]]) -> list[SettingEntry]:
    entries: list[SettingEntry] = []
    mistakes: list[str] = []
    for key, value in pairs:
        where = f"{path}:{key.start_mark.line + 1}"
        name, texts = str(key.value), _node_texts(value)
        if texts is None:
            mistakes.append(f"{where}: {name} {_WRONG}")
        elif any(entry.name == _field_name(name) for entry in entries):
            mistakes.append(f"{where}: {name} is set twice")
        elif value.tag != "tag:yaml.org,2002:null":
            entries.append(_entry(name, texts, where))
    if mistakes:
        raise SettingsRefused(mistakes)
    return entries


def _node_texts(node: Any) -> str | tuple[str, ...] | None:
    """The text as it was written: YAML would convert `off` or `1:30`."""
    if node.id == "scalar":
        return str(node.value)
    if node.id == "sequence" and all(item.id == "scalar" for item in node.value):
        return tuple(str(item.value) for item in node.value)
    return None


def _entry(name: str, text: str | tuple[str, ...], where: str) -> SettingEntry:
    return SettingEntry(_field_name(name), text, f"{where}: {name}")


def _field_name(name: str) -> str:
    return name.replace("-", "_")
