"""Disputes and the evidence against them (facts §1.3)."""

from __future__ import annotations

from mock_server.contract.answers import dispute as answers
from mock_server.contract.requests import disputes as shapes
from mock_server.domain.dispute import AttachEvidence, DeleteEvidence, Dispute, RetrieveDispute, SubmitEvidence
from mock_server.domain.paging import Query
from mock_server.domain.statuses import DisputeStage, DisputeStatus
from mock_server.engine.disputes import ending, evidence
from mock_server.http.binding import PerDialect, Resource
from mock_server.http.context import Answer, Call
from mock_server.http.running import run
from mock_server.http.show import NOTHING, show, show_page, with_count

views = Resource("disputes")

LIST = PerDialect(
    lambda dialect: shapes.disputes_list(
        dialect.readings[DisputeStatus], dialect.readings[DisputeStage], dialect.list_keys.parameters
    )
)


def shown(call: Call, dispute: Dispute) -> Answer:
    """A dispute as an answer."""
    call.object_id = dispute.payment_id
    return show(answers.dispute(dispute, call.sandbox.dialect))


@views.view("disputes.retrieve", query=shapes.RETRIEVE)
def retrieve_dispute(call: Call, query: RetrieveDispute, dispute_id: str) -> Answer:
    return shown(call, run(call, ending.retrieve, dispute_id, query))


@views.view("disputes.accept", shapes.NOTHING)
def accept_dispute(call: Call, command: None, dispute_id: str) -> Answer:
    return shown(call, run(call, ending.accept, dispute_id))


@views.view("disputes.submit_evidence", shapes.SUBMIT)
def submit_evidence(call: Call, command: SubmitEvidence) -> Answer:
    return shown(call, run(call, evidence.submit, command))


@views.view("disputes.attach_evidence", shapes.ATTACH)
def attach_evidence(call: Call, command: AttachEvidence) -> Answer:
    return show({"file_id": run(call, evidence.attach, command).file_id})


@views.view("disputes.delete_evidence", shapes.DELETE)
def delete_evidence(call: Call, command: DeleteEvidence) -> Answer:
    call.object_id = run(call, evidence.delete, command).payment_id
    return NOTHING


@views.view("disputes.retrieve_evidence")
def retrieve_evidence(call: Call, dispute_id: str) -> Answer:
    dialect = call.sandbox.dialect
    return show([answers.evidence(name, file, dialect) for name, file in run(call, evidence.page, dispute_id)])


@views.view("disputes.list", LIST, LIST)
def list_disputes(call: Call, query: Query) -> Answer:
    return show_page(call, run(call, ending.page, query), answers.dispute)


@views.view("disputes.aggregate", query=LIST)
def aggregate_disputes(call: Call, query: Query) -> Answer:
    counts = run(call, ending.aggregate, query)
    return show({"status_with_count": with_count(call.sandbox.dialect, DisputeStatus, counts)})
