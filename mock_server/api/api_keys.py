"""Keys that are handed out for a merchant (facts §1.5)."""

from __future__ import annotations

from mock_server.api.accounts import merchant
from mock_server.contract.answers import setup as answers
from mock_server.contract.requests import setup as shapes
from mock_server.domain.issued_key import IssuedKey, KeyFields
from mock_server.domain.paging import Query
from mock_server.engine import api_keys
from mock_server.http.binding import PerDialect, Resource
from mock_server.http.context import Answer, Call
from mock_server.http.running import register
from mock_server.http.show import show, show_page

views = Resource("api_keys")

LIST = PerDialect(lambda dialect: shapes.keys_list(dialect.list_keys.parameters))


def shown(call: Call, key: IssuedKey) -> Answer:
    """A key as an answer, without its text."""
    return show(answers.key(key, call.sandbox.dialect))


@views.view("api_keys.create", shapes.KEY)
def create_key(call: Call, fields: KeyFields, merchant_id: str) -> Answer:
    workspace = merchant(call, merchant_id)
    key = register(call, workspace, api_keys.create, workspace.space.name, fields)
    return show(answers.NEW_KEY.of(key, call.sandbox.dialect))


@views.view("api_keys.list", query=LIST)
def list_keys(call: Call, query: Query, merchant_id: str) -> Answer:
    return show_page(call, register(call, merchant(call, merchant_id), api_keys.page, query), answers.key)


@views.view("api_keys.retrieve")
def retrieve_key(call: Call, merchant_id: str, key_id: str) -> Answer:
    return shown(call, register(call, merchant(call, merchant_id), api_keys.retrieve, key_id))


@views.view("api_keys.update", shapes.KEY_UPDATE)
def update_key(call: Call, fields: KeyFields, merchant_id: str, key_id: str) -> Answer:
    workspace = merchant(call, merchant_id)
    return shown(call, register(call, workspace, api_keys.update, workspace.space.name, key_id, fields))


@views.view("api_keys.revoke")
def revoke_key(call: Call, merchant_id: str, key_id: str) -> Answer:
    gone = register(call, merchant(call, merchant_id), api_keys.revoke, key_id)
    return show({"merchant_id": gone.merchant_id, "key_id": gone.key_id, "revoked": True})
