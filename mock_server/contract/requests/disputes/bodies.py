"""The bodies of disputes, their evidence and their files (facts §1.3, §1.6, §2.5)."""

from __future__ import annotations

from typing import Any, Final

from marshmallow import fields

from mock_server.contract.requests.fields import Choice, Described, Flag, Text
from mock_server.contract.requests.schema import Body
from mock_server.domain import limits
from mock_server.domain.dispute import EVIDENCE_FILES, EVIDENCE_TEXTS
from mock_server.domain.evidence_file import PURPOSES

_F: Final = "facts §2.5"
_ID: Final = "dp_0123456789abcdefghij"


class RetrieveQuery(Body):
    """How to look at a dispute."""

    force_sync = Flag("Whether to ask the connector.", source="facts §1.3", example=True)


class NothingBody(Body):
    """Nothing to say: no body, `null` or `{}`."""


class FilePart(Described, fields.Raw):
    """A file of a multipart form."""

    wrong = "must be a file"


def _evidence() -> dict[str, Any]:
    texts = {name: Text("What you say.", most=limits.DESCRIPTION, source=_F) for name in EVIDENCE_TEXTS}
    files = {name: Text("The id of an uploaded file.", source=_F) for name in EVIDENCE_FILES}
    return {"dispute_id": Text("The dispute.", required=True, source=_F, example=_ID), **texts, **files}


EvidenceBody: Final = type("EvidenceBody", (Body,), {"__doc__": "What speaks against a dispute.", **_evidence()})


class DeleteBody(Body):
    """Which file to take back."""

    dispute_id = Text("The dispute.", required=True, source="facts §1.3", example=_ID)
    evidence_type = Choice(EVIDENCE_FILES, "Which kind.", required=True, source="facts §1.3", example="receipt")


class AttachForm(Body):
    """A file and what it shows, as a multipart form."""

    file = FilePart("The file.", source="facts §1.3")
    dispute_id = Text("The dispute.", source="facts §1.3", example=_ID)
    evidence_type = Choice(EVIDENCE_FILES, "What it shows.", required=True, source="facts §1.3", example="receipt")


class UploadForm(Body):
    """A file and what it is for, as a multipart form."""

    file = FilePart("The file.", source="facts §1.6")
    dispute_id = Text("The dispute.", source="facts §1.6", example=_ID)
    purpose = Text(f"What it is for: {', '.join(PURPOSES)}.", source="facts §1.6", example=PURPOSES[0])
