"""Which key opens whose workspace, as far as keys were handed out (decisions "Keys and workspaces", Registry).

A fact for each key, found by the key's digest: it is looked at in every call, so it is one read without a transaction.
"""

from __future__ import annotations

from typing import Any, Final

from mock_server.domain.api_keys import ApiKey
from mock_server.domain.issued_key import IssuedKey, Opens
from mock_server.store.protocol import Transaction

FACTS: Final = "issued:"
"""What the names of the server's facts begin with that say what a key opens."""


def name_of(digest: str) -> str:
    """The name of a key's fact."""
    return FACTS + digest


def read(fact: Any) -> Opens | None:
    """What a fact says; None for a key that nobody handed out."""
    return None if fact is None else Opens(fact["place"], fact["expires_at"], fact["revoked"])


def open_with(tx: Transaction, digest: str, place: str, expires_at: int | None = None) -> None:
    """Lets a key open a place."""
    tx.set_fact(name_of(digest), {"place": place, "expires_at": expires_at, "revoked": False})


def revoke(tx: Transaction, key: IssuedKey | ApiKey) -> None:
    """A key that was handed out stays known, so that it opens nothing any more."""
    fact = tx.fact(name_of(key.digest))
    if fact is not None:
        tx.set_fact(name_of(key.digest), {**fact, "revoked": True})
