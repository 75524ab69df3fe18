"""Refunds (facts §1.2)."""

from __future__ import annotations

from mock_server.api.binding import view
from mock_server.api.events import of_its_profile
from mock_server.contract.answers import refund as answers
from mock_server.contract.answers.common import REFUND_COUNTS
from mock_server.domain.paging import Query
from mock_server.domain.refund import CreateRefund, Refund, RetrieveRefund, UpdateRefund
from mock_server.engine import refunds
from mock_server.http.context import Answer, Call
from mock_server.http.running import run
from mock_server.http.show import show_as, show_page


def shown(call: Call, refund: Refund) -> Answer:
    """A refund as an answer."""
    call.object_id = refund.payment_id
    return show_as(call, answers.REFUND, refund)


@view("refunds.create")
def create_refund(call: Call, command: CreateRefund) -> Answer:
    return shown(call, run(call, refunds.create, command))


@view("refunds.retrieve")
def retrieve_refund(call: Call, query: RetrieveRefund, refund_id: str) -> Answer:
    return shown(call, run(call, refunds.retrieve, refund_id, query))


@view("refunds.sync")
def sync_refund(call: Call, query: RetrieveRefund) -> Answer:
    return shown(call, run(call, refunds.retrieve, query.refund_id or "", query))


@view("refunds.update")
def update_refund(call: Call, command: UpdateRefund, refund_id: str) -> Answer:
    return shown(call, run(call, refunds.update, refund_id, command))


@view("refunds.replace")
def replace_refund(call: Call, command: UpdateRefund, refund_id: str) -> Answer:
    return shown(call, run(call, refunds.replace, refund_id, command))


@view("refunds.list")
def list_refunds(call: Call, query: Query) -> Answer:
    return show_page(call, run(call, refunds.page, of_its_profile(call, query)), answers.REFUND)


@view("refunds.aggregate")
def aggregate_refunds(call: Call, query: Query) -> Answer:
    counts = run(call, refunds.aggregate, of_its_profile(call, query))
    return show_as(call, REFUND_COUNTS, counts)
