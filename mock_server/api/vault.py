"""What is saved for customers: payment methods, the methods on offer, mandates (facts §1.4)."""

from __future__ import annotations

from mock_server.api.binding import view
from mock_server.contract.answers import saved as answers
from mock_server.contract.answers.offered import METHODS_ON_OFFER
from mock_server.domain.offers import AskOffer
from mock_server.domain.paging import Query
from mock_server.domain.payment_method import CreateMethod, PaymentMethod, UpdateMethod
from mock_server.engine.vault import mandates, methods, offers
from mock_server.http.context import Answer, Call
from mock_server.http.running import run
from mock_server.http.show import show_as, show_page


def shown(call: Call, method: PaymentMethod) -> Answer:
    """A saved method as an answer."""
    return show_as(call, answers.METHOD, method)


@view("payment_methods.create")
def create_method(call: Call, command: CreateMethod) -> Answer:
    return shown(call, run(call, methods.create, command))


@view("payment_methods.save")
def save_method(call: Call, command: CreateMethod, payment_method_id: str) -> Answer:
    return shown(call, run(call, methods.save, payment_method_id, command))


@view("payment_methods.retrieve")
def retrieve_method(call: Call, payment_method_id: str) -> Answer:
    return shown(call, run(call, methods.retrieve, payment_method_id))


@view("payment_methods.update")
def update_method(call: Call, command: UpdateMethod, payment_method_id: str) -> Answer:
    return shown(call, run(call, methods.update, payment_method_id, command))


@view("payment_methods.delete")
def delete_method(call: Call, payment_method_id: str) -> Answer:
    return show_as(call, answers.DELETED_METHOD, run(call, methods.delete, payment_method_id))


@view("payment_methods.list")
def list_methods(call: Call, asked: AskOffer) -> Answer:
    return show_as(call, METHODS_ON_OFFER, run(call, offers.offering, asked))


@view("customers.payment_methods")
def list_of_customer(call: Call, customer_id: str) -> Answer:
    return show_as(call, answers.WALLET, run(call, offers.of_customer, customer_id))


@view("customers.payment_methods_of_payment")
def list_of_payment(call: Call, client_secret: str | None) -> Answer:
    return show_as(call, answers.WALLET, run(call, offers.of_payment, client_secret))


@view("customers.default_payment_method")
def make_default(call: Call, command: object, customer_id: str, payment_method_id: str) -> Answer:
    return show_as(call, answers.DEFAULT, run(call, methods.make_default, customer_id, payment_method_id))


# mandates


@view("mandates.retrieve")
def retrieve_mandate(call: Call, mandate_id: str) -> Answer:
    return show_as(call, answers.MANDATE, run(call, mandates.retrieve, mandate_id))


@view("mandates.revoke")
def revoke_mandate(call: Call, command: object, mandate_id: str) -> Answer:
    return show_as(call, answers.REVOKED, run(call, mandates.revoke, mandate_id))


@view("mandates.list")
def list_mandates(call: Call, query: Query) -> Answer:
    return show_page(call, run(call, mandates.page, query), answers.MANDATE)


@view("customers.mandates")
def list_mandates_of_customer(call: Call, query: Query, customer_id: str) -> Answer:
    return show_page(call, run(call, mandates.of_customer, customer_id, query), answers.MANDATE)
