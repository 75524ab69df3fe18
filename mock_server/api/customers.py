"""Customers, and the keys for their browsers (facts §1.4)."""

from __future__ import annotations

from mock_server.api.binding import view
from mock_server.contract.answers import customer as answers
from mock_server.domain.customer import Customer, CustomerFields
from mock_server.domain.paging import Query
from mock_server.engine import customers
from mock_server.engine.vault import ephemeral_keys
from mock_server.http.context import Answer, Call
from mock_server.http.running import run
from mock_server.http.show import show_as, show_page


def shown(call: Call, customer: Customer) -> Answer:
    """A customer as an answer."""
    return show_as(call, answers.CUSTOMER, customer)


@view("customers.create")
def create_customer(call: Call, fields: CustomerFields) -> Answer:
    customer, key = run(call, ephemeral_keys.with_customer, fields)
    return show_as(call, answers.NEW_CUSTOMER, answers.WithKey(customer, key))


@view("customers.retrieve")
def retrieve_customer(call: Call, customer_id: str) -> Answer:
    return shown(call, run(call, customers.retrieve, customer_id))


@view("customers.update")
def update_customer(call: Call, fields: CustomerFields, customer_id: str) -> Answer:
    return shown(call, run(call, customers.update, customer_id, fields))


@view("customers.replace")
def replace_customer(call: Call, fields: CustomerFields, customer_id: str) -> Answer:
    return shown(call, run(call, customers.update, customer_id, fields))


@view("customers.delete")
def delete_customer(call: Call, customer_id: str) -> Answer:
    return show_as(call, answers.DELETION, run(call, customers.delete, customer_id))


@view("customers.list")
def list_customers(call: Call, query: Query) -> Answer:
    return show_page(call, run(call, customers.page, query), answers.CUSTOMER)


# ephemeral keys


@view("ephemeral_keys.create")
def create_ephemeral_key(call: Call, customer_id: str) -> Answer:
    return show_as(call, answers.EPHEMERAL_KEY, run(call, ephemeral_keys.create, customer_id))


@view("ephemeral_keys.delete")
def delete_ephemeral_key(call: Call, key_id: str) -> Answer:
    return show_as(call, answers.EPHEMERAL_KEY, run(call, ephemeral_keys.revoke, key_id))
