"""Refunds (facts §1.2)."""

from __future__ import annotations

from mock_server.api.binding import runs, view
from mock_server.contract.answers.refund import REFUND
from mock_server.domain.refund import Refund, RetrieveRefund
from mock_server.engine import refunds
from mock_server.http.context import Answer, Call
from mock_server.http.running import run
from mock_server.http.show import show_as


def _shown(call: Call, refund: Refund) -> Answer:
    """A refund as an answer; the call is about its payment."""
    call.object_id = refund.payment_id
    return show_as(call, REFUND, refund)


runs("refunds.create", refunds.create, _shown)
runs("refunds.retrieve", refunds.retrieve, _shown)
runs("refunds.update", refunds.update, _shown)
runs("refunds.replace", refunds.replace, _shown)
runs("refunds.list", refunds.page)
runs("refunds.aggregate", refunds.aggregate)


@view("refunds.sync")
def sync_refund(call: Call, query: RetrieveRefund) -> Answer:
    return _shown(call, run(call, refunds.retrieve, query.refund_id or "", query))
