"""An entry of the blocklist as answers show it (ours, after the public API)."""

from __future__ import annotations

from mock_server.contract.answers.fields import Field, Shape, at, plain
from mock_server.contract.dialect import Dialect
from mock_server.domain.blocklist import SHOWN_AS, BlocklistEntry

_F, _S, _O = "ours", "string", "object"

BLOCK: Shape[BlocklistEntry] = Shape(
    Field("fingerprint_id", plain("value"), _S, _F, nullable=False),
    Field("data_kind", lambda block, d: SHOWN_AS[block.kind], _S, _F, nullable=False),
    Field("metadata", None, _O, _F),
    Field("created_at", at("created_at"), _S, _F, nullable=False),
)


def block(record: BlocklistEntry, dialect: Dialect) -> dict[str, object]:
    """The entry's fields in their documented order."""
    return BLOCK.of(record, dialect)


def switch(on: bool) -> dict[str, object]:
    """How the blocklist stands."""
    return {"blocklist_guard_status": "enabled" if on else "disabled"}
