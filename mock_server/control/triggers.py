"""Triggers: actions of the customer and the bank on payments, refunds and disputes; and a workspace's clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mock_server.contract.answers import payment as answers
from mock_server.contract.answers.fields import AnswerShape
from mock_server.contract.answers.payment import DISPUTE, REFUND
from mock_server.control.answers import answer, answer_of
from mock_server.control.answers.server import ADVANCED, CLOCK
from mock_server.control.stages import shows, view
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.dispute import GENERAL, of_its_own
from mock_server.domain.errors import wrong_field
from mock_server.domain.faults import HAS_LEFT
from mock_server.domain.instants import LATEST, iso
from mock_server.domain.outcomes import Challenge, Reason
from mock_server.domain.payment import Payment
from mock_server.engine import disputes, refunds
from mock_server.engine.payments import charge, settle
from mock_server.http.binding import show
from mock_server.http.recording import enter
from mock_server.http.running import Answer, Call, customer_goes_back, run, seen_from
from mock_server.sandbox import Workspace, timekeeping


def payment_shown(call: Call, payment: Payment) -> Answer:
    """A payment with its attempts and captures."""
    whole = answers.ShownPayment(seen_from(call, payment), attempts=True, captures=True)
    return show(answers.payment(whole, INTERFACE))


@view("control.authenticate")
def authenticate(call: Call, payment_id: str, result: Challenge) -> Answer:
    payment = run(call, charge.authenticate, payment_id, result)
    customer_goes_back(call, payment_id)
    return payment_shown(call, payment)


def _runs(operation: str, command: Callable[..., Any], shape: AnswerShape[Any] | None = None) -> None:
    """Registers a call that is one command, on a payment unless its answer has another shape."""

    @view(operation)
    def answered(call: Call, **given: Any) -> Answer:
        record = run(call, command, **given)
        return payment_shown(call, record) if shape is None else answer_of(shape, record)


_runs("control.settle", settle.settle)
_runs("control.fail", settle.fail_open)
_runs("control.hold", settle.hold)
_runs("control.settle_refund", refunds.settle, REFUND)
_runs("control.advance_dispute", disputes.advance, DISPUTE)


shows("control.expire", lambda call, payment_id, what: payment_shown(call, run(call, settle.EXPIRES[what], payment_id)))


@view("control.dispute")
def open_dispute(call: Call, payment_id: str, reason: str = GENERAL, **given: Any) -> Answer:
    """Open a dispute. Any text is a reason; a note says if it has no code, because it may be mistyped."""
    opened = run(call, disputes.open, payment_id, reason, **given)
    if (said := of_its_own(reason)) is not None:
        call.notes.append(Reason("reason", said, inputs={"reason": reason}))
    return answer_of(DISPUTE, opened)


shows("control.clock", lambda call: answer(CLOCK, **clock_shown(call.workspace)))
shows("control.clock_resume", lambda call: _moved(call, timekeeping.resume(call.workspace)))
shows("control.clock_freeze", lambda call, at=None: _moved(call, timekeeping.freeze(call.workspace, at)))


@view("control.clock_advance")
def advance_clock(
    call: Call, *, by: int = 0, to: int | None = None, deliver: bool = True, join: bool = False
) -> Answer:
    """Advance by a time or to an instant; with `join`, a running advance is extended, and the call waits for nobody."""

    def target(now: int) -> int:
        if (at := now + by if to is None else to) > LATEST:
            raise wrong_field("by", "is after 9000-01-01")
        return at

    deliveries = call.sandbox.post if deliver else None
    has_left = call.environ.get(HAS_LEFT, lambda: False)  # without a connection the client cannot leave
    joined = timekeeping.join(call.workspace, target) if join else None
    done = joined or timekeeping.advance(call.workspace, target, deliveries, has_left)
    more = {"fired": done.fired, "deliveries_left": done.left, "joined": joined is not None}
    return _moved(call, done.now, ADVANCED, **more)


def _moved(call: Call, now: int, shape: AnswerShape[Any] = CLOCK, **more: object) -> Answer:
    """The clock after a change, which is stored for the timelines of payments."""
    enter(call, show({"now": iso(now)}))
    return answer(shape, **{**clock_shown(call.workspace), "now": now}, **more)


def clock_shown(workspace: Workspace) -> dict[str, Any]:
    """A workspace's clock, by the names of rows."""
    clock = workspace.clock
    return {
        "now": workspace.now(),
        "frozen": clock.frozen_at is not None,
        "advancing": clock.advancing,
        "next_due": workspace.space.transact(lambda tx: tx.next_due()),
    }
