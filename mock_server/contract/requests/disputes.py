"""The bodies of disputes, their evidence and their files (facts §1.3, §1.6, §2.5)."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from mock_server.contract.kinds.base import DROPPED, Json, Loaded
from mock_server.contract.kinds.objects import Body, OneOrMany
from mock_server.contract.kinds.texts import Choice, Text
from mock_server.contract.kinds.values import Anything, Flag
from mock_server.contract.requests.listing import Filters, StatusFilter, listing, moments
from mock_server.contract.requests.refunds import MONEY_FILTERS
from mock_server.contract.requests.shapes import Shape
from mock_server.domain import limits
from mock_server.domain.dispute import EVIDENCE_FILES, EVIDENCE_TEXTS, PURPOSES, SubmitEvidence, Upload
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.statuses import DisputeStage, DisputeStatus

_F: Final = "facts §2.5"
_L: Final = "facts §1.3"
_ID: Final = "dp_0123456789abcdefghij"


class DisputeQuery(Body, source=_L):
    """Options for retrieving a dispute."""

    force_sync = Flag("Accepted, but has no effect: answers come by themselves.", example=True, place=DROPPED)


class FilePart(Anything):
    """A file of a multipart form."""

    wrong = "must be a file"
    json_form: ClassVar[Json] = {"type": "string", "format": "binary"}


_EVIDENCE: Final[dict[str, Any]] = {
    "__doc__": "Evidence against a dispute.",
    "dispute_id": Text("ID of the dispute.", required=True, source=_F, example=_ID),
    **{name: Text("Text of the evidence.", most=limits.DESCRIPTION, source=_F) for name in EVIDENCE_TEXTS},
    **{name: Text("The ID of an uploaded file.", source=_F) for name in EVIDENCE_FILES},
}
EvidenceBody: Final = type("EvidenceBody", (Body,), _EVIDENCE)


class DeleteBody(Body, source=_L):
    """Evidence file to remove."""

    dispute_id = Text("ID of the dispute.", required=True, example=_ID)
    evidence_type = Choice(EVIDENCE_FILES, "Kind of evidence.", required=True, example="receipt")


class AttachForm(Body, source=_L):
    """A file and its kind of evidence, as a multipart form."""

    file = FilePart("The file.")
    dispute_id = Text("ID of the dispute.", rule="needed", example=_ID)
    evidence_type = Choice(EVIDENCE_FILES, "Kind of evidence.", rule="needed", required=True, example="receipt")


class UploadForm(Body, source="facts §1.6"):
    """A file and its purpose, as a multipart form."""

    file = FilePart("The file.")
    dispute_id = Text("ID of the dispute.", rule="needed", example=_ID)
    purpose = Text(f"Purpose of the file: {', '.join(PURPOSES)}.", rule="needed", example=PURPOSES[0])


_FILTERS: Final[Filters] = {
    **MONEY_FILTERS,
    **moments("received_time", _L),
    "status": StatusFilter(DisputeStatus, "Status.", "interface §8.2", "dispute_opened"),
    "dispute_status": StatusFilter(DisputeStatus, "Alias of `status`.", _L, "dispute_opened"),
    "dispute_stage": StatusFilter(DisputeStage, "Stage.", _L, "dispute"),
    "dispute_id": OneOrMany(Text(), "Dispute.", source=_L, example=_ID),
    "reason": OneOrMany(Text(), "Reason that the customer gives.", source=_L, example="fraudulent"),
}


def _submit(loaded: Loaded) -> SubmitEvidence:
    texts, files = (
        {name: loaded[name] for name in names if loaded.get(name) is not None}
        for names in (EVIDENCE_TEXTS, EVIDENCE_FILES)
    )
    return SubmitEvidence(dispute_id=loaded["dispute_id"], texts=texts, files=files)


def _upload(loaded: Loaded) -> dict[str, Any]:
    upload = _file_and_dispute(loaded)
    if loaded.get("purpose") not in PURPOSES:
        raise Refusal(Cause.FILE_PURPOSE_INVALID, offered=PURPOSES)
    return upload


def _file_and_dispute(loaded: Loaded) -> dict[str, Any]:
    """The file of an upload and the id of its dispute; a part without a file name is text, not a file."""
    file, dispute_id = loaded.get("file"), loaded.get("dispute_id")
    if not isinstance(file, Upload):
        raise Refusal(Cause.FILE_MISSING)
    if not file.type:
        raise Refusal(Cause.FILE_TYPE_MISSING)
    if not dispute_id:
        raise Refusal(Cause.FILE_DISPUTE_MISSING)
    return {"dispute_id": dispute_id, "file": file}


SUBMIT: Final[Shape[SubmitEvidence]] = Shape(EvidenceBody, _submit)
ATTACH: Final[Shape[dict[str, Any]]] = Shape(
    AttachForm, lambda loaded: {**_file_and_dispute(loaded), "evidence_type": loaded["evidence_type"]}
)
"""`PUT /disputes/evidence`, a multipart form."""
UPLOAD: Final[Shape[dict[str, Any]]] = Shape(UploadForm, _upload)
"""`POST /files`, a multipart form."""
LIST: Final = listing("disputes.list", _FILTERS)
