"""IDs: their prefixes, which a caller may choose, and those that are made of other IDs."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from mock_server.domain.limits import IDENTIFIER


class IdKind(NamedTuple):
    """One kind of generated ID: `prefix` and then `length` letters and digits."""

    name: str
    prefix: str
    source: str
    length: int = 20


_WIRE: Final = 'decisions "Words on the wire"'

ID_KINDS: Final = (
    IdKind("payment", "pay_", "interface §2.7"),
    IdKind("merchant", "mer_", "interface §2.7"),
    IdKind("customer", "cus_", "interface §2.7"),
    IdKind("profile", "pro_", "interface §2.7"),
    IdKind("refund", "ref_", _WIRE),
    IdKind("dispute", "dp_", _WIRE),
    IdKind("event", "evt_", _WIRE),
    IdKind("payment_method", "pm_", _WIRE),
    IdKind("mandate", "man_", _WIRE),
    IdKind("file", "file_", _WIRE),
    IdKind("payment_token", "token_", "facts §2.10"),
    IdKind("connector_account", "mca_", "facts §2.10"),
    IdKind("ephemeral_key", "epk_", "facts §2.10", 36),  # a version 4 UUID
    IdKind("ephemeral_key_record", "eki_", "ours"),
    IdKind("api_key_record", "key_", "ours"),
    IdKind("authorization", "auth_", "ours"),
    IdKind("connector_transaction", "txn_", "ours"),
    IdKind("connector_mandate", "cm_", "ours"),
    IdKind("request", "req_", "ours"),
    IdKind("report", "rep_", "ours"),
)

KINDS: Final = {kind.name: kind for kind in ID_KINDS}

RESERVED_WORDS: Final = frozenset({
    "list", "aggregate", "filter", "sync", "session_tokens", "profile", "redirect", "evidence", "accept",
    "list_with_count", "payment_methods", "v2",
})  # fmt: skip
"""Words of paths in places where an ID can be (decisions "Words on the wire"; of customers: ours)."""

_FOREIGN: Final = re.compile(r"[^A-Za-z0-9_-]", re.ASCII)


is_caller_id: Final = re.compile(rf"(?!(?:{'|'.join(RESERVED_WORDS)})\Z)[A-Za-z0-9_-]{{1,64}}", re.ASCII).fullmatch
"""Whether a caller may choose this id."""


def problem_of(text: str) -> str | None:
    """Why `text` cannot be a caller's ID, as a clause about the field; None if it can."""
    if not text:
        return "must not be empty"
    if len(text) > IDENTIFIER:
        return f"must have at most {IDENTIFIER} characters, not {len(text)}"
    foreign = _FOREIGN.search(text)
    if foreign is not None:
        position = foreign.start() + 1
        return f"may have letters, digits, _ and - only, not {foreign.group()!r} (character {position})"
    return f"must not be {text!r}, which is a word of this API's paths" if text in RESERVED_WORDS else None


SECRET: Final = "_secret_"
"""What is between the ID and the random part of a client secret."""


def owner_of_secret(secret: str) -> str:
    """The ID of a client secret's object; empty if the text is no client secret."""
    owner, middle, token = secret.rpartition(SECRET)
    return owner if middle and token else ""


def part_id(whole_id: str, number: int) -> str:
    """The id of a payment's attempt, or of an attempt's capture, numbered from 1 (facts §2.10)."""
    return f"{whole_id}_{number}"
