"""Merchant accounts (facts §1.5)."""

from __future__ import annotations

from mock_server.domain.merchant_account import AccountFields, MerchantAccount, ShownAccount
from mock_server.engine.setup import accounts
from mock_server.http.binding import PerDialect, Resource
from mock_server.http.context import Answer, Call
from mock_server.http.registering import register, run_in
from mock_server.http.show import show
from mock_server.sandbox import World
from mock_server.shapes.answers import setup as answers
from mock_server.shapes.requests import setup as shapes

views = Resource("accounts")

ACCOUNT = PerDialect(lambda dialect: shapes.account(dialect.readings))


def merchant(call: Call, merchant_id: str) -> World:
    """The world of a merchant. Refused as `object_unknown`."""
    world = call.sandbox.merchants.world_of(merchant_id)
    if world is None:
        raise accounts.unknown(merchant_id)
    return world


def shown(call: Call, record: ShownAccount) -> Answer:
    """An account as an answer."""
    return show(answers.account(record, call.sandbox.dialect))


def _with_profile(call: Call, world: World, account: MerchantAccount, fields: AccountFields) -> Answer:
    return shown(call, run_in(call, world, accounts.settle, account, fields))


@views.view("accounts.create", ACCOUNT)
def create_account(call: Call, fields: AccountFields) -> Answer:
    world = call.sandbox.merchants.begin(fields.merchant_id)
    account = register(call, world, accounts.enter, world.space.name, fields)
    return _with_profile(call, world, account, fields)


@views.view("accounts.retrieve")
def retrieve_account(call: Call, merchant_id: str) -> Answer:
    world = merchant(call, merchant_id)
    account = register(call, world, accounts.look_up, world.space.name, world.identity.created_at)
    return _with_profile(call, world, account, AccountFields())


@views.view("accounts.update", ACCOUNT)
def update_account(call: Call, fields: AccountFields, merchant_id: str) -> Answer:
    world = merchant(call, merchant_id)
    account = register(call, world, accounts.change, world.space.name, world.identity.created_at, fields)
    return _with_profile(call, world, account, fields)


@views.view("accounts.delete")
def delete_account(call: Call, merchant_id: str) -> Answer:
    world = merchant(call, merchant_id)
    gone = register(call, world, accounts.strike)
    call.sandbox.merchants.close(world)
    return show({"merchant_id": gone, "deleted": True})
