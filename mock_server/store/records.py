"""Records at rest: sealed bytes, which the garbage collector does not follow."""

from __future__ import annotations

from typing import TypeVar

from mock_server.store import seals
from mock_server.store.codec import codec_of
from mock_server.store.protocol import Kind

R = TypeVar("R")


def is_record(kept: bytes) -> bool:
    """Whether bytes are a record's compact form: no text begins as they do."""
    return kept.startswith((seals.SEALED, seals.NAMED))


def decode(kind: Kind[R], kept: bytes) -> R:
    """The record of what `Transaction.encoded` gave, in this process or before a dump; TypeError for another kind's."""
    if kept.startswith(seals.NAMED):
        return codec_of(kind.type).from_plain(seals.names(kept))
    record = seals.opened(kept)
    if not isinstance(record, kind.type):
        raise TypeError(f"a {type(record).__name__} is no {kind.name}")
    return record
