"""The set-up of a merchant: accounts, keys, connectors, business profiles, the blocklist (facts §1.5, §1.6)."""

from __future__ import annotations

from typing import Any, TypeVar

from mock_server import __version__
from mock_server.api.binding import Command, runs, view
from mock_server.contract.answers import saved
from mock_server.contract.answers import setup as answers
from mock_server.contract.answers.common import HEALTH
from mock_server.contract.answers.writing import write
from mock_server.domain.api_keys import KeyFields
from mock_server.domain.blocklist import BlockKind
from mock_server.domain.errors import ObjectKind, Refusal, unknown
from mock_server.domain.merchant import AccountFields, MerchantAccount
from mock_server.engine import accounts, blocklist, connectors, profiles
from mock_server.engine.profiles import of_merchant
from mock_server.http.binding import show, show_as
from mock_server.http.running import TEXT, Answer, Call, register, run, run_in
from mock_server.sandbox import Workspace

T = TypeVar("T")


@view("health.check")
def check_health(call: Call) -> Answer:
    text = call.dialect.texts.get("health.check")
    return show_as(call, HEALTH, __version__) if text is None else Answer(200, text.encode(), (TEXT,))


# merchant accounts


def _merchant(call: Call, merchant_id: str) -> Workspace:
    """The workspace of a merchant, that of the call if it is one of several. Refused as `object_unknown`."""
    own = call.merchant or call.workspace
    workspace = own if own.merchant_id == merchant_id else call.sandbox.merchants.workspace_of(merchant_id)
    if workspace is None:
        raise unknown(ObjectKind.MERCHANT, merchant_id)
    return workspace


def _account_with_profile(
    call: Call, workspace: Workspace, account: MerchantAccount, fields: AccountFields, *, new: bool = False
) -> Answer:
    return show_as(call, answers.ACCOUNT, run_in(call, workspace, accounts.settle, account, fields, new=new))


@view("accounts.create")
def create_account(call: Call, fields: AccountFields) -> Answer:
    workspace = call.sandbox.merchants.begin(fields.merchant_id)
    account = register(call, workspace, accounts.enter, workspace.space.name, fields)
    try:
        return _account_with_profile(call, workspace, account, fields, new=True)
    except Refusal:  # of a setting; the id can be sent again
        delete_account(call, account.merchant_id)
        raise


@view("accounts.retrieve")
def retrieve_account(call: Call, merchant_id: str) -> Answer:
    workspace = _merchant(call, merchant_id)
    account = register(call, workspace, accounts.look_up, workspace.space.name, workspace.identity.created_at)
    return _account_with_profile(call, workspace, account, AccountFields())


@view("accounts.update")
def update_account(call: Call, fields: AccountFields, merchant_id: str) -> Answer:
    workspace = _merchant(call, merchant_id)
    place = (workspace.space.name, workspace.identity.created_at)
    # What is refused of the settings changes nothing of the account.
    run_in(call, workspace, accounts.settle, register(call, workspace, accounts.look_up, *place), fields)
    account = register(call, workspace, accounts.change, *place, fields)
    return _account_with_profile(call, workspace, account, fields)


@view("accounts.delete")
def delete_account(call: Call, merchant_id: str) -> Answer:
    workspace = _merchant(call, merchant_id)
    gone = register(call, workspace, accounts.strike, workspace.space.name)
    call.sandbox.end_in(workspace.space.name)
    return show_as(call, answers.ACCOUNT_DELETION, gone)


# API keys


@view("api_keys.create")
def create_key(call: Call, fields: KeyFields, merchant_id: str) -> Answer:
    workspace = _merchant(call, merchant_id)
    return show_as(call, answers.NEW_KEY, register(call, workspace, accounts.create, workspace.space.name, fields))


def _in_registry(call: Call, command: Command[T], merchant_id: str, *args: Any) -> T:
    return register(call, _merchant(call, merchant_id), command, *args)


runs("api_keys.list", accounts.page, run_by=_in_registry)
runs("api_keys.retrieve", accounts.retrieve, run_by=_in_registry)
runs("api_keys.update", accounts.update, run_by=_in_registry)
runs("api_keys.revoke", accounts.revoke, run_by=_in_registry)

# connector accounts, business profiles, the blocklist

runs("connectors.create", of_merchant(connectors.create))
runs("connectors.list", of_merchant(connectors.page))
runs("connectors.retrieve", of_merchant(connectors.find))
runs("connectors.update", of_merchant(connectors.update))
runs("connectors.delete", of_merchant(connectors.delete))
runs("profiles.create", of_merchant(profiles.create))
runs("profiles.list", of_merchant(profiles.page))
runs("profiles.retrieve", of_merchant(profiles.retrieve))
runs("profiles.update", of_merchant(profiles.update))
runs("profiles.replace", of_merchant(profiles.replace))
runs("profiles.delete", of_merchant(profiles.delete))
runs("profiles.toggle_connector_agnostic_mit", of_merchant(profiles.toggle_connector_agnostic_mit))
runs("blocklist.add", blocklist.add)
runs("blocklist.remove", blocklist.remove)
runs("blocklist.toggle", blocklist.toggle)


@view("blocklist.list")
def list_blocks(call: Call, asked: dict[str, Any]) -> Answer:
    """A page gets only the beginnings of numbers."""
    asked = {**asked, "kind": BlockKind.CARD_BIN} if call.by_client else asked
    return show([write(saved.BLOCK, block, call.dialect) for block in run(call, blocklist.page, **asked)])
