"""Idempotency keys: claims with an expiry, stored answers, and limits on their number and size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from mock_server.store import records
from mock_server.store.byte_bounds import LINE, ByteCounter
from mock_server.store.protocol import Claim

_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(tuple[int, str, bytes, int, bytes | None]).decode
_Held = tuple[int, str, bytes, int, bytes | None]
"""Turn, owner, digest, expires_at, and the packed answer once there is one."""
BEGAN: Final = -1
"""A time at which nothing has expired, for use without the workspace's time."""


class Claims:
    """Claims by key, each with its sequence number; over the limit, the oldest are dropped first.

    A claim of a call in progress is never dropped: there are no more of those than calls.
    """

    __slots__ = ("_bound", "_first", "_next", "_turns", "byte_counter", "evicted", "held")

    def __init__(self, bound: int, byte_counter: ByteCounter | None = None) -> None:
        self._bound = bound
        self.byte_counter = ByteCounter() if byte_counter is None else byte_counter
        self._first = 0
        self._next = 0
        self._turns: dict[int, str] = {}
        self.held: dict[str, bytes] = {}
        self.evicted = 0

    def claim(self, key: str, owner: str, digest: bytes, now: int, expires_at: int) -> Claim | None:
        """Claims a key (its owner can repeat this), or returns the existing claim."""
        kept = self.held.get(key)
        if kept is not None:
            turn, holder, held_digest, ends, answer = _unpack(kept)
            if ends > now and (holder != owner or answer is not None):
                return Claim(holder, held_digest, ends, None if answer is None else records.unpack(answer))
            self._let_go(turn, key)
        self._put(key, owner, digest, expires_at, None)
        if len(self.held) > self._bound or self.byte_counter.is_over:
            self._evict(now, self.byte_counter.most)
        return None

    def settle(self, key: str, owner: str, answer: Any) -> bool:
        """Stores the owner's answer; False if the owner no longer has the key."""
        mine = self._open(key, owner)
        if mine is None:
            return False
        kept = _pack((*mine[:4], records.pack(answer)))
        self.byte_counter.here += len(kept) - len(self.held[key])
        self.held[key] = kept
        if self.byte_counter.is_over:
            self._evict(BEGAN, self.byte_counter.most)
        return True

    def release(self, key: str, owner: str) -> bool:
        """Releases the key; False if the owner does not have it, or if it has an answer."""
        mine = self._open(key, owner)
        if mine is None:
            return False
        self._let_go(mine[0], key)
        return True

    def load(self, key: str, claim: Claim) -> None:
        """Loads an answered claim from a dump."""
        self._put(key, claim.owner, claim.digest, claim.expires_at, records.pack(claim.answer))

    def turn_of(self, kept: bytes) -> int:
        """The sequence number of a stored claim."""
        return _unpack(kept)[0]

    def take(self, key: str, kept: bytes) -> bool:
        """Loads a stored claim, in order of sequence numbers; False for one that nobody can finish."""
        turn, _, _, _, answer = _unpack(kept)
        if answer is None:
            return False
        self._turns[turn] = key
        self._next = max(self._next, turn + 1)
        self.held[key] = kept
        self.byte_counter.here += LINE + len(kept)
        return True

    def answered(self) -> Iterator[tuple[str, Claim]]:
        """Every answered claim, the oldest first."""
        for key in self._turns.values():
            _, owner, digest, ends, answer = _unpack(self.held[key])
            if answer is not None:
                yield key, Claim(owner, digest, ends, records.unpack(answer))

    def copy(self) -> Claims:
        """A separate copy of the claims."""
        twin = Claims(self._bound)
        twin._turns, twin.held, twin.evicted = self._turns.copy(), self.held.copy(), self.evicted
        return twin

    def containers(self) -> Iterator[Any]:
        """The large containers in it."""
        yield self.held
        yield self._turns

    def _put(self, key: str, owner: str, digest: bytes, expires_at: int, answer: bytes | None) -> None:
        turn = self._next
        self._next = turn + 1
        self._turns[turn] = key
        self.held[key] = kept = _pack((turn, owner, digest, expires_at, answer))
        self.byte_counter.here += LINE + len(kept)

    def _let_go(self, turn: int, key: str) -> None:
        del self._turns[turn]
        self.byte_counter.here -= LINE + len(self.held.pop(key))

    def _open(self, key: str, owner: str) -> _Held | None:
        kept = self.held.get(key)
        if kept is None:
            return None
        claim = _unpack(kept)
        return claim if claim[1] == owner and claim[4] is None else None

    def drop(self, until: int) -> None:
        """Drops the oldest answers until at most this number of bytes is left."""
        self._evict(BEGAN, until)

    def _evict(self, now: int, until: int) -> None:
        """Drops the oldest claims that are answered or expired; one in progress moves to the end of the queue."""
        last, stored = self._next, self.byte_counter
        while self._first < last and len(self.held) > 1 and (len(self.held) > self._bound or stored.here > until):
            turn, self._first = self._first, self._first + 1
            key = self._turns.get(turn)
            if key is None:
                continue
            _, owner, digest, ends, answer = _unpack(self.held[key])
            self._let_go(turn, key)
            if answer is None and ends > now:
                self._put(key, owner, digest, ends, None)
            else:
                self.evicted += 1
                stored.dropped += 1
