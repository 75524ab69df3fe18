"""Connector accounts (facts §1.5)."""

from __future__ import annotations

from mock_server.contract.answers import setup as answers
from mock_server.contract.requests import setup as shapes
from mock_server.domain.connector import ConnectorFields
from mock_server.domain.paging import Query
from mock_server.engine.setup import connectors
from mock_server.http.binding import PerDialect, Resource
from mock_server.http.context import Answer, Call
from mock_server.http.running import run
from mock_server.http.show import show_as, show_page

views = Resource("connectors")

LIST = PerDialect(lambda dialect: shapes.connectors_list(dialect.list_keys.parameters))


@views.view("connectors.create", shapes.CONNECTOR)
def create_connector(call: Call, fields: ConnectorFields, merchant_id: str) -> Answer:
    return show_as(call, answers.CONNECTOR, run(call, connectors.create, merchant_id, fields))


@views.view("connectors.list", query=LIST)
def list_connectors(call: Call, query: Query, merchant_id: str) -> Answer:
    return show_page(call, run(call, connectors.page, merchant_id, query), answers.LISTED_CONNECTOR)


@views.view("connectors.retrieve")
def retrieve_connector(call: Call, merchant_id: str, connector_id: str) -> Answer:
    return show_as(call, answers.CONNECTOR, run(call, connectors.retrieve, merchant_id, connector_id))


@views.view("connectors.update", shapes.CONNECTOR_UPDATE)
def update_connector(call: Call, fields: ConnectorFields, merchant_id: str, connector_id: str) -> Answer:
    return show_as(call, answers.CONNECTOR, run(call, connectors.update, merchant_id, connector_id, fields))


@views.view("connectors.delete")
def delete_connector(call: Call, merchant_id: str, connector_id: str) -> Answer:
    gone = run(call, connectors.delete, merchant_id, connector_id)
    return show_as(call, answers.CONNECTOR_DELETION, gone)
