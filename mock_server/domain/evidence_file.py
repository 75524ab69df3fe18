"""An uploaded file (facts §1.6, §2.5). Instants in ms UTC."""

from __future__ import annotations

from typing import ClassVar, Final

from mock_server.domain.records import Discreet, Record

PURPOSES: Final = ("dispute_evidence",)
FILE_TYPES: Final = ("application/pdf", "image/jpeg", "image/png")
"""The content types of evidence (ours, as at the large processors)."""

EVIDENCE: Final = "evidence"
"""The name of the byte limit of files."""
NAME_MAX: Final = 255
_OWN_FIRST_BYTE: Final = b"="


class Upload(Discreet, frozen=True):
    """A file as it was sent: its name, its content type, and its bytes."""

    HIDDEN: ClassVar = frozenset({"content"})

    name: str | None
    type: str | None
    content: bytes


class EvidenceFile(Record, frozen=True, kw_only=True):
    """A stored file; after its deletion the record stays, and `kept` is empty.

    `kept` begins with a byte of our own, so that no uploaded bytes can pass for a stored record.
    """

    HIDDEN: ClassVar = frozenset({"kept"})

    file_id: str
    dispute_id: str
    purpose: str
    name: str
    type: str
    size: int
    created_at: int
    kept: bytes

    @property
    def available(self) -> bool:
        """Whether its bytes are still stored."""
        return self.kept != b""

    @property
    def content(self) -> bytes:
        """The bytes as they were uploaded."""
        return self.kept[len(_OWN_FIRST_BYTE) :]


def as_kept(content: bytes) -> bytes:
    """A file's bytes as a record stores them."""
    return _OWN_FIRST_BYTE + content
