"""Files: kept, given back, deleted (facts §1.6)."""

from __future__ import annotations

from msgspec import structs

from mock_server.domain.dispute import UploadFile
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.evidence_file import EVIDENCE, FILE_TYPES, NAME_MAX, PURPOSES, EvidenceFile, Upload, as_kept
from mock_server.engine import disputes
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import FILES
from mock_server.store.protocol import Transaction

UNNAMED = "file"


def create(tx: Transaction, desk: CommandContext, command: UploadFile) -> EvidenceFile:
    """Keeps a file for a dispute. Refused as `dispute_unknown`, `file_rejected`."""
    disputes.find(tx, command.dispute_id)
    return keep(tx, desk, command.dispute_id, command.file)


def keep(tx: Transaction, desk: CommandContext, dispute_id: str, upload: Upload) -> EvidenceFile:
    """The file as it is kept. Refused as `file_rejected`."""
    if upload.type not in FILE_TYPES:
        offered = ", ".join(FILE_TYPES)
        raise Refusal(Cause.FILE_REJECTED, reason=f"its content type is {upload.type}, but must be one of: {offered}")
    if not upload.content:
        raise Refusal(Cause.FILE_REJECTED, reason="it is empty")
    if tx.room(EVIDENCE) < len(upload.content):
        reason = (
            "the evidence files have reached their size limit (settings "
            "evidence_bytes, evidence_bytes_total); delete a file"
        )
        raise Refusal(Cause.FILE_REJECTED, reason=reason)
    return tx.put(
        FILES,
        EvidenceFile(
            file_id=desk.new_id(tx, "file"),
            dispute_id=dispute_id,
            purpose=PURPOSES[0],
            name=_safe(upload.name or UNNAMED),
            type=upload.type,
            size=len(upload.content),
            created_at=desk.now,
            kept=as_kept(upload.content),
        ),
    )


def _safe(name: str) -> str:
    """A file's own name, without the path before it and without what no header may hold."""
    own = name.replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(sign for sign in own if sign.isprintable())[:NAME_MAX] or UNNAMED


def retrieve(tx: Transaction, desk: CommandContext, file_id: str) -> EvidenceFile:
    """A file that is still here. Refused as `file_unknown`."""
    file = tx.get(FILES, file_id)
    if file is None or not file.available:
        raise Refusal(Cause.FILE_UNKNOWN, id=file_id)
    return file


def delete(tx: Transaction, desk: CommandContext, file_id: str) -> EvidenceFile:
    """Forgets a file's bytes; a dispute that shows it still knows what it was. Refused as `file_unknown`."""
    return tx.put(FILES, structs.replace(retrieve(tx, desk, file_id), kept=b""))
