"""Settings: flag > environment > file > default; every mistake is found at once. Source: decisions "Names"."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from mock_server.guesses import hint
from mock_server.settings.table import DATABASE, ENVIRONMENT_PREFIX, MIB, ROWS, Masked, SettingRow, Settings, words_of

CONFIG_VARIABLE: Final = f"{ENVIRONMENT_PREFIX}CONFIG"

KNOWN_ELSEWHERE: Final = frozenset(
    ENVIRONMENT_PREFIX + name
    for name in (
        "CONFIG",  # names the file
        "URL",  # the pytest plugin: a server that runs already
        "API_KEY",  # the pytest plugin hands these two to the program under test
        "PUBLISHABLE_KEY",
        "SOAK",  # long counts in the project's own tests
        "IMAGE",  # compose and CI recipes, and the tests of the container: which image
        "WHEEL",  # the tests of the wheel: which file
        "CONTAINER_URL",  # the conformance suite: a container that runs already, and how it reaches this machine
        "CONTAINER_LISTENER",
    )
)

# What Kubernetes and Docker links set for a service called payment-sandbox, or payment-sandbox-api and the like.
_LINKS: Final = (
    r"((\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_\w+)|ENV_\w+)=(?s:.*)",
    r"(\w+_)?PORT=(tcp|udp|sctp)://.*",  # a link only with such a value, as the next one: PORT could be a setting too
    r"NAME=/.+/.+",
)
_LINK: Final = re.compile(f"{ENVIRONMENT_PREFIX}({'|'.join(_LINKS)})", re.ASCII)

MOST_BYTES: Final = 16 * MIB
"""The maximum of a scenario or a file of settings: four bytes for each character of the longest document."""
ReadFile = Callable[[str], str]


class LoadedSettings(NamedTuple):
    """The settings, warnings, and notes for the debug log."""

    settings: Settings
    warnings: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()


def load(flags: Mapping[str, str], environ: Mapping[str, str], read_file: ReadFile) -> LoadedSettings:
    """The settings. Raises SettingsRefused with everything that is wrong.

    `flags` maps settings' names (and `config`) to their text; an empty environment variable counts as unset.
    """
    mistakes: list[str] = []
    ours = {name: value for name, value in environ.items() if name.startswith(ENVIRONMENT_PREFIX)}
    links = [name for name, value in ours.items() if _LINK.fullmatch(f"{name}={value}")]
    ours = {name: value for name, value in ours.items() if value and name not in links}
    if (config := flags.get("config", ours.get(CONFIG_VARIABLE))) == "":
        mistakes.append("--config (flag): nothing is given")
    variables = [row for row in ROWS.values() if row.variable in ours]
    entries = [
        *_file_entries(config, read_file, mistakes),
        *(_SettingEntry(row.name, ours[row.variable], f"{row.variable} (environment)") for row in variables),
        *(_SettingEntry(name, text, f"{ROWS[name].flag} (flag)") for name, text in flags.items() if name in ROWS),
    ]
    known = {row.variable for row in ROWS.values()} | KNOWN_ELSEWHERE
    unknown = {name: hint(name, known, ENVIRONMENT_PREFIX) for name in ours if name not in known}
    # Entries that a stronger source overrides are read too: a wrong value is always a mistake.
    values = {entry.name: _value(entry, read_file, mistakes) for entry in entries}
    if mistakes:
        raise SettingsRefused(mistakes)
    return LoadedSettings(
        Settings(**values),
        tuple(f"{name} is set, but there is no such setting{meant}" for name, meant in unknown.items()),
        tuple(f"{name} is set by Kubernetes for a service of this name, and ignored" for name in links),
    )


def at_odds(settings: Settings) -> list[str]:
    """What is wrong with settings that are each valid."""
    if (settings.tls_cert is None) != (settings.tls_key is None):
        return ["tls_cert and tls_key must be set together"]
    if settings.port_file and settings.port_file == settings.tls_port_file:
        return ["port_file and tls_port_file name the same file"]
    if settings.scenarios_writable and settings.scenarios is None:
        return ["scenarios_writable has no effect without a directory: set scenarios too"]
    if settings.advertise and not (settings.data or "").startswith(DATABASE):
        return ["advertise has no effect without a database that replicas share: set data to postgresql://…"]
    return [
        f"{name} has no effect without {what}: set {what} too"
        for what, names in (("tls", ("tls_port", "tls_port_file", "tls_name", "tls_cert")), ("data", ("data_sync",)))
        for name in names if not getattr(settings, what) and getattr(settings, name) != ROWS[name].default
    ]  # fmt: skip


def _file_entries(config: str | None, read_file: ReadFile, mistakes: list[str]) -> list[_SettingEntry]:
    """The settings of a file: TOML if its name ends in .toml, YAML (or JSON) otherwise; null counts as unset."""
    if not config:
        return []
    try:
        text = read_file(config)
        if config.lower().endswith(".toml"):
            values = [(config, key, value) for key, value in toml_of(config, text).items()]
        else:
            values = list(_yaml_values(config, text))
    except (OSError, UnicodeError) as error:
        mistakes.append(f"{config}: cannot be read: {_reason(error)}")
        return []
    except SettingsRefused as found:
        mistakes.extend(found.mistakes)
        return []
    entries: dict[str, _SettingEntry] = {}
    for where, key, value in values:
        name = key.replace("-", "_")
        items = value if isinstance(value, list) else [value]
        if value is not None and not all(isinstance(item, str | int | float) for item in items):
            mistakes.append(f"{where}: {key} must be a string, a number, true or false, or a list of strings")
        elif name in entries:
            mistakes.append(f"{where}: {key} is set twice")
        elif value is not None and name not in ROWS:
            mistakes.append(f"{where}: {key}: there is no setting {name}{hint(name, ROWS)}")
        elif value is not None:
            texts = tuple(map(text_of, items))
            entries[name] = _SettingEntry(name, texts if isinstance(value, list) else texts[0], f"{where}: {key}")
    return list(entries.values())


def _value(entry: _SettingEntry, read_file: ReadFile, mistakes: list[str]) -> Any:
    row = ROWS[entry.name]
    try:
        if isinstance(entry.text, str) and not (words_of(entry.text) if row.kind.listed else entry.text):
            raise Masked("nothing is given")  # it would switch off what it was to set
        if row.kind.unfit.search(text := _text(row, entry, read_file)):
            raise ValueError(text)
        return row.kind.read(text)
    except (OSError, UnicodeError) as error:
        mistakes.append(f"{entry.origin}: cannot be read: {_reason(error)}")
    except ValueError as wrong:
        is_secret = row.kind.secret or "@" in str(entry.text)  # which is after the password of an address
        said = f"{'this value' if is_secret else repr(entry.text)} is not valid"
        said = str(wrong) if isinstance(wrong, Masked) else said
        mistakes.append(f"{entry.origin}: {said}; allowed is {row.kind.allowed}")
    return row.default


def _text(row: SettingRow, entry: _SettingEntry, read_file: ReadFile) -> str:
    if isinstance(entry.text, tuple):
        if not (row.kind.listed or row.kind.from_file):
            raise ValueError(entry.text)
        return ",".join(entry.text)
    # A key has a prefix that a path does not have (interface §5).
    return read_file(entry.text) if row.kind.from_file and not entry.text.startswith("snd_") else entry.text


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


class SettingsRefused(ValueError):
    """The settings are not valid, or their file is not; `mistakes` has one sentence for each mistake."""

    def __init__(self, mistakes: Iterable[str]) -> None:
        self.mistakes = tuple(mistakes)
        super().__init__("\n".join(self.mistakes))


class _SettingEntry(NamedTuple):
    """A setting's text and its origin, for messages."""

    name: str
    text: str | tuple[str, ...]
    origin: str


