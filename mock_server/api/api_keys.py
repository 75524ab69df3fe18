"""Keys that are handed out for a merchant (facts §1.5)."""

from __future__ import annotations

from mock_server.api.accounts import merchant
from mock_server.contract.answers import setup as answers
from mock_server.contract.requests import setup as shapes
from mock_server.domain.issued_key import KeyFields
from mock_server.domain.paging import Query
from mock_server.engine.setup import api_keys
from mock_server.http.binding import PerDialect, Resource
from mock_server.http.context import Answer, Call
from mock_server.http.registering import register
from mock_server.http.show import show_as, show_page

views = Resource("api_keys")

LIST = PerDialect(lambda dialect: shapes.keys_list(dialect.list_keys.parameters))


@views.view("api_keys.create", shapes.KEY)
def create_key(call: Call, fields: KeyFields, merchant_id: str) -> Answer:
    workspace = merchant(call, merchant_id)
    key = register(call, workspace, api_keys.create, workspace.space.name, fields)
    return show_as(call, answers.NEW_KEY, key)


@views.view("api_keys.list", query=LIST)
def list_keys(call: Call, query: Query, merchant_id: str) -> Answer:
    return show_page(call, register(call, merchant(call, merchant_id), api_keys.page, query), answers.KEY)


@views.view("api_keys.retrieve")
def retrieve_key(call: Call, merchant_id: str, key_id: str) -> Answer:
    return show_as(call, answers.KEY, register(call, merchant(call, merchant_id), api_keys.retrieve, key_id))


@views.view("api_keys.update", shapes.KEY_UPDATE)
def update_key(call: Call, fields: KeyFields, merchant_id: str, key_id: str) -> Answer:
    workspace = merchant(call, merchant_id)
    return show_as(call, answers.KEY, register(call, workspace, api_keys.update, workspace.space.name, key_id, fields))


@views.view("api_keys.revoke")
def revoke_key(call: Call, merchant_id: str, key_id: str) -> Answer:
    gone = register(call, merchant(call, merchant_id), api_keys.revoke, key_id)
    return show_as(call, answers.REVOKED_KEY, gone)
