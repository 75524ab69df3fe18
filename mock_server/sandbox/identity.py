"""Who a workspace is: its name, seed and streams, and the ids that follow from them (decisions "Determinism")."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, structs

from mock_server.domain import ids
from mock_server.randomness import ROOT_BYTES, Randomness

FACT = "identity"
DIALECT = "dialect"
"""The fact that names a workspace's own dialect; one without it speaks the server's."""


class Identity(Struct, frozen=True):
    """One workspace's identity; `root` is what its random streams come from, as hexadecimal digits."""

    name: str
    seed: str | None
    root: str
    merchant_id: str
    webhook_secret: str
    created_at: int

    def as_fact(self) -> dict[str, Any]:
        """What the store keeps of it."""
        return structs.asdict(self)

    def randomness(self) -> Randomness:
        """The workspace's streams."""
        return Randomness.from_root(bytes.fromhex(self.root))


def name_of(digest: str) -> str:
    """The name of the workspace that a key of this digest opens by itself; the key cannot be read from it."""
    return "w_" + digest


ADMIN_PLACE = "office"
"""The place of a workspace where calls count that are about no merchant yet."""
_MERCHANT = "m_"


def place_of(merchant_id: str) -> str:
    """Where the workspace of a merchant is that a set-up script made."""
    return _MERCHANT + merchant_id


def merchant_at(place: str) -> str | None:
    """The merchant whose place this is; None where a key opened it by itself."""
    return place.removeprefix(_MERCHANT) if place.startswith(_MERCHANT) else None


def make(
    name: str, seed: str | None, now: int, webhook_secret: str | None = None, merchant_id: str | None = None
) -> Identity:
    """A new workspace's identity: merchant id and webhook secret follow from the name in every run."""
    merchant = ids.KINDS["merchant"]
    return Identity(
        name=name,
        seed=seed,
        root=Randomness(seed, name).root.hex(),
        merchant_id=merchant_id or merchant.prefix + Randomness("merchant", name).token("merchant", 0, merchant.length),
        webhook_secret=webhook_secret or Randomness("webhook_secret", name).token("webhook_secret", 0, 64),
        created_at=now,
    )


def read(fact: dict[str, Any]) -> Identity:
    """The identity that a fact stands for."""
    return Identity(**fact)


def check(fact: object) -> None:
    """TypeError or ValueError where this cannot be the identity of a workspace."""
    if not isinstance(fact, dict):
        raise TypeError("is missing")
    made = Identity(**fact)
    for field in ("name", "root", "merchant_id", "webhook_secret"):
        if not isinstance(getattr(made, field), str):
            raise TypeError(f"{field} is not a string")
    if len(bytes.fromhex(made.root)) != ROOT_BYTES or not isinstance(made.created_at, int):
        raise ValueError("it is damaged")
