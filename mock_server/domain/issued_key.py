"""Issued keys: those that a merchant creates, and those of one customer for an hour (facts §1.0)."""

from __future__ import annotations

from hashlib import blake2b
from typing import ClassVar, NamedTuple

from mock_server.domain.records import Record

NEVER = "never"
"""The `expiration` of a key that does not expire."""


class IssuedKey(Record, frozen=True, kw_only=True):
    """One key; its text is only in the answer to its create, afterwards its beginning is shown."""

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
    """The body of create and update; `expires_at` in ms, `never`: the key does not expire."""

    name: str | None = None
    description: str | None = None
    expires_at: int | None = None
    never: bool = False


class Opens(NamedTuple):
    """What an issued key opens: the place of a workspace, and until when."""

    place: str
    expires_at: int | None = None
    revoked: bool = False


class EphemeralKey(Record, frozen=True, kw_only=True):
    """One key; of its text only the `digest` is stored, and `secret` is only in the answer to its create."""

    HIDDEN: ClassVar = frozenset({"secret"})

    key_id: str
    customer_id: str
    digest: str
    created_at: int
    expires_at: int
    merchant_id: str = ""
    secret: str | None = None


_TAG_DIGITS = 8


def tag_of(merchant_id: str) -> str:
    """The first digits of every key of a merchant."""
    return blake2b(merchant_id.encode(), digest_size=_TAG_DIGITS // 2, person=b"ephemeral").hexdigest()


def tag_in(rest: str) -> str:
    """The tag that a key's text begins with."""
    return rest[:_TAG_DIGITS]


def rest_of(tag: str, random: str) -> str:
    """A key's text after its prefix: a version 4 UUID of a tag and 32 random hexadecimal digits."""
    variant = "89ab"[int(random[15], 16) % 4]
    return f"{tag}-{random[:4]}-4{random[4:7]}-{variant}{random[7:10]}-{random[16:28]}"
