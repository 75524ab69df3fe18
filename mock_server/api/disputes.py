"""Disputes, the evidence against them, and the files that are evidence (facts §1.3, §1.6)."""

from __future__ import annotations

from urllib.parse import quote

from werkzeug.http import dump_options_header

from mock_server.api.binding import runs, view
from mock_server.contract.answers.dispute import DISPUTE
from mock_server.domain.dispute import Dispute
from mock_server.engine import disputes, evidence
from mock_server.http.context import Answer, Call
from mock_server.http.running import run
from mock_server.http.show import NOTHING, show_as


def _shown(call: Call, dispute: Dispute) -> Answer:
    """A dispute as an answer; the call is about its payment."""
    call.object_id = dispute.payment_id
    return show_as(call, DISPUTE, dispute)


runs("disputes.retrieve", disputes.retrieve, _shown)
runs("disputes.accept", disputes.accept, _shown)
runs("disputes.submit_evidence", evidence.submit, _shown)
runs("disputes.attach_evidence", evidence.attach)
runs("disputes.retrieve_evidence", evidence.page)
runs("disputes.list", disputes.page)
runs("disputes.aggregate", disputes.aggregate)
runs("files.create", evidence.upload)
runs("files.delete", evidence.forget)


def _deleted(call: Call, dispute: Dispute) -> Answer:
    call.object_id = dispute.payment_id
    return NOTHING


runs("disputes.delete_evidence", evidence.delete, _deleted)


@view("files.retrieve")
def retrieve_file(call: Call, file_id: str) -> Answer:
    file = run(call, evidence.retrieve, file_id)
    # A name beyond ASCII is written as RFC 8187 wants it.
    name = file.name
    saved_as = (
        dump_options_header("attachment", {"filename": name})
        if name.isascii()
        else f"attachment; filename*=UTF-8''{quote(name, safe='')}"
    )
    return Answer(200, file.content, (("Content-Type", file.type), ("Content-Disposition", saved_as)))
