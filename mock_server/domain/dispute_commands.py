"""What a caller can ask about disputes and their evidence, as frozen imperatives (facts §1.3, §2.5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from mock_server.domain.evidence_file import Upload
from mock_server.domain.values import frozen


@frozen(kw_only=True)
class RetrieveDispute:
    """The query of a dispute retrieve."""

    force_sync: bool = False


@frozen(kw_only=True)
class SubmitEvidence:
    """What the merchant says and shows; `files` holds ids of uploaded files by evidence type."""

    dispute_id: str
    texts: Mapping[str, str] = field(default_factory=dict, repr=False)
    files: Mapping[str, str] = field(default_factory=dict)


@frozen(kw_only=True)
class DeleteEvidence:
    """Take one file back."""

    dispute_id: str
    evidence_type: str


@frozen(kw_only=True)
class UploadFile:
    """Keep a file for a dispute."""

    dispute_id: str
    purpose: str
    file: Upload = field(repr=False)


@frozen(kw_only=True)
class AttachEvidence:
    """Keep a file as one kind of evidence."""

    dispute_id: str
    evidence_type: str
    file: Upload = field(repr=False)
