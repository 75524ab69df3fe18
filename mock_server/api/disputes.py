"""Disputes, the evidence against them, and the files that are evidence (facts §1.3, §1.6)."""

from __future__ import annotations

from urllib.parse import quote

from werkzeug.http import dump_options_header

from mock_server.api.binding import view
from mock_server.api.events import of_its_profile
from mock_server.contract.answers import dispute as answers
from mock_server.contract.answers.common import DISPUTE_COUNTS
from mock_server.contract.answers.writing import write
from mock_server.domain.dispute import (
    AttachEvidence,
    DeleteEvidence,
    Dispute,
    RetrieveDispute,
    SubmitEvidence,
    UploadFile,
)
from mock_server.domain.paging import Query
from mock_server.engine import disputes, evidence
from mock_server.http.context import Answer, Call
from mock_server.http.running import run
from mock_server.http.show import NOTHING, show, show_as, show_page


def shown(call: Call, dispute: Dispute) -> Answer:
    """A dispute as an answer."""
    call.object_id = dispute.payment_id
    return show_as(call, answers.DISPUTE, dispute)


@view("disputes.retrieve")
def retrieve_dispute(call: Call, query: RetrieveDispute, dispute_id: str) -> Answer:
    return shown(call, run(call, disputes.retrieve, dispute_id, query))


@view("disputes.accept")
def accept_dispute(call: Call, command: None, dispute_id: str) -> Answer:
    return shown(call, run(call, disputes.accept, dispute_id))


@view("disputes.submit_evidence")
def submit_evidence(call: Call, command: SubmitEvidence) -> Answer:
    return shown(call, run(call, evidence.submit, command))


@view("disputes.attach_evidence")
def attach_evidence(call: Call, command: AttachEvidence) -> Answer:
    return show_as(call, answers.FILE_ID, run(call, evidence.attach, command))


@view("disputes.delete_evidence")
def delete_evidence(call: Call, command: DeleteEvidence) -> Answer:
    call.object_id = run(call, evidence.delete, command).payment_id
    return NOTHING


@view("disputes.retrieve_evidence")
def retrieve_evidence(call: Call, dispute_id: str) -> Answer:
    dialect = call.dialect
    return show([write(answers.EVIDENCE, pair, dialect) for pair in run(call, evidence.page, dispute_id)])


@view("disputes.list")
def list_disputes(call: Call, query: Query) -> Answer:
    return show_page(call, run(call, disputes.page, of_its_profile(call, query)), answers.DISPUTE)


@view("disputes.aggregate")
def aggregate_disputes(call: Call, query: Query) -> Answer:
    counts = run(call, disputes.aggregate, of_its_profile(call, query))
    return show_as(call, DISPUTE_COUNTS, counts)


# files


@view("files.create")
def create_file(call: Call, command: UploadFile) -> Answer:
    return show_as(call, answers.FILE_ID, run(call, evidence.upload, command))


@view("files.retrieve")
def retrieve_file(call: Call, file_id: str) -> Answer:
    file = run(call, evidence.retrieve, file_id)
    headers = (("Content-Type", file.type), ("Content-Disposition", _saved_as(file.name)))
    return Answer(200, file.content, headers)


def _saved_as(name: str) -> str:
    """Under which name a browser saves it; a name beyond ASCII is written as RFC 8187 wants it."""
    if name.isascii():
        return dump_options_header("attachment", {"filename": name})
    return f"attachment; filename*=UTF-8''{quote(name, safe='')}"


@view("files.delete")
def delete_file(call: Call, file_id: str) -> Answer:
    run(call, evidence.forget, file_id)
    return NOTHING
