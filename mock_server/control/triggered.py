"""What was done to payments, refunds and disputes by hand, kept between the calls of the journal, in order (ours).

Control calls are not shown in the journal; a payment's story and its export need these all the same.
"""

from __future__ import annotations

from typing import Any, Final

from mock_server.control.operations import ControlOperation
from mock_server.engine.kinds import DISPUTES, PAYMENTS, REFUNDS
from mock_server.http.context import Answer, Call
from mock_server.http.journal import write
from mock_server.store.protocol import Kind, Transaction

_OWNERS: Final[dict[str, Kind[Any]]] = {"payment_id": PAYMENTS, "refund_id": REFUNDS, "dispute_id": DISPUTES}


def kept(row: ControlOperation, call: Call, answer: Answer) -> Answer:
    """The answer; what it did to a payment by hand is kept."""
    name = next(iter(call.args), "")
    if row.method == "POST" and name in _OWNERS and call.workspace is not None:
        call.left = call.workspace.space.transact(lambda tx: _payment(tx, name, call.args[name]))
        if call.left is not None:
            call.made = call.left.payment_id
            write(call, answer)
    return answer


def ring(row: ControlOperation, call: Call, answer: Answer) -> Answer:
    """The answer; who looks at the workspace hears of a change that no line tells of."""
    if row.method != "GET" and call.workspace is not None and not call.written and answer.status < 400:
        call.workspace.steered.ring()
        call.sandbox.activity.ring()
    return answer


def _payment(tx: Transaction, name: str, key: str) -> Any:
    record = tx.get(_OWNERS[name], key)
    return None if record is None else tx.get(PAYMENTS, record.payment_id)
