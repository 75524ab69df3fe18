"""Evicted workspaces, for log, dashboard and 404s: the last ten thousand, by digests, until all is reset."""

from __future__ import annotations

import logging
import math
from hashlib import blake2b
from typing import Final

from msgspec import Struct, structs

from mock_server.clock import Clock
from mock_server.domain.instants import iso
from mock_server.metrics import EVICTED, NOT_RECORDED, Counts
from mock_server.store.space import Space
from mock_server.store.transaction import Transaction

MOST: Final = 10_000
SAID_EVERY_S: Final = 1.0
"""The log reports at most one in this number of seconds, so that an unread log does not fill with them (ours)."""
NUMBER: Final = "evictions"
FACTS: Final = "evicted:"
ORDER: Final = "evicted_as:"
_LOG: Final = logging.getLogger("mock_server.sandbox")


class Eviction(Struct, frozen=True):
    """One evicted workspace: when (ms, real time), whose, for whose, and how many workspaces the server keeps."""

    number: int
    at: int
    merchant_id: str
    newcomer: str
    kept: int

    @property
    def when(self) -> str:
        return iso(self.at)

    @property
    def text(self) -> str:
        """The sentence for a call that looks for its data."""
        return (
            f"This workspace was evicted at {self.when}, with all its data, to make room for a new one: the server "
            f"keeps no more than its setting workspaces, {self.kept}, and this one was idle longest."
        )


class Evictions(Struct, eq=False):
    """A server's evictions."""

    _kept: int
    _clock: Clock
    _counts: Counts
    _server: Space
    _said_s: float = -math.inf

    def keep(self, space_name: str, merchant_id: str, newcomer: str) -> None:
        """Records that a workspace was evicted for that of another merchant, and logs it."""
        digests = [_digest(space_name), _digest(merchant_id)]
        at = self._clock.now_ms()

        def keep(tx: Transaction) -> None:
            number = tx.add(NUMBER)
            eviction = Eviction(number, at, merchant_id, newcomer, self._kept)
            for digest in digests:
                tx.set_fact(FACTS + digest, structs.asdict(eviction))
            tx.set_fact(f"{ORDER}{number}", digests)
            _forget(tx, number - MOST)

        try:
            self._server.transact(keep)
        except Exception:  # the call for which it was evicted goes on
            _LOG.exception("the eviction of %s could not be recorded", merchant_id)
            self._counts.add(NOT_RECORDED, "eviction")
        now, so_far = self._clock.monotonic(), self._counts.add(EVICTED)
        if now - self._said_s >= SAID_EVERY_S:
            self._said_s = now
            why = "the server keeps %d (setting workspaces), and it was idle longest"
            text = f"workspace %s was evicted for %s: {why}; %d evicted so far"
            _LOG.warning(text, merchant_id, newcomer, self._kept, so_far)

    def find(self, name: str) -> Eviction | None:
        """The last eviction from a space, or of a merchant's workspace, because links only contain the merchant id."""
        fact = self._server.fact(FACTS + _digest(name))
        return None if fact is None else Eviction(**fact)

    def forget(self, space_name: str) -> None:
        """Deletes it, because a reset makes a fresh start."""
        if (found := self.find(space_name)) is not None:
            self._server.transact(lambda tx: _forget(tx, found.number))

    def last(self, most: int) -> list[Eviction]:
        """The newest evictions that are still kept, the newest first; of one space the last alone."""

        def last(tx: Transaction) -> list[Eviction]:
            newest = tx.counter(NUMBER)
            kept = (tx.fact(f"{ORDER}{number}") for number in range(newest, max(0, newest - most), -1))
            facts = {digests[0]: tx.fact(FACTS + digests[0]) for digests in kept if digests}
            return [Eviction(**fact) for fact in facts.values() if fact]

        return self._server.transact(last)


def _forget(tx: Transaction, number: int) -> None:
    """Deletes an eviction, unless the same workspace was evicted again since then."""
    for digest in tx.fact(f"{ORDER}{number}") or ():
        if (fact := tx.fact(FACTS + digest)) is not None and fact["number"] == number:
            tx.set_fact(FACTS + digest, None)
    tx.set_fact(f"{ORDER}{number}", None)


def _digest(space_name: str) -> str:
    return blake2b(space_name.encode(), digest_size=8, person=b"evicted").hexdigest()
