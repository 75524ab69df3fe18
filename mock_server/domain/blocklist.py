"""What is blocked: a card, or all cards whose numbers begin alike (facts §1.6, §8)."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from mock_server.domain.instants import Instant
from mock_server.domain.records import Record

BIN_DIGITS: Final = 6
"""How many digits of a number are stored, and can be blocked (decisions "Cards")."""


class BlockKind(StrEnum):
    """What an entry is compared with."""

    CARD_BIN = "card_bin"
    FINGERPRINT = "fingerprint"
    EXTENDED_CARD_BIN = "extended_card_bin"


SHOWN_AS: Final = {
    BlockKind.CARD_BIN: "card_bin",
    BlockKind.EXTENDED_CARD_BIN: "extended_card_bin",
    BlockKind.FINGERPRINT: "payment_method",
}
"""The kinds of entries in answers (ours, after the public API)."""

KINDS_IN: Final = {**{shown: kind for kind, shown in SHOWN_AS.items()}, **{kind.value: kind for kind in BlockKind}}


class BlocklistEntry(Record, frozen=True):
    """One entry: the first six digits of a number, or a card's fingerprint."""

    kind: BlockKind
    value: str
    created_at: Instant

    @property
    def key(self) -> str:
        """The entry's key in the store."""
        return key_of(self.kind, self.value)


def key_of(kind: BlockKind, value: str) -> str:
    """The key of the entry of a kind and value."""
    return f"{kind}:{value}"
