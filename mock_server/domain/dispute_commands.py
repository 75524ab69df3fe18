"""What a caller can ask about disputes and their evidence, as frozen imperatives (facts §1.3, §2.5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from msgspec import Struct, field

from mock_server.domain.evidence_file import Upload
from mock_server.domain.records import Discreet


class RetrieveDispute(Struct, frozen=True, kw_only=True):
    """The query of a dispute retrieve."""

    force_sync: bool = False


class SubmitEvidence(Discreet, frozen=True, kw_only=True):
    """What the merchant says and shows; `files` holds ids of uploaded files by evidence type."""

    HIDDEN: ClassVar = frozenset({"texts"})

    dispute_id: str
    texts: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)


class DeleteEvidence(Struct, frozen=True, kw_only=True):
    """Take one file back."""

    dispute_id: str
    evidence_type: str


class UploadFile(Discreet, frozen=True, kw_only=True):
    """Keep a file for a dispute."""

    HIDDEN: ClassVar = frozenset({"file"})

    dispute_id: str
    purpose: str
    file: Upload


class AttachEvidence(Discreet, frozen=True, kw_only=True):
    """Keep a file as one kind of evidence."""

    HIDDEN: ClassVar = frozenset({"file"})

    dispute_id: str
    evidence_type: str
    file: Upload
