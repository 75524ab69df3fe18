"""The requests of the disputes API, and of the files that belong to disputes (facts §1.3, §1.6, §2.5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mock_server.contract.requests.listing import listing
from mock_server.contract.requests.load import Shape
from mock_server.contract.requests.payments.build import TYPE_OF
from mock_server.domain.dispute import (
    EVIDENCE_FILES,
    EVIDENCE_TEXTS,
    AttachEvidence,
    DeleteEvidence,
    RetrieveDispute,
    SubmitEvidence,
    UploadFile,
)
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.evidence_file import PURPOSES, Upload
from mock_server.domain.methods import CATEGORY_ALIASES
from mock_server.domain.paging import Query

Loaded = Mapping[str, Any]


def _body(name: str) -> Any:
    from mock_server.contract.requests.disputes import bodies

    return getattr(bodies, name)()


def _retrieve(loaded: Loaded) -> RetrieveDispute:
    return RetrieveDispute(force_sync=loaded.get("force_sync") or False)


def _submit(loaded: Loaded) -> SubmitEvidence:
    return SubmitEvidence(
        dispute_id=loaded["dispute_id"], texts=_sent(loaded, EVIDENCE_TEXTS), files=_sent(loaded, EVIDENCE_FILES)
    )


def _sent(loaded: Loaded, names: tuple[str, ...]) -> dict[str, str]:
    return {name: loaded[name] for name in names if loaded.get(name) is not None}


def _delete(loaded: Loaded) -> DeleteEvidence:
    return DeleteEvidence(dispute_id=loaded["dispute_id"], evidence_type=loaded["evidence_type"])


def _attach(loaded: Loaded) -> AttachEvidence:
    file = _file(loaded)
    return AttachEvidence(dispute_id=_dispute(loaded), evidence_type=loaded["evidence_type"], file=file)


def _upload(loaded: Loaded) -> UploadFile:
    """Refused as `file_missing`, `file_dispute_missing`, `file_purpose_invalid`, `file_type_missing`."""
    file, dispute_id, purpose = _file(loaded), _dispute(loaded), loaded.get("purpose")
    if purpose not in PURPOSES:
        raise Refusal(Cause.FILE_PURPOSE_INVALID, offered=PURPOSES)
    return UploadFile(dispute_id=dispute_id, purpose=purpose, file=file)


def _file(loaded: Loaded) -> Upload:
    """The file of an upload; a part without a file's name is a text, and no file."""
    file = loaded.get("file")
    if not isinstance(file, Upload):
        raise Refusal(Cause.FILE_MISSING)
    if not file.type:
        raise Refusal(Cause.FILE_TYPE_MISSING)
    return file


def _dispute(loaded: Loaded) -> str:
    dispute_id: str | None = loaded.get("dispute_id")
    if not dispute_id:
        raise Refusal(Cause.FILE_DISPUTE_MISSING)
    return dispute_id


RETRIEVE: Final[Shape[RetrieveDispute]] = Shape(lambda: _body("RetrieveQuery"), _retrieve, Cause.UNKNOWN_PARAMETER)
NOTHING: Final[Shape[None]] = Shape(lambda: _body("NothingBody"), lambda loaded: None)
SUBMIT: Final[Shape[SubmitEvidence]] = Shape(lambda: _body("EvidenceBody"), _submit)
DELETE: Final[Shape[DeleteEvidence]] = Shape(lambda: _body("DeleteBody"), _delete)
ATTACH: Final[Shape[AttachEvidence]] = Shape(lambda: _body("AttachForm"), _attach)
"""`PUT /disputes/evidence`, a multipart form."""
UPLOAD: Final[Shape[UploadFile]] = Shape(lambda: _body("UploadForm"), _upload)
"""`POST /files`, a multipart form."""


def disputes_list(
    statuses: Mapping[str, object], stages: Mapping[str, object], names: Mapping[str, str]
) -> Shape[Query]:
    """`POST` and `GET /disputes/list`.

    `statuses` and `stages` give the engine's value for every word that the dialect understands, `names` the wire's
    name of a parameter by the engine's.
    """

    def filters() -> Mapping[str, Any]:
        from mock_server.contract.requests.disputes.filters import dispute_filters

        return dispute_filters(tuple(statuses), tuple(stages))

    words = {**CATEGORY_ALIASES, **TYPE_OF}
    translate = {
        "status": statuses,
        "dispute_status": statuses,
        "dispute_stage": stages,
        "payment_method": words,
        "payment_method_type": words,
    }
    return listing(filters, names, translate)
