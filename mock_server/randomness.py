"""Random values: each is a function of (seed, name, kind, number).

Each kind of value has a stream of its own, so one more customer does not change the next payment's ID.
Source: decisions "Determinism" for seeds and names; the construction is ours.
"""

from __future__ import annotations

import secrets
from hashlib import blake2b
from typing import Final

ROOT_BYTES: Final = 32
DIGEST_BYTES: Final = 64
_DROPPED: Final = b"-"


def _table(signs: bytes) -> bytes:
    """How a byte becomes one of some characters with equal probability."""
    whole = 256 - 256 % len(signs)
    # Bytes after the last whole round would make the first characters more likely, so they are dropped.
    return bytes(signs[byte % len(signs)] for byte in range(whole)).ljust(256, _DROPPED)


_TOKEN: Final = _table(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
DIGITS: Final = _table(b"0123456789")


class Randomness:
    """The random streams of a workspace: with a seed the same in every run, else from a root that the system draws."""

    __slots__ = ("_keyed", "_streams", "root")

    def __init__(self, seed: str | None, name: str, *, root: bytes | None = None) -> None:
        self.root: Final = root or (secrets.token_bytes(ROOT_BYTES) if seed is None else _derive(seed, name))
        self._keyed = blake2b(key=self.root, digest_size=DIGEST_BYTES)
        self._streams: dict[str, blake2b] = {}

    @classmethod
    def from_root(cls, root: bytes) -> Randomness:
        """Return the streams of a snapshot's root."""
        return cls(None, "", root=root)

    def token(self, kind: str, number: int, length: int = 20, table: bytes = _TOKEN) -> str:
        """Return letters and digits, as in IDs and secrets."""
        stream = (self._streams.get(kind) or self._begun(kind)).copy()  # as `_digest` does, without a call
        stream.update(b"%d" % number)
        signs = stream.digest().translate(table).replace(_DROPPED, b"")  # `translate` drops them slowly
        block = 0
        while len(signs) < length:
            block += 1
            signs += self._digest(kind, number, block).translate(table).replace(_DROPPED, b"")
        return signs[:length].decode("ascii")

    def digits(self, kind: str, number: int, length: int) -> str:
        """Return decimal digits; the first may be a zero."""
        return self.token(kind, number, length, DIGITS)

    def hex(self, kind: str, number: int, length: int = 32) -> str:
        """Return lower-case hexadecimal digits, at most 128."""
        if length > 2 * DIGEST_BYTES:
            raise ValueError(f"at most {2 * DIGEST_BYTES} hexadecimal digits")
        return self._digest(kind, number).hex()[:length]

    def uniform(self, kind: str, subject: str, number: int) -> float:
        """Return a number in [0, 1) for the number-th draw of this subject."""
        stream = self._begun(kind).copy()
        subject_bytes = subject.encode("utf-8", "surrogatepass")
        stream.update(b"%d:%b%d" % (len(subject_bytes), subject_bytes, number))
        return (int.from_bytes(stream.digest()[:7]) >> 3) / (1 << 53)

    def sha_key(self, kind: str) -> bytes:
        """Return 32 secret bytes, such as the key of the workspace's card fingerprints."""
        return self._digest(f"key:{kind}", 0)[:32]

    def _digest(self, kind: str, number: int, block: int = 0) -> bytes:
        stream = (self._streams.get(kind) or self._begun(kind)).copy()
        stream.update(b"%d" % number if block == 0 else b"%d/%d" % (number, block))
        return stream.digest()

    def _begun(self, kind: str) -> blake2b:
        """Return the hash after it has read the kind, to be copied; there are few kinds, so all are kept."""
        begun = self._streams.get(kind)
        if begun is None:
            begun = self._keyed.copy()
            begun.update(_framed(kind))
            self._streams[kind] = begun
        return begun


def _derive(seed: str, name: str) -> bytes:
    return blake2b(_framed(seed) + _framed(name), digest_size=ROOT_BYTES, person=b"payment-sandbox").digest()


def _framed(text: str) -> bytes:
    """Return the text after its length, so that different pairs of texts give different bytes."""
    encoded = text.encode("utf-8", "surrogatepass")
    return b"%d:%b" % (len(encoded), encoded)
