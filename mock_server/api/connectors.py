"""Connector accounts (facts §1.5)."""

from __future__ import annotations

from mock_server.contract.answers import setup as answers
from mock_server.contract.requests import setup as shapes
from mock_server.domain.merchant_account import Connector, ConnectorFields
from mock_server.domain.paging import Query
from mock_server.engine import connectors
from mock_server.http.binding import PerDialect, Resource
from mock_server.http.context import Answer, Call
from mock_server.http.running import run
from mock_server.http.show import show, show_page

views = Resource("connectors")

LIST = PerDialect(lambda dialect: shapes.connectors_list(dialect.list_keys.parameters))


def shown(call: Call, connector: Connector) -> Answer:
    """A connector account as an answer."""
    return show(answers.connector(connector, call.sandbox.dialect))


@views.view("connectors.create", shapes.CONNECTOR)
def create_connector(call: Call, fields: ConnectorFields, merchant_id: str) -> Answer:
    return shown(call, run(call, connectors.create, merchant_id, fields))


@views.view("connectors.list", query=LIST)
def list_connectors(call: Call, query: Query, merchant_id: str) -> Answer:
    return show_page(call, run(call, connectors.page, merchant_id, query), answers.listed_connector)


@views.view("connectors.retrieve")
def retrieve_connector(call: Call, merchant_id: str, connector_id: str) -> Answer:
    return shown(call, run(call, connectors.retrieve, merchant_id, connector_id))


@views.view("connectors.update", shapes.CONNECTOR_UPDATE)
def update_connector(call: Call, fields: ConnectorFields, merchant_id: str, connector_id: str) -> Answer:
    return shown(call, run(call, connectors.update, merchant_id, connector_id, fields))


@views.view("connectors.delete")
def delete_connector(call: Call, merchant_id: str, connector_id: str) -> Answer:
    gone = run(call, connectors.delete, merchant_id, connector_id)
    return show({"merchant_id": gone.merchant_id, "merchant_connector_id": gone.connector_id, "deleted": True})
