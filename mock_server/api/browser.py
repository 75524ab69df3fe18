"""What a checkout's script asks of a payment, and what lists can be filtered by (facts §1.1 to §1.3)."""

from __future__ import annotations

from typing import Any

from mock_server.api.binding import view
from mock_server.contract.answers import browser as answers
from mock_server.contract.answers.fields import AnswerShape
from mock_server.domain.offers import AskEligibility, AskOffer, AskOfPayment
from mock_server.engine import connectors
from mock_server.engine.vault import offers
from mock_server.http.context import Answer, Call
from mock_server.http.running import run
from mock_server.http.show import show_as


@view("payments.client")
def show_for_client(call: Call, asked: AskOffer, payment_id: str) -> Answer:
    return show_as(call, answers.FOR_CLIENT, run(call, offers.for_client, payment_id, asked))


@view("payments.post_session_tokens")
def begin_session(call: Call, asked: AskOfPayment, payment_id: str) -> Answer:
    return show_as(call, answers.SESSION_STARTED, run(call, offers.begin, payment_id, asked))


@view("payments.eligibility")
def ask_eligibility(call: Call, asked: AskEligibility, payment_id: str) -> Answer:
    return show_as(call, answers.ELIGIBILITY, run(call, offers.eligibility, payment_id, asked))


@view("payments.eligibility_check")
def check_eligibility(call: Call, asked: AskEligibility, payment_id: str) -> Answer:
    return show_as(call, answers.ELIGIBILITY_CHECK, run(call, offers.eligibility, payment_id, asked))


@view("payments.calculate_tax")
def calculate_tax(call: Call, asked: AskOfPayment, payment_id: str) -> Answer:
    return show_as(call, answers.TAX, run(call, offers.begin, payment_id, asked))


def _filters(call: Call, shape: AnswerShape[Any]) -> Answer:
    return show_as(call, shape, run(call, connectors.everything))


@view("payments.filter")
def list_payment_filters(call: Call, command: object) -> Answer:
    return _filters(call, answers.PAYMENT_FILTERS)


@view("refunds.filter")
def list_refund_filters(call: Call, command: object) -> Answer:
    return _filters(call, answers.REFUND_FILTERS)


@view("disputes.filter")
def list_dispute_filters(call: Call) -> Answer:
    return _filters(call, answers.DISPUTE_FILTERS)


@view("payments.link")
def retrieve_link(call: Call, asked: AskOfPayment, payment_link_id: str) -> Answer:
    return show_as(call, answers.LINK, run(call, offers.link, payment_link_id, asked))
