"""Saved methods, and the methods that a payment can be made by (facts §1.4)."""

from __future__ import annotations

from mock_server.contract.answers import merchant_methods
from mock_server.contract.answers import payment_method as answers
from mock_server.contract.requests import payment_methods as shapes
from mock_server.domain.payment_method import CreateMethod, PaymentMethod, UpdateMethod
from mock_server.engine.vault import methods, offers
from mock_server.http.binding import Resource
from mock_server.http.context import Answer, Call
from mock_server.http.running import run
from mock_server.http.show import show

views = Resource("payment_methods")


def shown(call: Call, method: PaymentMethod) -> Answer:
    """A saved method as an answer."""
    return show(answers.method(method, call.sandbox.dialect))


@views.view("payment_methods.create", shapes.CREATE)
def create_method(call: Call, command: CreateMethod) -> Answer:
    return shown(call, run(call, methods.create, command))


@views.view("payment_methods.save", shapes.SAVE)
def save_method(call: Call, command: CreateMethod, payment_method_id: str) -> Answer:
    return shown(call, run(call, methods.save, payment_method_id, command))


@views.view("payment_methods.retrieve")
def retrieve_method(call: Call, payment_method_id: str) -> Answer:
    return shown(call, run(call, methods.retrieve, payment_method_id))


@views.view("payment_methods.update", shapes.UPDATE)
def update_method(call: Call, command: UpdateMethod, payment_method_id: str) -> Answer:
    return shown(call, run(call, methods.update, payment_method_id, command))


@views.view("payment_methods.delete")
def delete_method(call: Call, payment_method_id: str) -> Answer:
    return show(answers.deleted(run(call, methods.delete, payment_method_id)))


@views.view("payment_methods.list", query=shapes.CLIENT)
def list_methods(call: Call, client_secret: str | None) -> Answer:
    return show(merchant_methods.offer(run(call, offers.offering, client_secret)))


@views.view("customers.payment_methods")
def list_of_customer(call: Call, customer_id: str) -> Answer:
    return show(answers.wallet(run(call, offers.of_customer, customer_id), call.sandbox.dialect))


@views.view("customers.payment_methods_of_payment", query=shapes.CLIENT)
def list_of_payment(call: Call, client_secret: str | None) -> Answer:
    return show(answers.wallet(run(call, offers.of_payment, client_secret), call.sandbox.dialect))


@views.view("customers.default_payment_method", shapes.NOTHING)
def make_default(call: Call, command: object, customer_id: str, payment_method_id: str) -> Answer:
    return show(answers.default(run(call, methods.make_default, customer_id, payment_method_id)))
