"""A setting means the same wherever it is written, and what is accepted can be used."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from mock_server.cli.asking import project_file
from mock_server.cli.serve import read_settings
from mock_server.server.server import MAX_GRACE_S
from mock_server.settings import ROWS, LoadedSettings, SettingRow, SettingsRefused, load
from mock_server.testing.servers import as_texts

BYTES: Final = ("\udc80", "caf\udce9", "x\udcc3,y", "http://127.0.0.1/\udcff", "[\udc80]", "\ud83d", "a\0b")
"""Bytes of a variable that are no UTF-8, as Python has them; halves of a pair and a null character from JSON."""
TEXTS: Final = (
    "", " ", " x ", "true", "No", "0", "1", "-1", "1.5", "1e3", "00", "250ms", "30 s", "9" * 30, "1KiB", "1 MiB",
    "null", "a,b", "a, b", ",", '"x"', "'x'", "[a]", "a b", "#x", "x #y", "x: y", "a:b", "http://a/b?c=d", "//a", "::1",
    "10.0.0.0/24", "10.0.0.1/24", "1:30", "é", "a\tb", "a\nb", "snd_abcdefgh", "/nowhere/x", "postgresql://h/d", "x://h",
)  # fmt: skip
PATHS: Final = {"port_file", "tls_port_file", "tls_cert", "tls_key", "data", "scenarios"}


def no_file(path: str) -> str:
    raise FileNotFoundError(2, "No such file or directory", path)


def by_flag(row: SettingRow, text: str) -> tuple[str, LoadedSettings]:
    return f"{row.flag} (flag)", load({row.name: text}, {}, no_file)


def by_variable(row: SettingRow, text: str) -> tuple[str, LoadedSettings]:
    return f"{row.variable} (environment)", load({}, {row.variable: text}, no_file)


def by_json(row: SettingRow, text: str) -> tuple[str, LoadedSettings]:
    def read(path: str) -> str:
        return json.dumps({row.name: text}) if path == "x.json" else no_file(path)

    return f"x.json:1: {row.name}", load({"config": "x.json"}, {}, read)


def by_toml(row: SettingRow, text: str) -> tuple[str, LoadedSettings]:
    def read(path: str) -> str:
        return f"{row.name} = {json.dumps(text, ensure_ascii=False)}" if path == "x.toml" else no_file(path)

    return f"x.toml: {row.name}", load({"config": "x.toml"}, {}, read)


def by_fixture(row: SettingRow, text: str) -> tuple[str, LoadedSettings]:
    return f"{row.flag} (flag)", load(as_texts({row.name: text}), {}, no_file)


SOURCES: Final = {one.__name__: one for one in (by_flag, by_variable, by_json, by_toml, by_fixture)}


class Refused(str):
    """What is said of a text that is not valid, without the place."""

    __slots__ = ()


def found(source: Callable[[SettingRow, str], tuple[str, LoadedSettings]], row: SettingRow, text: str) -> object:
    """The value of a text, or what is said of it."""
    try:
        return getattr(source(row, text)[1].settings, row.name)
    except SettingsRefused as wrong:
        (said,) = wrong.mistakes
        return Refused(said.partition(f"{row.name}: " if source in (by_json, by_toml) else "): ")[2])


@pytest.mark.parametrize("name", ROWS)
def test_a_text_means_the_same_everywhere(name: str) -> None:
    for text in TEXTS:
        sources = {name: one for name, one in SOURCES.items() if text or one is not by_variable}  # unset, if empty
        told = {how: found(one, ROWS[name], text) for how, one in sources.items()}
        assert len(set(map(repr, told.values()))) == 1, (text, told)


def strings(value: object) -> Iterator[str]:
    if isinstance(value, tuple):
        for one in value:
            yield from strings(one)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize("name", ROWS)
def test_what_is_accepted_can_be_sent_and_opened(name: str) -> None:
    for text in BYTES:
        value = found(by_flag, ROWS[name], text)
        if isinstance(value, Refused):
            assert "codec" not in value
            continue
        for one in strings(value):
            assert "\0" not in one
            assert os.fsencode(one) if name in PATHS else one.encode()


MARK: Final = b"\xef\xbb\xbf"
"""What some editors write at the beginning of a file."""
FILES: Final[dict[str, tuple[bytes, dict[str, Any]]]] = {
    "config.yaml": (b"seed: x\nport: 0\n", {"seed": "x", "port": 0}),
    "config.json": (b'{"seed": "x", "port": 0}', {"seed": "x", "port": 0}),
    "config.toml": (b'seed = "x"\r\nport = 0\r\n', {"seed": "x", "port": 0}),
    "keys": (b"snd_abcdefgh\r\n# more\r\nsnd_abcdefgi\r\n", {"keys": ("snd_abcdefgh", "snd_abcdefgi")}),
}


@pytest.mark.parametrize("mark", [b"", MARK], ids=["plain", "marked"])
@pytest.mark.parametrize("name", FILES)
def test_a_file_may_begin_with_a_mark(tmp_path: Path, name: str, mark: bytes) -> None:
    text, means = FILES[name]
    path = tmp_path / name
    path.write_bytes(mark + text)
    settings = read_settings({"keys" if name == "keys" else "config": str(path)}).settings
    assert {name: getattr(settings, name) for name in means} == means


def test_a_projects_file_may_begin_with_a_mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".payment-sandbox.toml").write_bytes(MARK + b'key = "snd_my_project"\n')
    monkeypatch.chdir(tmp_path)
    project_file.cache_clear()
    try:
        assert project_file()["key"] == "snd_my_project"
    finally:
        project_file.cache_clear()


def test_a_server_cannot_be_told_to_stop_later_than_it_does() -> None:
    row, most = ROWS["shutdown_grace"], f"{round(MAX_GRACE_S * 1000)}ms"
    assert by_flag(row, most)[1].settings.shutdown_grace == MAX_GRACE_S
    with pytest.raises(SettingsRefused, match=f"from 0 to {most}"):
        by_flag(row, "2s")
