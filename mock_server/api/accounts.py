"""Merchant accounts (facts §1.5)."""

from __future__ import annotations

from mock_server.contract.answers import setup as answers
from mock_server.contract.requests import setup as shapes
from mock_server.domain.merchant_account import AccountFields, MerchantAccount, ShownAccount
from mock_server.engine import accounts
from mock_server.http.binding import PerDialect, Resource
from mock_server.http.context import Answer, Call
from mock_server.http.running import register, run_in
from mock_server.http.show import show
from mock_server.sandbox import Workspace

views = Resource("accounts")

ACCOUNT = PerDialect(lambda dialect: shapes.account(dialect.readings))


def merchant(call: Call, merchant_id: str) -> Workspace:
    """The workspace of a merchant. Refused as `object_unknown`."""
    workspace = call.sandbox.merchants.workspace_of(merchant_id)
    if workspace is None:
        raise accounts.unknown(merchant_id)
    return workspace


def shown(call: Call, record: ShownAccount) -> Answer:
    """An account as an answer."""
    return show(answers.account(record, call.sandbox.dialect))


def _with_profile(call: Call, workspace: Workspace, account: MerchantAccount, fields: AccountFields) -> Answer:
    return shown(call, run_in(call, workspace, accounts.settle, account, fields))


@views.view("accounts.create", ACCOUNT)
def create_account(call: Call, fields: AccountFields) -> Answer:
    workspace = call.sandbox.merchants.begin(fields.merchant_id)
    account = register(call, workspace, accounts.enter, workspace.space.name, fields)
    return _with_profile(call, workspace, account, fields)


@views.view("accounts.retrieve")
def retrieve_account(call: Call, merchant_id: str) -> Answer:
    workspace = merchant(call, merchant_id)
    account = register(call, workspace, accounts.look_up, workspace.space.name, workspace.identity.created_at)
    return _with_profile(call, workspace, account, AccountFields())


@views.view("accounts.update", ACCOUNT)
def update_account(call: Call, fields: AccountFields, merchant_id: str) -> Answer:
    workspace = merchant(call, merchant_id)
    account = register(call, workspace, accounts.change, workspace.space.name, workspace.identity.created_at, fields)
    return _with_profile(call, workspace, account, fields)


@views.view("accounts.delete")
def delete_account(call: Call, merchant_id: str) -> Answer:
    workspace = merchant(call, merchant_id)
    gone = register(call, workspace, accounts.strike)
    call.sandbox.merchants.close(workspace)
    return show({"merchant_id": gone, "deleted": True})
