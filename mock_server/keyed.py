"""HMAC-SHA-256 under a key that is used many times: its two pads are hashed once (RFC 2104).

`hmac.digest` looks its algorithm up each time, which takes five times as long as to digest a short text.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

_BLOCK: Final = 64
_INNER: Final = bytes(byte ^ 0x36 for byte in range(256))
_OUTER: Final = bytes(byte ^ 0x5C for byte in range(256))


class Keyed:
    """Digests of texts under one key."""

    __slots__ = ("_inner", "_outer")

    def __init__(self, key: bytes) -> None:
        padded = (sha256(key).digest() if len(key) > _BLOCK else key).ljust(_BLOCK, b"\0")
        self._inner = sha256(padded.translate(_INNER))
        self._outer = sha256(padded.translate(_OUTER))

    def digest(self, message: bytes) -> bytes:
        """The message's HMAC-SHA-256."""
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(message)
        outer.update(inner.digest())
        return outer.digest()
