"""Refunds (facts §1.2)."""

from __future__ import annotations

from mock_server.api.binding import runs
from mock_server.contract.answers.payment import REFUND
from mock_server.domain.refund import Refund
from mock_server.engine import refunds
from mock_server.http.binding import show_as
from mock_server.http.running import Answer, Call


def _shown(call: Call, refund: Refund) -> Answer:
    """A refund as an answer; the call is about its payment."""
    call.object_id = refund.payment_id
    return show_as(call, REFUND, refund)


runs("refunds.create", refunds.create, _shown)
runs("refunds.retrieve", refunds.retrieve, _shown)
runs("refunds.sync", refunds.retrieve, _shown)
runs("refunds.update", refunds.update, _shown)
runs("refunds.replace", refunds.replace, _shown)
runs("refunds.list", refunds.page)
runs("refunds.aggregate", refunds.aggregate)
