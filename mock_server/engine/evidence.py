"""Evidence against a dispute, the bank's decision, and the files (facts §1.6, §2.5, §3.7)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from mock_server.domain import dispute as disputes
from mock_server.domain.dispute import Dispute, EvidenceFile, SubmitEvidence, Upload
from mock_server.domain.dispute import DisputeTrigger as H
from mock_server.domain.errors import Cause, Refusal
from mock_server.domain.outcomes import Reason
from mock_server.engine.context import CommandContext
from mock_server.engine.disputes import SETTLES, find, find_for, happened
from mock_server.engine.kinds import DISPUTES, FILES
from mock_server.engine.payments import access as payments
from mock_server.engine.payments import charge, due
from mock_server.store.transaction import Transaction

UNNAMED = "file"
DECIDING_TEXT = "uncategorized_text"
DECIDING_WORDS = {disputes.WINNING: H.WON, disputes.LOSING: H.LOST}


def submit(tx: Transaction, context: CommandContext, command: SubmitEvidence) -> Dispute:
    """Challenges a dispute; later evidence is added to earlier.

    Refused as `dispute_unknown`, `dispute_status_forbids`, `file_unknown`.
    """
    dispute = find_for(tx, command.dispute_id, "submit_evidence")
    for file_id in command.files.values():
        # A file belongs to the dispute that it was uploaded for.
        if retrieve(tx, context, file_id).dispute_id != dispute.dispute_id:
            raise Refusal(Cause.FILE_UNKNOWN, id=file_id)
    texts = {**dispute.texts, **command.texts}
    dispute = happened(tx, context, dispute, H.CHALLENGED, texts=texts, files={**dispute.files, **command.files})
    return _judged(tx, context, dispute, command.texts.get(DECIDING_TEXT, "").strip())


def _judged(tx: Transaction, context: CommandContext, dispute: Dispute, said: str) -> Dispute:
    """The bank's decision: by the deciding texts, else by the deciders; without either the dispute stays open."""
    what = DECIDING_WORDS.get(said)
    if what is not None:
        context.notes.append(Reason("evidence", f"{DECIDING_TEXT} is {said}: {what}"))
        return happened(tx, context, dispute, what)
    payment = payments.find(tx, dispute.payment_id)
    outcome = charge.decided(tx, context, payment, "disputes.submit_evidence", dispute=dispute)
    ends = disputes.ENDS_BY_WORD.get(outcome.word)
    if ends is not None:
        return happened(tx, context, dispute, ends)
    settles = outcome.settles
    if settles is None or settles.word not in disputes.ENDS_BY_WORD:
        return dispute
    waiting = due.settlement(tx, context, dispute.dispute_id, "bank", outcome, dispute.waiting, SETTLES)
    return tx.put(DISPUTES, structs.replace(dispute, waiting=waiting))


def attach(tx: Transaction, context: CommandContext, dispute_id: str, evidence_type: str, file: Upload) -> EvidenceFile:
    """Stores a file as one kind of evidence, and replaces an earlier one.

    Refused as `dispute_unknown`, `dispute_status_forbids`, `file_rejected`.
    """
    dispute = find_for(tx, dispute_id, "attach_evidence")
    stored = _keep(tx, context, dispute_id, file)
    tx.put(DISPUTES, structs.replace(dispute, files={**dispute.files, evidence_type: stored.file_id}))
    return stored


def delete(tx: Transaction, context: CommandContext, dispute_id: str, evidence_type: str) -> Dispute:
    """Removes one file from the evidence; the file itself stays.

    Refused as `dispute_unknown`, `dispute_status_forbids`, `file_unknown`.
    """
    dispute = find_for(tx, dispute_id, "delete_evidence")
    left = {name: file_id for name, file_id in dispute.files.items() if name != evidence_type}
    if len(left) == len(dispute.files):
        raise Refusal(Cause.FILE_UNKNOWN, id=f"of type {evidence_type}")
    return tx.put(DISPUTES, structs.replace(dispute, files=left))


def page(tx: Transaction, context: CommandContext, dispute_id: str) -> Sequence[tuple[str, EvidenceFile]]:
    """The files of a dispute by evidence type, in the documented order. Refused as `dispute_unknown`."""
    attached = find(tx, dispute_id).files
    found = ((name, tx.get(FILES, attached[name])) for name in disputes.EVIDENCE_FILES if name in attached)
    return [(name, file) for name, file in found if file is not None]


# files


def upload(tx: Transaction, context: CommandContext, dispute_id: str, file: Upload) -> EvidenceFile:
    """Stores a file for a dispute. Refused as `dispute_unknown`, `file_rejected`."""
    find(tx, dispute_id)
    return _keep(tx, context, dispute_id, file)


def _keep(tx: Transaction, context: CommandContext, dispute_id: str, file: Upload) -> EvidenceFile:
    """The file as it is stored. Refused as `file_rejected`."""
    if file.type not in disputes.FILE_TYPES:
        offered = ", ".join(disputes.FILE_TYPES)
        raise Refusal(Cause.FILE_REJECTED, reason=f"its content type is {file.type}, but must be one of: {offered}")
    if not file.content:
        raise Refusal(Cause.FILE_REJECTED, reason="it is empty")
    if tx.room(disputes.EVIDENCE) < len(file.content):
        limits = "settings evidence_bytes, evidence_bytes_total"
        why = f"the evidence files have reached their size limit ({limits}); delete a file"
        raise Refusal(Cause.FILE_REJECTED, reason=why)
    stored = EvidenceFile(
        file_id=context.new_id(tx, "file"),
        dispute_id=dispute_id,
        purpose=disputes.PURPOSES[0],
        name=_safe(file.name or UNNAMED),
        type=file.type,
        size=len(file.content),
        created_at=context.now,
        kept=disputes.as_kept(file.content),
    )
    return tx.put(FILES, stored)


def _safe(name: str) -> str:
    """A file's name without its path, and without characters that a header cannot have."""
    own = name.replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(sign for sign in own if sign.isprintable())[: disputes.NAME_MAX] or UNNAMED


def retrieve(tx: Transaction, context: CommandContext, file_id: str) -> EvidenceFile:
    """A file that is still stored. Refused as `file_unknown`."""
    file = tx.get(FILES, file_id)
    if file is None or not file.available:
        raise Refusal(Cause.FILE_UNKNOWN, id=file_id)
    return file


def forget(tx: Transaction, context: CommandContext, file_id: str) -> EvidenceFile:
    """Deletes a file's bytes; its record stays for the dispute. Refused as `file_unknown`."""
    return tx.put(FILES, structs.replace(retrieve(tx, context, file_id), kept=b""))
