"""Payments, their refunds and disputes, and the calls of a checkout's script (interface §4, facts §1.1 to §1.6)."""

from __future__ import annotations

from functools import partial
from typing import Any, Final
from urllib.parse import quote

from mock_server.api.binding import runs, view
from mock_server.contract.answers import payment as answers
from mock_server.contract.answers.browser import LINK, SESSION_TOKENS
from mock_server.contract.answers.common import POLL, POLLS_BEGIN, Poll
from mock_server.contract.answers.fields import AnswerShape
from mock_server.contract.answers.payment import DISPUTE, REFUND
from mock_server.contract.answers.writing import WrittenAnswers
from mock_server.domain.commands import RetrievePayment
from mock_server.domain.dispute import Dispute
from mock_server.domain.offers import OpenLink
from mock_server.domain.paging import Page
from mock_server.domain.payment import Payment
from mock_server.domain.refund import Refund
from mock_server.engine import connectors, disputes, evidence, refunds, related
from mock_server.engine.payments import capture, charge, create, settle
from mock_server.engine.vault import offers
from mock_server.http.binding import NOTHING, show, show_as, show_page
from mock_server.http.running import JSON, Answer, Call, run, seen_from
from mock_server.server.parser import is_token

WRITTEN: Final = WrittenAnswers()
"""Cached results of a pure function; no state of any workspace."""


def shown(call: Call, payment: Payment, *, attempts: bool = False, captures: bool = False) -> Answer:
    """A payment as an answer, with its refunds and disputes."""
    call.object_id, call.resulting_payment = payment.payment_id, payment
    kept, payment = payment, seen_from(call, payment)
    dialect, has_any = call.dialect, payment.refund_count or payment.dispute_count
    if not (attempts or captures or has_any):
        written = WRITTEN.find(payment, dialect) or WRITTEN.keep(payment, dialect, answers.bare(payment, dialect))
        if payment is kept:
            call.bare = written
        return Answer(200, written.text, (JSON,))
    inside = run(call, lambda tx, context: related.of(tx, payment)) if has_any else related.NOTHING
    whole = answers.ShownPayment(payment, inside.refunds, inside.disputes, attempts, captures)
    return show(answers.payment(whole, dialect))


runs("payments.create", create.create, shown)
runs("payments.update", create.update, shown)
runs("payments.replace", create.replace, shown)
runs("payments.confirm", create.confirm, shown)
runs("payments.capture", capture.capture, shown)
runs("payments.cancel", settle.cancel, shown)
runs("payments.cancel_post_capture", settle.cancel_post_capture, shown)
runs("payments.sync_cancel_post_capture", settle.reversal, shown)
runs("payments.approve", settle.approve, shown)
runs("payments.reject", settle.reject, shown)
runs("payments.incremental_authorization", settle.increment, shown)
runs("payments.extend_authorization", settle.extend, shown)
runs("payments.complete_authorize", charge.complete, shown)


def _listed(call: Call, page: Page[Payment]) -> Answer:
    return show_page(call, page, answers.PAYMENT, lambda payment: answers.ShownPayment(seen_from(call, payment)))


runs("payments.list", settle.page, _listed)
runs("payments.aggregate", settle.aggregate)
runs("payments.client", offers.for_client)
runs("payments.post_session_tokens", offers.begin)
runs("payments.eligibility", offers.eligibility)
runs("payments.eligibility_check", offers.eligibility)
runs("payments.calculate_tax", offers.begin)
runs(
    "payments.link",
    offers.link,
    lambda call, link: show_as(call, LINK, OpenLink(seen_from(call, link.payment), link.now)),
)
runs("payments.filter", connectors.everything)
runs("refunds.filter", connectors.everything)
runs("disputes.filter", connectors.everything)


@view("payments.retrieve")
def retrieve_payment(call: Call, query: RetrievePayment, payment_id: str) -> Answer:
    payment = run(call, settle.retrieve, payment_id, query)
    return shown(call, payment, attempts=query.expand_attempts, captures=query.expand_captures)


@view("payments.sync")
def sync_payment(call: Call, query: RetrievePayment) -> Answer:
    return shown(call, run(call, settle.retrieve, query.payment_id or "", query))


@view("payments.update_metadata")
def update_metadata(call: Call, sent: dict[str, Any], payment_id: str) -> Answer:
    payment = run(call, create.merge_metadata, payment_id, **sent)
    shape = call.dialect.shapes.get(call.operation.name)
    return shown(call, payment) if shape is None else show_as(call, shape, payment)


@view("payments.session_tokens")
def create_session_tokens(call: Call, asked: dict[str, Any]) -> Answer:
    call.object_id = asked["payment_id"]
    return show_as(call, SESSION_TOKENS, run(call, offers.start_sessions, **asked))


@view("payments.poll")
def poll_payment(call: Call, poll_id: str) -> Answer:
    return show_as(call, POLL, Poll(poll_id, call.workspace.find_payment(poll_id.removeprefix(POLLS_BEGIN))))


def _of_payment(shape: AnswerShape[Any], call: Call, record: Refund | Dispute) -> Answer:
    """A refund or a dispute as an answer; the call is about its payment."""
    call.object_id = record.payment_id
    return show_as(call, shape, record)


_refund, _dispute = partial(_of_payment, REFUND), partial(_of_payment, DISPUTE)
runs("refunds.create", refunds.create, _refund)
runs("refunds.retrieve", refunds.retrieve, _refund)
runs("refunds.sync", refunds.retrieve, _refund)
runs("refunds.update", refunds.update, _refund)
runs("refunds.replace", refunds.replace, _refund)
runs("refunds.list", refunds.page)
runs("refunds.aggregate", refunds.aggregate)


runs("disputes.retrieve", disputes.retrieve, _dispute)
runs("disputes.accept", disputes.accept, _dispute)
runs("disputes.submit_evidence", evidence.submit, _dispute)
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
    return Answer(200, file.content, (("Content-Type", file.type), ("Content-Disposition", f"attachment; {saved_as}")))
