"""Disputes, the evidence against them, and the files that are evidence (facts §1.3, §1.6)."""

from __future__ import annotations

from urllib.parse import quote

from mock_server.api.binding import runs, view
from mock_server.contract.answers.payment import DISPUTE
from mock_server.domain.dispute import Dispute
from mock_server.engine import disputes, evidence
from mock_server.http.binding import NOTHING, show_as
from mock_server.http.running import Answer, Call, run
from mock_server.server.parser import is_token


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
    name, quoted = file.name, file.name.replace("\\", "\\\\").replace('"', '\\"')
    saved_as = f"filename={name}" if is_token(name) else f'filename="{quoted}"'
    if not name.isascii():
        saved_as = f"filename*=UTF-8''{quote(name, safe='')}"  # RFC 8187
    headers = (("Content-Type", file.type), ("Content-Disposition", f"attachment; {saved_as}"))
    return Answer(200, file.content, headers)
