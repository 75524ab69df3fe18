"""Customers (facts §1.4)."""

from __future__ import annotations

from mock_server.contract.answers import customer as answers
from mock_server.contract.requests import customers as shapes
from mock_server.domain.customer import Customer, CustomerFields
from mock_server.domain.paging import Query
from mock_server.engine import customers
from mock_server.engine.vault import ephemeral_keys
from mock_server.http.binding import PerDialect, Resource
from mock_server.http.context import Answer, Call
from mock_server.http.running import run
from mock_server.http.show import show, show_page

views = Resource("customers")

LIST = PerDialect(lambda dialect: shapes.customers_list(dialect.list_keys.parameters))


def shown(call: Call, customer: Customer) -> Answer:
    """A customer as an answer."""
    return show(answers.customer(customer, call.sandbox.dialect))


@views.view("customers.create", shapes.CUSTOMER)
def create_customer(call: Call, fields: CustomerFields) -> Answer:
    customer, key = run(call, ephemeral_keys.with_customer, fields)
    return show(answers.new_customer(customer, key, call.sandbox.dialect))


@views.view("customers.retrieve")
def retrieve_customer(call: Call, customer_id: str) -> Answer:
    return shown(call, run(call, customers.retrieve, customer_id))


@views.view("customers.update", shapes.CUSTOMER)
def update_customer(call: Call, fields: CustomerFields, customer_id: str) -> Answer:
    return shown(call, run(call, customers.update, customer_id, fields))


@views.view("customers.replace", shapes.REPLACE)
def replace_customer(call: Call, fields: CustomerFields, customer_id: str) -> Answer:
    return shown(call, run(call, customers.replace, customer_id, fields))


@views.view("customers.delete")
def delete_customer(call: Call, customer_id: str) -> Answer:
    return show(answers.DELETION.of(run(call, customers.delete, customer_id), call.sandbox.dialect))


@views.view("customers.list", LIST, LIST)
def list_customers(call: Call, query: Query) -> Answer:
    return show_page(call, run(call, customers.page, query), answers.customer)
