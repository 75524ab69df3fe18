"""An api key that a set-up script had issued for a merchant (facts §1.5, §2.8)."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from mock_server.domain.records import Record


class IssuedKey(Record, frozen=True, kw_only=True):
    """One key; its text is there in the answer to its create alone, afterwards the beginning of it."""

    HIDDEN: ClassVar = frozenset({"secret"})

    key_id: str
    merchant_id: str
    name: str
    prefix: str
    digest: str
    created_at: int
    description: str | None = None
    expires_at: int | None = None
    secret: str | None = None


class KeyFields(NamedTuple):
    """What a create or an update says of a key; `expires_at` in ms, and `never` where it shall not expire."""

    name: str | None = None
    description: str | None = None
    expires_at: int | None = None
    never: bool = False


class Opens(NamedTuple):
    """What the registry knows of a key that was handed out: whose workspace it opens, and until when."""

    place: str
    expires_at: int | None = None
    revoked: bool = False
