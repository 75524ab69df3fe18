"""Refunds (facts §1.2)."""

from __future__ import annotations

from mock_server.contract.answers import refund as answers
from mock_server.contract.requests import refunds as shapes
from mock_server.domain.paging import Query
from mock_server.domain.refund import CreateRefund, Refund, RetrieveRefund, UpdateRefund
from mock_server.domain.statuses import RefundStatus
from mock_server.engine.refunds import create, settle
from mock_server.http.binding import PerDialect, Resource
from mock_server.http.context import Answer, Call
from mock_server.http.running import run
from mock_server.http.show import show, show_page, with_count

views = Resource("refunds")

LIST = PerDialect(lambda dialect: shapes.refunds_list(dialect.readings[RefundStatus], dialect.list_keys.parameters))


def shown(call: Call, refund: Refund) -> Answer:
    """A refund as an answer."""
    call.object_id = refund.payment_id
    return show(answers.refund(refund, call.sandbox.dialect))


@views.view("refunds.create", shapes.CREATE)
def create_refund(call: Call, command: CreateRefund) -> Answer:
    return shown(call, run(call, create.create, command))


@views.view("refunds.retrieve", query=shapes.RETRIEVE)
def retrieve_refund(call: Call, query: RetrieveRefund, refund_id: str) -> Answer:
    return shown(call, run(call, settle.retrieve, refund_id, query))


@views.view("refunds.sync", shapes.SYNC)
def sync_refund(call: Call, query: RetrieveRefund) -> Answer:
    return shown(call, run(call, settle.retrieve, query.refund_id or "", query))


@views.view("refunds.update", shapes.UPDATE)
def update_refund(call: Call, command: UpdateRefund, refund_id: str) -> Answer:
    return shown(call, run(call, create.update, refund_id, command))


@views.view("refunds.replace", shapes.CREATE)
def replace_refund(call: Call, command: CreateRefund, refund_id: str) -> Answer:
    return shown(call, run(call, create.replace, refund_id, command))


@views.view("refunds.list", LIST, LIST)
def list_refunds(call: Call, query: Query) -> Answer:
    return show_page(call, run(call, settle.page, query), answers.refund)


@views.view("refunds.aggregate", query=LIST)
def aggregate_refunds(call: Call, query: Query) -> Answer:
    counts = run(call, settle.aggregate, query)
    return show({"status_with_count": with_count(call.sandbox.dialect, RefundStatus, counts)})
