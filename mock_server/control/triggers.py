"""What is done to a payment from outside: the customer, the bank, the clock and the fraud check, by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mock_server.contract.answers import payment as answers
from mock_server.control.binding import view
from mock_server.control.requests import Authenticate, Expire, Fail, Settle
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.payment import Payment
from mock_server.engine.context import CommandContext
from mock_server.engine.payments import authorization, challenge, review, settle
from mock_server.http.context import Answer, Call
from mock_server.http.running import customer_goes_back, run
from mock_server.http.show import show
from mock_server.store.protocol import Transaction

EXPIRES: Final[dict[str, Callable[[Transaction, CommandContext, str], Payment]]] = {
    "session": authorization.expire_session,
    "customer": authorization.expire_customer,
    "authorization": authorization.expire_authorization,
}
"""What can be over, and what ends it (decisions "Clock")."""


def shown(payment: Payment) -> Answer:
    """A payment with its attempts, in the engine's words."""
    return show(answers.payment(answers.ShownPayment(payment, attempts=True, captures=True), INTERFACE))


@view("control.authenticate")
def authenticate(call: Call, command: Authenticate, payment_id: str) -> Answer:
    payment = run(call, challenge.authenticate, payment_id, command.result)
    customer_goes_back(call, payment_id)
    return shown(payment)


@view("control.settle")
def settle_payment(call: Call, command: Settle, payment_id: str) -> Answer:
    return shown(run(call, settle.settle, payment_id, command.word, decline=command.decline, amount=command.amount))


@view("control.fail")
def fail(call: Call, command: Fail, payment_id: str) -> Answer:
    return shown(run(call, settle.fail_open, payment_id, command.decline))


@view("control.expire")
def expire(call: Call, command: Expire, payment_id: str) -> Answer:
    return shown(run(call, EXPIRES[command.what], payment_id))


@view("control.hold")
def hold(call: Call, command: None, payment_id: str) -> Answer:
    return shown(run(call, review.hold, payment_id))
