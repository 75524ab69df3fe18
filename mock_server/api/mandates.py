"""Mandates (facts §1.4)."""

from __future__ import annotations

from mock_server.contract.answers import mandate as answers
from mock_server.contract.requests import payment_methods as shapes
from mock_server.contract.requests.shapes import NO_BODY
from mock_server.domain.paging import Query
from mock_server.domain.statuses import MandateStatus
from mock_server.engine.vault import mandates
from mock_server.http.binding import PerDialect, Resource
from mock_server.http.context import Answer, Call
from mock_server.http.running import run
from mock_server.http.show import show, show_page

views = Resource("mandates")

LIST = PerDialect(lambda dialect: shapes.mandates_list(dialect.readings[MandateStatus], dialect.list_keys.parameters))


@views.view("mandates.retrieve")
def retrieve_mandate(call: Call, mandate_id: str) -> Answer:
    return show(answers.mandate(run(call, mandates.retrieve, mandate_id), call.sandbox.dialect))


@views.view("mandates.revoke", NO_BODY)
def revoke_mandate(call: Call, command: object, mandate_id: str) -> Answer:
    return show(answers.REVOKED.of(run(call, mandates.revoke, mandate_id), call.sandbox.dialect))


@views.view("mandates.list", LIST, LIST)
def list_mandates(call: Call, query: Query) -> Answer:
    return show_page(call, run(call, mandates.page, query), answers.mandate)


@views.view("customers.mandates", query=LIST)
def list_of_customer(call: Call, query: Query, customer_id: str) -> Answer:
    return show_page(call, run(call, mandates.of_customer, customer_id, query), answers.mandate)
