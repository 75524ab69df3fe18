"""The blocklist: its entries, its switch, and whether it blocks a card (facts §1.6, §8)."""

from __future__ import annotations

from mock_server.domain.blocklist import BIN_DIGITS, BlockKind, BlocklistEntry, key_of
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.paging import DEFAULT_LIMIT, Query
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import BLOCKS
from mock_server.store.transaction import Transaction

IN_FORCE = "blocklist_in_force"
"""The fact that there are entries and the list is switched on; without it, a confirmation looks at none."""
SWITCHED_OFF = "blocklist_off"


def add(tx: Transaction, context: CommandContext, kind: BlockKind, value: str) -> BlocklistEntry:
    """Blocks something. Refused as `feature_not_offered`, `blocklist_entry_exists`."""
    if kind is BlockKind.EXTENDED_CARD_BIN:
        why = f"{kind}: only the first {BIN_DIGITS} digits of a card are stored"
        raise Refusal(Cause.FEATURE_NOT_OFFERED, feature=why)
    block = BlocklistEntry(kind, value, context.now)
    if tx.has(BLOCKS, block.key):
        raise Refusal(Cause.BLOCKLIST_ENTRY_EXISTS)
    tx.put(BLOCKS, block)
    _note_state(tx)
    return block


def remove(tx: Transaction, context: CommandContext, kind: BlockKind, value: str) -> BlocklistEntry:
    """Unblocks something. Refused as `blocklist_entry_unknown`."""
    block = tx.get(BLOCKS, key_of(kind, value))
    if block is None:
        raise Refusal(Cause.BLOCKLIST_ENTRY_UNKNOWN)
    tx.remove(BLOCKS, block.key)
    _note_state(tx)
    return block


def page(
    tx: Transaction, context: CommandContext, kind: BlockKind | None = None, limit: int = DEFAULT_LIMIT, offset: int = 0
) -> tuple[BlocklistEntry, ...]:
    """Some of the entries, of one kind or of all, the newest first."""
    filters: dict[str, tuple[object, ...]] = {} if kind is None else {"kind": (kind.value,)}
    return tx.find(BLOCKS, Query(filters=filters, limit=limit, offset=offset)).items


def toggle(tx: Transaction, context: CommandContext, on: bool) -> bool:
    """Switches the blocklist on or off; it begins switched on (ours). Returns its new state."""
    tx.set_fact(SWITCHED_OFF, None if on else True)
    _note_state(tx)
    return on


def _note_state(tx: Transaction) -> None:
    tx.set_fact(IN_FORCE, True if tx.count(BLOCKS, Query()) and not tx.fact(SWITCHED_OFF) else None)


def blocks(tx: Transaction, number: str, fingerprint: str) -> bool:
    """Whether a card is blocked, by its number, of which the beginning is enough, or by its fingerprint."""
    keys = (key_of(BlockKind.CARD_BIN, number[:BIN_DIGITS]), key_of(BlockKind.FINGERPRINT, fingerprint))
    return any(tx.has(BLOCKS, key) for key in keys)
