"""What keeps others from data and keys: permissions whatever the umask is, and addresses without passwords."""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from mock_server.lasting.datafile import DataFile, keep_private
from mock_server.settings import SettingsRefused, load

PIECES: Final = ("geheim77", "Wort88")
"""Two parts of a password, around a sign."""
SIGNS: Final = "@:/?#%&= \\'\"+[]"
ADDRESSES: Final = (
    *(
        "postgresql://shop:{}@127.0.0.1:1/state",
        "postgres://shop:{}@127.0.0.1:1/state",
        "postgresql://:{}@[::1]:1/state",
    ),
    *("postgresql://127.0.0.1:1/state?user=shop&password={}", "postgresql://shop:{}@/state?host=/nowhere&port=1"),
    *(
        "Postgresql://shop:{}@127.0.0.1:1/state",
        "mysql://shop:{}@127.0.0.1/state",
        "postgresql+psycopg://shop:{}@h/state",
    ),
    *("sqlite://shop:{}@/state", "postgresql://shop:{}@127.0.0.1:none/state", "postgresql://shop:{}@a,b:1,2:x/state"),
)


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o277, 0o777], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def test_a_data_file_and_those_beside_it_are_its_owners_alone(tmp_path: Path, umask: None) -> None:
    path = tmp_path / "state.sqlite"
    file = DataFile(str(path))
    modes = {one.name: oct(stat.S_IMODE(one.stat().st_mode)) for one in tmp_path.iterdir()}
    file.close()
    assert modes == dict.fromkeys(("state.sqlite", "state.sqlite-wal"), "0o600")


def test_one_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    DataFile(str(path)).close()
    for name in ("state.sqlite", "state.sqlite-wal", "state.sqlite-shm"):
        (tmp_path / name).touch()
        (tmp_path / name).chmod(0o644)
    DataFile(str(path)).close()
    assert {stat.S_IMODE(one.stat().st_mode) for one in tmp_path.iterdir()} <= {0o600}


def test_a_file_of_another_owner_is_used_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    foreign = Path("/proc/self/status")  # nobody can change its permissions
    with caplog.at_level(logging.WARNING):
        keep_private(foreign)
    assert "others may be able to read /proc/self/status" in caplog.text


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("address", ADDRESSES)
def test_no_message_has_a_part_of_the_password(address: str, sign: str) -> None:
    pytest.importorskip("psycopg")
    said = "\n".join(messages(address.format(sign.join(PIECES))))
    assert said
    for piece in PIECES:
        assert piece not in said, said


def messages(url: str) -> list[str]:
    """What the settings, and then the connection, say of an address."""
    from mock_server.lasting.batches import DataLost
    from mock_server.lasting.lines import DatabaseLine, label

    try:
        load({"data": url}, {}, lambda path: "")
    except SettingsRefused as refused:
        return list(refused.mistakes)
    line = DatabaseLine(url, "test")
    try:
        line.all("SELECT 1")
    except DataLost as wrong:
        return [label(url), str(wrong)]
    finally:
        line.close()
    return [label(url)]
