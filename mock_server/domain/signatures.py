"""Signatures of what leaves for the merchant: webhook bodies and return URLs (facts §6.2, §6.3)."""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from typing import Final

ALGORITHM: Final = "HMAC-SHA512"

Pair = tuple[str, str]


def signature(key: str, message: bytes) -> str:
    """The HMAC-SHA512 of a message under the bytes of a profile's response hash key, in lower-case hexadecimal."""
    return hmac.digest(key.encode(), message, "sha512").hex()


def query_message(pairs: Iterable[Pair]) -> bytes:
    """What is signed of a query: its pairs, unquoted, sorted, as k=v with & between them (facts §6.3)."""
    return "&".join(f"{name}={value}" for name, value in sorted(pairs)).encode()


def signed_pairs(pairs: Iterable[Pair], key: str) -> list[Pair]:
    """The pairs with their signature and its algorithm behind them."""
    signed = list(pairs)
    found = signature(key, query_message(signed))
    return [*signed, ("signature", found), ("signature_algorithm", ALGORITHM)]
