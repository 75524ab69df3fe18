"""Customers, and the keys for their browsers (facts §1.4)."""

from __future__ import annotations

from mock_server.api.binding import view
from mock_server.contract.answers import customer as answers
from mock_server.contract.answers.ephemeral_key import EPHEMERAL_KEY
from mock_server.domain.customer import Customer, CustomerFields
from mock_server.domain.paging import Query
from mock_server.engine import customers
from mock_server.engine.vault import ephemeral_keys
from mock_server.http.context import Answer, Call
from mock_server.http.running import run
from mock_server.http.show import show, show_page


def shown(call: Call, customer: Customer) -> Answer:
    """A customer as an answer."""
    return show(answers.customer(customer, call.dialect))


@view("customers.create")
def create_customer(call: Call, fields: CustomerFields) -> Answer:
    customer, key = run(call, ephemeral_keys.with_customer, fields)
    return show(answers.new_customer(customer, key, call.dialect))


@view("customers.retrieve")
def retrieve_customer(call: Call, customer_id: str) -> Answer:
    return shown(call, run(call, customers.retrieve, customer_id))


@view("customers.update")
def update_customer(call: Call, fields: CustomerFields, customer_id: str) -> Answer:
    return shown(call, run(call, customers.update, customer_id, fields))


@view("customers.replace")
def replace_customer(call: Call, fields: CustomerFields, customer_id: str) -> Answer:
    return shown(call, run(call, customers.replace, customer_id, fields))


@view("customers.delete")
def delete_customer(call: Call, customer_id: str) -> Answer:
    return show(answers.DELETION.of(run(call, customers.delete, customer_id), call.dialect))


@view("customers.list")
def list_customers(call: Call, query: Query) -> Answer:
    return show_page(call, run(call, customers.page, query), answers.customer)


# ephemeral keys


@view("ephemeral_keys.create")
def create_ephemeral_key(call: Call, customer_id: str) -> Answer:
    return show(EPHEMERAL_KEY.of(run(call, ephemeral_keys.create, customer_id), call.dialect))


@view("ephemeral_keys.delete")
def delete_ephemeral_key(call: Call, key_id: str) -> Answer:
    return show(EPHEMERAL_KEY.of(run(call, ephemeral_keys.revoke, key_id), call.dialect))
