"""Whatever a database says of its user, in whatever words, no message of ours names it."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from contextlib import closing, suppress
from threading import Thread
from typing import Final
from urllib.parse import quote

import pytest

from mock_server.lasting.batches import DataLost
from mock_server.lasting.lines import DatabaseLine

USERS: Final = ("owner_of_shop", "o'neil-2", "Müller", "a.b+c", "two words", 'quo"ted')
SAID: Final = (
    'password authentication failed for user "{}"', 'role "{}" does not exist', 'role "{}" is not permitted to log in',
    'too many connections for role "{}"', 'database "{}" does not exist', 'User "{}" has no password assigned.',
    'Peer authentication failed for user "{}"', 'Rolle »{}« existiert nicht', "le rôle « {} » n'existe pas",
    'no pg_hba.conf entry for host "10.0.0.1", user "{}", database "{}", no encryption', "no such user: {}",
    "ロール\"{}\"は存在しません", "{} is locked",
)  # fmt: skip
"""What PostgreSQL in several languages, and a pooler in front of it, say as they refuse a connection."""
ASKS_FOR_ENCRYPTION: Final = (80_877_103, 80_877_104)


class Refusing:
    """A database that refuses every connection with its text."""

    def __init__(self) -> None:
        self.text = ""
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._thread = Thread(target=self._refuse)
        self._thread.start()

    def _refuse(self) -> None:
        while True:
            with self._listener.accept()[0] as line, suppress(OSError):
                while code := self._read(line):
                    if code in ASKS_FOR_ENCRYPTION:
                        line.sendall(b"N")
                        continue
                    fields = b"".join(part.encode() + b"\0" for part in ("SFATAL", "C28000", f"M{self.text}", ""))
                    line.sendall(b"E" + struct.pack("!i", len(fields) + 4) + fields)
                    break
                else:
                    return

    @staticmethod
    def _read(line: socket.socket) -> int:
        """The code of a first message; 0 where there is none."""
        length, code = struct.unpack("!ii", line.recv(8, socket.MSG_WAITALL) or bytes(8))
        line.recv(max(length - 8, 0), socket.MSG_WAITALL)
        return int(code)

    def end(self) -> None:
        socket.create_connection(("127.0.0.1", self.port)).close()
        self._thread.join()
        self._listener.close()


@pytest.fixture(scope="module")
def refusing() -> Iterator[Refusing]:
    made = Refusing()
    yield made
    made.end()


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize(
    "written", ["postgresql://{}:pw@127.0.0.1:{}/state", "postgresql://127.0.0.1:{1}/state?user={0}"]
)
def test_no_message_names_the_user_of_the_address(refusing: Refusing, user: str, written: str) -> None:
    told = [message(refusing, said.replace("{}", user), written.format(quote(user), refusing.port)) for said in SAID]
    assert [one for one in told if user in one] == []
    assert all("cannot be reached" in one and "FATAL" in one for one in told)
    assert "is not permitted to log in" in told[2], "what the database says is shown"


def test_nor_that_of_the_environment(refusing: Refusing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGUSER", "owner_of_shop")
    address = f"postgresql://127.0.0.1:{refusing.port}/state"
    assert "owner_of_shop" not in message(refusing, 'role "owner_of_shop" does not exist', address)


def message(refusing: Refusing, text: str, url: str) -> str:
    refusing.text = text
    with closing(DatabaseLine(url, "test")) as line, pytest.raises(DataLost) as lost:
        line.all("SELECT 1")
    return str(lost.value)
