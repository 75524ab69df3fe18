"""An uploaded file (facts §1.6, §2.5). Instants in ms UTC."""

from __future__ import annotations

from typing import ClassVar, Final

from mock_server.domain.records import Discreet, Record

PURPOSES: Final = ("dispute_evidence",)
FILE_TYPES: Final = ("application/pdf", "image/jpeg", "image/png")
"""What a bank takes as evidence (ours, after what the large processors take)."""

EVIDENCE: Final = "evidence"
"""What files are weighed as."""
NAME_MAX: Final = 255
_OWN_FIRST_BYTE: Final = b"="


class Upload(Discreet, frozen=True):
    """A file as it came in: the name that its sender gave it, its content type, and its bytes."""

    HIDDEN: ClassVar = frozenset({"content"})

    name: str | None
    type: str | None
    content: bytes


class EvidenceFile(Record, frozen=True, kw_only=True):
    """A file that is kept; once deleted, what it was stays known and `kept` is empty.

    `kept` begins with a byte of our own: no stranger's bytes may read as a sealed record.
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
        """Whether its bytes are still here."""
        return self.kept != b""

    @property
    def content(self) -> bytes:
        """The bytes as they were uploaded."""
        return self.kept[len(_OWN_FIRST_BYTE) :]


def as_kept(content: bytes) -> bytes:
    """What a record keeps of a file's bytes."""
    return _OWN_FIRST_BYTE + content
