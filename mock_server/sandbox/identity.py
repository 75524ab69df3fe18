"""A workspace's identity: name, seed, random streams, and the ids that follow from them (decisions "Determinism")."""

from __future__ import annotations

from msgspec import Struct

from mock_server.domain import ids
from mock_server.domain.instants import Instant
from mock_server.randomness import ROOT_BYTES, Randomness

FACT = "identity"
DIALECT = "dialect"
"""The fact with a workspace's own dialect; without it, the server's applies."""


class Identity(Struct, frozen=True):
    """One workspace's identity; `root` is the base of its random streams, as hexadecimal digits."""

    name: str
    seed: str | None
    root: str
    merchant_id: str
    webhook_secret: str
    created_at: Instant

    def randomness(self) -> Randomness:
        return Randomness.from_root(bytes.fromhex(self.root))


OF_KEYS = "w_"
"""With the digest of a key, the name of its space; the key cannot be derived from it."""
ADMIN_PLACE = "office"
"""The space of calls that are about no merchant yet."""
_MERCHANT = "m_"


def space_of(merchant_id: str) -> str:
    """The name of the space of a merchant that a setup script created."""
    return _MERCHANT + merchant_id


def merchant_at(space_name: str) -> str | None:
    """The merchant of this space; None if it is that of a key."""
    return space_name.removeprefix(_MERCHANT) if space_name.startswith(_MERCHANT) else None


def make(
    name: str, seed: str | None, now: int, webhook_secret: str | None = None, merchant_id: str | None = None
) -> Identity:
    """A new workspace's identity: merchant id and webhook secret follow from the name and are the same in every run."""
    merchant = ids.KINDS["merchant"]
    return Identity(
        name=name,
        seed=seed,
        root=Randomness(seed, name).root.hex(),
        merchant_id=merchant_id or merchant.prefix + Randomness("merchant", name).token("merchant", 0, merchant.length),
        webhook_secret=webhook_secret or Randomness("webhook_secret", name).token("webhook_secret", 0, 64),
        created_at=now,
    )


def check(own: Identity) -> None:
    """ValueError if this cannot be the identity of a workspace."""
    if len(bytes.fromhex(own.root)) != ROOT_BYTES:
        raise ValueError("its root is damaged")
