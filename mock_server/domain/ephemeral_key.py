"""A key that a browser uses for one customer's record and methods, for an hour (facts §2.8).

Its text is `epk_` and a UUID (facts §2.10) that begins with the tag of the merchant who issued it: so the server
finds the workspace to ask without remembering every key.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import ClassVar

from mock_server.domain.records import Record


class EphemeralKey(Record, frozen=True, kw_only=True):
    """One key; of its text only the `digest` is kept, `secret` is there in the answer to its create alone."""

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
    """A key's text behind its prefix: a version 4 UUID of a tag and 32 random hexadecimal digits."""
    variant = "89ab"[int(random[15], 16) % 4]
    return f"{tag}-{random[:4]}-4{random[4:7]}-{variant}{random[7:10]}-{random[16:28]}"
