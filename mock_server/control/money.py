"""What is done to refunds and disputes from outside: the connector's answer and the bank's next word, by hand."""

from __future__ import annotations

from mock_server.contract.answers.dispute import DISPUTE
from mock_server.contract.answers.refund import REFUND
from mock_server.contract.answers.writing import write
from mock_server.control.binding import view
from mock_server.control.requests.money import AdvanceDispute, OpenDispute, SettleRefund
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.dispute import Dispute, of_its_own
from mock_server.domain.outcomes import Reason
from mock_server.engine.disputes import ending, opening
from mock_server.engine.refunds import settle
from mock_server.http.context import Answer, Call
from mock_server.http.running import run
from mock_server.http.show import show


def shown(dispute: Dispute) -> Answer:
    """A dispute, in the engine's words."""
    return show(write(DISPUTE, dispute, INTERFACE))


@view("control.settle_refund")
def settle_refund(call: Call, command: SettleRefund, refund_id: str) -> Answer:
    refund = run(call, settle.settle, refund_id, command.status, command.decline)
    return show(write(REFUND, refund, INTERFACE))


@view("control.dispute")
def open_dispute(call: Call, command: OpenDispute, payment_id: str) -> Answer:
    """Any text is a reason; of one that has no code the answer says so, as it is perhaps a word that was mistyped."""
    opened = run(call, opening.open, payment_id, command.reason, command.stage, command.amount)
    if (said := of_its_own(command.reason)) is not None:
        call.notes.append(Reason("reason", said, inputs={"reason": command.reason}))
    return shown(opened)


@view("control.advance_dispute")
def advance_dispute(call: Call, command: AdvanceDispute, dispute_id: str) -> Answer:
    return shown(run(call, ending.advance, dispute_id, command.to))
