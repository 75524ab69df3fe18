"""Payments (interface §4.2 to §4.5, facts §1.1)."""

from __future__ import annotations

from typing import Final

from mock_server.contract.answers import payment as answers
from mock_server.contract.answers.kept import Kept
from mock_server.contract.dialect import Dialect
from mock_server.contract.requests import payments as shapes
from mock_server.domain.commands import (
    CancelPayment,
    CapturePayment,
    CompleteAuthorize,
    IncrementAuthorization,
    MergeMetadata,
    PaymentRequest,
    RetrievePayment,
)
from mock_server.domain.paging import Query
from mock_server.domain.payment import Payment
from mock_server.domain.statuses import PaymentStatus
from mock_server.engine import related
from mock_server.engine.payments import authorization, cancel, capture, challenge, create, review, settle, update
from mock_server.http.binding import PerDialect, Resource
from mock_server.http.context import Answer, Call
from mock_server.http.errors import JSON
from mock_server.http.running import run
from mock_server.http.show import show, with_count

views = Resource("payments")
KEPT: Final = Kept()
"""A pure function's results, and no state of any workspace."""

CREATE = PerDialect(lambda dialect: shapes.create(frozenset(dialect.required("payments.create"))))
LIST = PerDialect(lambda dialect: shapes.payments_list(dialect.readings[PaymentStatus], dialect.list_keys.parameters))


def shown(call: Call, payment: Payment, *, attempts: bool = False, captures: bool = False) -> Answer:
    """A payment as an answer, with its refunds and disputes."""
    call.object_id, call.resulting_payment = payment.payment_id, payment
    if not (attempts or captures or related.has_any(payment)):
        text = _bare(payment, call.sandbox.dialect)
        call.bare = text, payment
        return Answer(200, text, (JSON,))
    inside = run(call, related.of, payment) if related.has_any(payment) else related.NOTHING
    whole = answers.Shown(payment, inside.refunds, inside.disputes, attempts, captures)
    return show(answers.payment(whole, call.sandbox.dialect))


def _bare(payment: Payment, dialect: Dialect) -> bytes:
    """A payment with nothing inside it, written once."""
    text = KEPT.get(payment, dialect)
    if text is None:
        text = answers.bare(payment, dialect)
        KEPT.put(payment, dialect, text)
    return text


@views.view("payments.create", CREATE)
def create_payment(call: Call, request: PaymentRequest) -> Answer:
    return shown(call, run(call, create.create, request))


@views.view("payments.retrieve", query=shapes.RETRIEVE)
def retrieve_payment(call: Call, query: RetrievePayment, payment_id: str) -> Answer:
    payment = run(call, settle.retrieve, payment_id, query)
    return shown(call, payment, attempts=query.expand_attempts, captures=query.expand_captures)


@views.view("payments.update", shapes.UPDATE)
def update_payment(call: Call, request: PaymentRequest, payment_id: str) -> Answer:
    return shown(call, run(call, update.update, payment_id, request))


@views.view("payments.replace", CREATE)
def replace_payment(call: Call, request: PaymentRequest, payment_id: str) -> Answer:
    return shown(call, run(call, update.replace, payment_id, request))


@views.view("payments.confirm", shapes.CONFIRM)
def confirm_payment(call: Call, request: PaymentRequest, payment_id: str) -> Answer:
    return shown(call, run(call, update.confirm, payment_id, request))


@views.view("payments.capture", shapes.CAPTURE)
def capture_payment(call: Call, command: CapturePayment, payment_id: str) -> Answer:
    return shown(call, run(call, capture.capture, payment_id, command))


@views.view("payments.cancel", shapes.CANCEL)
def cancel_payment(call: Call, command: CancelPayment, payment_id: str) -> Answer:
    return shown(call, run(call, cancel.cancel, payment_id, command))


@views.view("payments.cancel_post_capture", shapes.CANCEL)
def cancel_post_capture(call: Call, command: CancelPayment, payment_id: str) -> Answer:
    return shown(call, run(call, cancel.cancel_post_capture, payment_id, command))


@views.view("payments.sync_cancel_post_capture")
def sync_cancel_post_capture(call: Call, payment_id: str) -> Answer:
    return shown(call, run(call, cancel.reversal, payment_id))


@views.view("payments.approve", shapes.NOTHING)
def approve_payment(call: Call, command: object, payment_id: str) -> Answer:
    return shown(call, run(call, review.approve, payment_id))


@views.view("payments.reject", shapes.NOTHING)
def reject_payment(call: Call, command: object, payment_id: str) -> Answer:
    return shown(call, run(call, review.reject, payment_id))


@views.view("payments.incremental_authorization", shapes.INCREMENT)
def increment_authorization(call: Call, command: IncrementAuthorization, payment_id: str) -> Answer:
    return shown(call, run(call, authorization.increment, payment_id, command))


@views.view("payments.extend_authorization", shapes.NOTHING)
def extend_authorization(call: Call, command: object, payment_id: str) -> Answer:
    return shown(call, run(call, authorization.extend, payment_id))


@views.view("payments.update_metadata", shapes.UPDATE_METADATA)
def update_metadata(call: Call, command: MergeMetadata, payment_id: str) -> Answer:
    return shown(call, run(call, update.merge_metadata, payment_id, command))


@views.view("payments.complete_authorize", shapes.COMPLETE)
def complete_authorize(call: Call, command: CompleteAuthorize, payment_id: str) -> Answer:
    return shown(call, run(call, challenge.complete, payment_id, command))


@views.view("payments.sync", shapes.SYNC)
def sync_payment(call: Call, query: RetrievePayment) -> Answer:
    return shown(call, run(call, settle.retrieve, query.payment_id or "", query))


@views.view("payments.list", LIST, LIST)
def list_payments(call: Call, query: Query) -> Answer:
    page = run(call, settle.page, query)
    dialect = call.sandbox.dialect
    items = [answers.payment(answers.Shown(payment), dialect) for payment in page.items]
    return show(dialect.envelope(items, page.total, page.has_more))


@views.view("payments.aggregate", query=LIST)
def aggregate_payments(call: Call, query: Query) -> Answer:
    counts = run(call, settle.aggregate, query)
    return show({"status_with_count": with_count(call.sandbox.dialect, PaymentStatus, counts)})
