"""Payments (interface §4.2 to §4.5, facts §1.1)."""

from __future__ import annotations

from typing import Final

from mock_server.api.binding import view
from mock_server.api.events import of_its_profile
from mock_server.contract.answers import payment as answers
from mock_server.contract.answers.common import PAYMENT_COUNTS, POLL, POLLS_BEGIN, Poll
from mock_server.contract.answers.sessions import SESSION_TOKENS
from mock_server.contract.answers.writing import WrittenAnswers
from mock_server.domain.commands import (
    CancelPayment,
    CapturePayment,
    CompleteAuthorize,
    IncrementAuthorization,
    MergeMetadata,
    PaymentRequest,
    RetrievePayment,
)
from mock_server.domain.offers import AskSessionTokens
from mock_server.domain.paging import Query
from mock_server.domain.payment import Payment
from mock_server.engine import related
from mock_server.engine.payments import authorization, capture, challenge, create, settle, update
from mock_server.engine.vault import offers
from mock_server.http.context import Answer, Call
from mock_server.http.errors import JSON
from mock_server.http.running import run
from mock_server.http.show import show, show_as, show_page

WRITTEN: Final = WrittenAnswers()
"""A pure function's results, and no state of any workspace."""


def shown(call: Call, payment: Payment, *, attempts: bool = False, captures: bool = False) -> Answer:
    """A payment as an answer, with its refunds and disputes."""
    call.object_id, call.resulting_payment = payment.payment_id, payment
    dialect, has_any = call.dialect, payment.refund_count or payment.dispute_count
    if not (attempts or captures or has_any):
        text = WRITTEN.get(payment, dialect)
        if text is None:
            text = answers.bare(payment, dialect)
            WRITTEN.put(payment, dialect, text)
        call.bare = text, payment
        return Answer(200, text, (JSON,))
    inside = run(call, related.of, payment) if has_any else related.NOTHING
    whole = answers.ShownPayment(payment, inside.refunds, inside.disputes, attempts, captures)
    return show(answers.payment(whole, dialect))


@view("payments.create")
def create_payment(call: Call, request: PaymentRequest) -> Answer:
    return shown(call, run(call, create.create, request))


@view("payments.retrieve")
def retrieve_payment(call: Call, query: RetrievePayment, payment_id: str) -> Answer:
    payment = run(call, settle.retrieve, payment_id, query)
    return shown(call, payment, attempts=query.expand_attempts, captures=query.expand_captures)


@view("payments.update")
def update_payment(call: Call, request: PaymentRequest, payment_id: str) -> Answer:
    return shown(call, run(call, update.update, payment_id, request))


@view("payments.replace")
def replace_payment(call: Call, request: PaymentRequest, payment_id: str) -> Answer:
    return shown(call, run(call, update.replace, payment_id, request))


@view("payments.confirm")
def confirm_payment(call: Call, request: PaymentRequest, payment_id: str) -> Answer:
    return shown(call, run(call, update.confirm, payment_id, request))


@view("payments.capture")
def capture_payment(call: Call, command: CapturePayment, payment_id: str) -> Answer:
    return shown(call, run(call, capture.capture, payment_id, command))


@view("payments.cancel")
def cancel_payment(call: Call, command: CancelPayment, payment_id: str) -> Answer:
    return shown(call, run(call, authorization.cancel, payment_id, command))


@view("payments.cancel_post_capture")
def cancel_post_capture(call: Call, command: CancelPayment, payment_id: str) -> Answer:
    return shown(call, run(call, authorization.cancel_post_capture, payment_id, command))


@view("payments.sync_cancel_post_capture")
def sync_cancel_post_capture(call: Call, payment_id: str) -> Answer:
    return shown(call, run(call, authorization.reversal, payment_id))


@view("payments.approve")
def approve_payment(call: Call, command: object, payment_id: str) -> Answer:
    return shown(call, run(call, settle.approve, payment_id))


@view("payments.reject")
def reject_payment(call: Call, command: object, payment_id: str) -> Answer:
    return shown(call, run(call, settle.reject, payment_id))


@view("payments.incremental_authorization")
def increment_authorization(call: Call, command: IncrementAuthorization, payment_id: str) -> Answer:
    return shown(call, run(call, authorization.increment, payment_id, command))


@view("payments.extend_authorization")
def extend_authorization(call: Call, command: object, payment_id: str) -> Answer:
    return shown(call, run(call, authorization.extend, payment_id))


@view("payments.update_metadata")
def update_metadata(call: Call, command: MergeMetadata, payment_id: str) -> Answer:
    payment = run(call, update.merge_metadata, payment_id, command)
    shape = call.dialect.shapes.get(call.operation.name)
    return shown(call, payment) if shape is None else show_as(call, shape, payment)


@view("payments.complete_authorize")
def complete_authorize(call: Call, command: CompleteAuthorize, payment_id: str) -> Answer:
    return shown(call, run(call, challenge.complete, payment_id, command))


@view("payments.sync")
def sync_payment(call: Call, query: RetrievePayment) -> Answer:
    return shown(call, run(call, settle.retrieve, query.payment_id or "", query))


@view("payments.list")
def list_payments(call: Call, query: Query) -> Answer:
    page = run(call, settle.page, of_its_profile(call, query))
    return show_page(call, page, answers.PAYMENT, answers.ShownPayment)


@view("payments.aggregate")
def aggregate_payments(call: Call, query: Query) -> Answer:
    counts = run(call, settle.aggregate, of_its_profile(call, query))
    return show_as(call, PAYMENT_COUNTS, counts)


@view("payments.session_tokens")
def create_session_tokens(call: Call, command: AskSessionTokens) -> Answer:
    call.object_id = command.payment_id
    return show_as(call, SESSION_TOKENS, run(call, offers.start_sessions, command))


@view("payments.poll")
def poll_payment(call: Call, poll_id: str) -> Answer:
    return show_as(call, POLL, Poll(poll_id, call.home.find_payment(poll_id.removeprefix(POLLS_BEGIN))))