def read_file(path: str | Path, most: int = MOST_BYTES, opens: Callable[[str | Path, str], IO[bytes]] = open) -> bytes:
    """The bytes of a file with a text. OSError also for one that is larger than such a file may be, or has no end."""
    __tracebackhide__ = True  # a test that names a missing file sees its own line
    with opens(path, "rb") as file:  # and read in pieces: in one, all that it may have would be reserved
        raw = b"".join(islice(iter(lambda: file.read(MIB), b""), most // MIB + 1))
    if len(raw) > most:
        raise OSError(errno.EFBIG, f"it has more than {most:,} bytes", str(path))
    return raw


def nearest_table(name: str, folder: Path) -> tuple[Path, dict[str, Any]]:
    """The nearest TOML file of a name, in a folder or above it, and its table, if any. Raises SettingsRefused."""
    with suppress(FileNotFoundError):  # the working folder was removed
        folder = folder.absolute()
    paths = (above / name for above in (folder, *folder.parents))  # also those that this user may not look into
    path = next((path for path in paths if os.access(path, os.F_OK) and path.is_file()), None)
    if path is None:
        return folder, {}
    try:
        return path, toml_of(str(path), read_file(path).decode("utf-8-sig"))
    except (OSError, UnicodeError) as error:
        raise SettingsRefused([f"{path}: cannot be read: {_reason(error)}"]) from None


def text_of(value: object) -> str:
    """A value as the text of a variable: `true` and `false`, and commas between several."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def toml_of(path: str, text: str) -> dict[str, Any]:
    """The table of a TOML file. Raises SettingsRefused."""
    import tomllib  # late: most starts have no file

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SettingsRefused([f"{path}: not TOML: {error}"]) from None


def _yaml_values(path: str, text: str) -> Iterator[tuple[str, str, object]]:
    """The same, with the values as they were written: YAML would convert `off` or `1:30`."""
    # Imported here because most starts have no file.
    import yaml

    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else path
        said = getattr(error, "problem", None) or getattr(error, "context", None) or error
        raise SettingsRefused([f"{where}: not YAML: {said}"]) from None
    if root is not None and not isinstance(root, yaml.MappingNode):
        raise SettingsRefused([f"{path}:1: expected a mapping of settings"])
    for key, node in root.value if root else ():
        value: object = node  # a mapping, which no setting is
        if isinstance(node, yaml.SequenceNode):
            value = [item.value for item in node.value]
        elif isinstance(node, yaml.ScalarNode):
            value = None if node.tag == "tag:yaml.org,2002:null" else node.value
        yield f"{path}:{key.start_mark.line + 1}", str(key.value), value
