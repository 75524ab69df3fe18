"""Clients that knock while there is no room for them."""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator
from typing import Any, Final

import pytest

from mock_server.server.loop import Loop
from mock_server.server.server import RETRY_S, ListeningSocket
from tests.clocks import ManualClock

TURNS: Final = 20
PAUSE_MS: Final = int(RETRY_S * 1000) + 1


class Door(socket.socket):
    """A listening socket for which the system can be out of descriptors."""

    is_full = True
    asked = 0

    def accept(self) -> tuple[socket.socket, Any]:
        self.asked += 1
        if self.is_full:
            raise OSError(errno.EMFILE, "Too many open files")
        return super().accept()


@pytest.fixture
def door() -> Iterator[Door]:
    with Door() as made:
        made.bind(("127.0.0.1", 0))
        made.listen()
        made.setblocking(False)
        yield made


def test_the_door_stays_shut_for_a_moment_when_there_is_no_room(door: Door) -> None:
    clock, logged, came = ManualClock(), [], []
    loop = Loop(clock, lambda error: pytest.fail(str(error)))
    listener = ListeningSocket(door, loop, lambda text, _: logged.append(text), lambda sock, _: came.append(sock))
    listener.open()

    def turn() -> None:
        for _ in range(TURNS):
            loop.soon(lambda: None)  # or it would wait for somebody
            loop._turn()

    with socket.create_connection(door.getsockname()), socket.create_connection(door.getsockname()):
        turn()
        assert door.asked == 1  # and not once a turn
        for _ in range(3):
            clock.advance(PAUSE_MS)
            turn()
        assert door.asked == 4
        assert len(logged) == 1  # as long as it lasts
        door.is_full = False
        clock.advance(PAUSE_MS)
        turn()
        assert len(came) == 2
        door.is_full = True
        with socket.create_connection(door.getsockname()):
            turn()
            assert len(logged) == 2
    for sock in came:
        sock.close()
    loop.close()


def test_a_client_that_cannot_be_watched_is_let_go(door: Door) -> None:
    door.is_full = False
    loop = Loop(ManualClock(), lambda error: pytest.fail(str(error)))
    turned_away = []

    def welcome(sock: socket.socket, _: dict[str, Any]) -> None:
        turned_away.append(sock)
        raise OSError(errno.ENOSPC, "No space left on device")

    listener = ListeningSocket(door, loop, lambda text, error: None, welcome)
    listener.open()
    with socket.create_connection(door.getsockname()) as client:
        loop._turn()
        assert client.recv(1) == b""
    assert [sock.fileno() for sock in turned_away] == [-1]
    loop.close()
