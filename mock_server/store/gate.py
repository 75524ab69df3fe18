"""A lock that tells a mistake from a wait: who has it and asks again would wait for himself."""

from __future__ import annotations

from threading import Lock, get_ident


class Gate:
    """Held by one thread at a time, for as long as work is pure; entering it twice is a programming error."""

    __slots__ = ("_lock", "_owner")

    def __init__(self) -> None:
        self._lock = Lock()
        self._owner = 0

    @property
    def is_held(self) -> bool:
        """Whether somebody is inside right now."""
        return self._owner != 0

    def __enter__(self) -> None:
        me = get_ident()
        if self._owner == me:
            raise RuntimeError("a space was used from within its own transaction")
        self._lock.acquire()
        self._owner = me

    def __exit__(self, *_: object) -> None:
        self._owner = 0
        self._lock.release()
