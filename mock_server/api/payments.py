"""Payments, their refunds and disputes, and the calls of a checkout's script (interface §4, facts §1.1 to §1.6)."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import quote

from mock_server.api.binding import runs, view
from mock_server.contract.answers import payment as answers
from mock_server.contract.answers.browser import LINK, SESSION_TOKENS
from mock_server.contract.answers.common import POLL, POLLS_BEGIN, Poll
from mock_server.contract.answers.writing import WrittenAnswers
from mock_server.domain.commands import RetrievePayment
from mock_server.domain.offers import OpenLink
from mock_server.domain.paging import Page
from mock_server.domain.payment import Payment
from mock_server.engine import connectors, disputes, evidence, refunds, related
from mock_server.engine.payments import capture, charge, create, settle
from mock_server.engine.vault import offers
from mock_server.http.binding import show, show_as, show_page
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
    answer, shape = shown(call, payment), call.dialect.shapes.get(call.operation.name)
    return answer if shape is None else show_as(call, shape, payment)


@view("payments.session_tokens")
def create_session_tokens(call: Call, asked: dict[str, Any]) -> Answer:
    return show_as(call, SESSION_TOKENS, run(call, offers.start_sessions, **asked))


@view("payments.poll")
def poll_payment(call: Call, poll_id: str) -> Answer:
    return show_as(call, POLL, Poll(poll_id, call.workspace.find_payment(poll_id.removeprefix(POLLS_BEGIN))))


runs("refunds.create", refunds.create)
runs("refunds.retrieve", refunds.retrieve)
runs("refunds.sync", refunds.retrieve)
runs("refunds.update", refunds.update)
runs("refunds.replace", refunds.replace)
runs("refunds.list", refunds.page)
runs("refunds.aggregate", refunds.aggregate)


runs("disputes.retrieve", disputes.retrieve)
runs("disputes.accept", disputes.accept)
runs("disputes.submit_evidence", evidence.submit)
runs("disputes.attach_evidence", evidence.attach)
runs("disputes.retrieve_evidence", evidence.page)
runs("disputes.list", disputes.page)
runs("disputes.aggregate", disputes.aggregate)
runs("disputes.delete_evidence", evidence.delete)
runs("files.create", evidence.upload)
runs("files.delete", evidence.forget)


@view("files.retrieve")
def retrieve_file(call: Call, file_id: str) -> Answer:
    file = run(call, evidence.retrieve, file_id)
    name, quoted = file.name, file.name.replace("\\", "\\\\").replace('"', '\\"')
    saved_as = f"filename={name}" if is_token(name) else f'filename="{quoted}"'
    if not name.isascii():
        saved_as = f"filename*=UTF-8''{quote(name, safe='')}"  # RFC 8187
    return Answer(200, file.content, (("Content-Type", file.type), ("Content-Disposition", f"attachment; {saved_as}")))
