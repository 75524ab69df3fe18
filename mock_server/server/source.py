"""An app's lazy body, on the side where the app makes it: a pool thread takes pieces ahead of the client."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextvars import Context
from typing import Final, NamedTuple

TAKEN_AHEAD: Final = 262_144
"""So many bytes of a body are taken from the app before the client has taken them."""


class Taken(NamedTuple):
    """The bytes made since the last look, whether nobody is making more, and whether there is no more."""

    data: bytes
    is_idle: bool
    is_finished: bool


class Source:
    """One lazy body. It is worked in the context in which the app was called, by one thread at a time."""

    __slots__ = (
        "_abandoned",
        "_busy",
        "_context",
        "_iterable",
        "_iterator",
        "_lock",
        "_pieces",
        "_size",
        "error",
        "is_finished",
    )

    def __init__(self, iterable: Iterable[bytes], context: Context) -> None:
        self._iterable = iterable
        self._iterator: Iterator[bytes] | None = None
        self._context = context
        self._lock = threading.Lock()
        self._pieces: list[bytes] = []
        self._size = 0
        self._busy = self._abandoned = False
        self.is_finished = False
        """Whether the app makes no more."""
        self.error: Exception | None = None
        """What the app raised instead of going on."""

    def begin(self) -> None:
        """Note that a thread is on its way to `work`."""
        self._busy = True

    def work(self, tell: Callable[[], object], ahead: float = TAKEN_AHEAD) -> None:
        """Take pieces until `ahead` bytes wait, calling `tell` for the first of them and at the end."""
        finished = True
        try:
            finished = self._context.run(self._take, tell, ahead)
        except Exception as error:
            self.error = error
        with self._lock:
            self._busy = False
            self.is_finished = finished
            mine_to_close = finished or self._abandoned
        tell()
        if mine_to_close:
            self.close()

    def look(self) -> Taken:
        """Take what was made since the last look."""
        with self._lock:
            data = b"".join(self._pieces)
            self._pieces.clear()
            self._size = 0
            return Taken(data, not self._busy, self.is_finished)

    def abandon(self) -> bool:
        """Want no more; true if the caller has to `close`, because nobody works on it now."""
        with self._lock:
            self._abandoned = True
            mine_to_close = not self._busy and not self.is_finished
            self.is_finished = self.is_finished or mine_to_close
            return mine_to_close

    def close(self) -> None:
        """Tell the app that its iterable is not needed any more, as PEP 3333 wants it."""
        self._context.run(close_iterable, self._iterable)

    def _take(self, tell: Callable[[], object], ahead: float) -> bool:
        """Return whether the app has no more."""
        if self._iterator is None:
            self._iterator = iter(self._iterable)
        return all(not piece or self._put(piece, tell, ahead) for piece in self._iterator)

    def _put(self, piece: bytes, tell: Callable[[], object], ahead: float) -> bool:
        """Lay a piece out for the loop; false when that is enough for now."""
        whole = bytes(piece)  # the same object, or an error here on the app's side
        with self._lock:
            self._pieces.append(whole)
            self._size += len(piece)
            is_first = len(self._pieces) == 1
        if is_first:
            tell()
        return self._size < ahead and not self._abandoned


def close_iterable(iterable: Iterable[bytes]) -> None:
    """Call the iterable's `close`, if it has one."""
    ending = getattr(iterable, "close", None)
    if ending is not None:
        ending()
