"""The room that requests take while they come and are worked on: one bound for all connections together.

What fits into one reading of a socket and is answered at once is not counted: it takes no room for longer than that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mock_server.server.parser import Refused

if TYPE_CHECKING:
    from mock_server.server.connection import Connection


FULL: Final = "the requests that are coming take all the room there is"


class Room:
    """Who keeps how many bytes; all of it on the loop's thread."""

    __slots__ = ("_kept", "most", "taken")

    def __init__(self, most: int) -> None:
        self.most = most
        self._kept: dict[Connection, int] = {}
        self.taken = 0
        """How many bytes there are in all."""

    def keep(self, connection: Connection, size: int) -> None:
        """Note how many bytes an unfinished request takes by now; the largest go when that is too much for all."""
        self.taken += size - self._kept.get(connection, 0)
        self._kept[connection] = size
        while self.taken > self.most and connection.is_partial:
            self._largest().refuse(Refused(503, FULL))

    def leave(self, connection: Connection) -> None:
        """Note that a connection keeps nothing any more; again, this does nothing."""
        self.taken -= self._kept.pop(connection, 0)

    def _largest(self) -> Connection:
        """Return whose unfinished request takes most: so small calls go on while large ones fill the room."""
        return max((one for one in self._kept if one.is_partial), key=self._kept.__getitem__)
