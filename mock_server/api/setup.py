"""The set-up of a merchant: accounts, keys, connectors, business profiles, the blocklist (facts §1.5, §1.6)."""

from __future__ import annotations

from msgspec.structs import replace

from mock_server import __version__
from mock_server.api.binding import view
from mock_server.contract.answers import saved
from mock_server.contract.answers import setup as answers
from mock_server.contract.answers.common import HEALTH
from mock_server.contract.answers.writing import write
from mock_server.domain.blocklist import BlockKind, BlockRequest, ListBlocks, ToggleBlocklist
from mock_server.domain.issued_key import IssuedKey, KeyFields
from mock_server.domain.merchant_account import AccountFields, Connector, ConnectorFields, MerchantAccount, ShownAccount
from mock_server.domain.paging import Query
from mock_server.domain.profile import Profile, ProfileFields
from mock_server.engine import accounts, api_keys, blocklist, connectors, profiles
from mock_server.http.context import Answer, Call
from mock_server.http.running import register, run, run_in
from mock_server.http.show import show, show_as, show_or_text, show_page
from mock_server.sandbox import Workspace


@view("health.check")
def check_health(call: Call) -> Answer:
    return show_or_text(call, HEALTH, __version__)


# merchant accounts


def merchant(call: Call, merchant_id: str) -> Workspace:
    """The workspace of a merchant. Refused as `object_unknown`."""
    workspace = call.sandbox.merchants.workspace_of(merchant_id)
    if workspace is None:
        raise accounts.unknown(merchant_id)
    return workspace


def _shown_account(call: Call, record: ShownAccount) -> Answer:
    """An account as an answer."""
    return show_as(call, answers.ACCOUNT, record)


def _account_with_profile(call: Call, workspace: Workspace, account: MerchantAccount, fields: AccountFields) -> Answer:
    return _shown_account(call, run_in(call, workspace, accounts.settle, account, fields))


@view("accounts.create")
def create_account(call: Call, fields: AccountFields) -> Answer:
    workspace = call.sandbox.merchants.begin(fields.merchant_id)
    account = register(call, workspace, accounts.enter, workspace.space.name, fields)
    return _account_with_profile(call, workspace, account, fields)


@view("accounts.retrieve")
def retrieve_account(call: Call, merchant_id: str) -> Answer:
    workspace = merchant(call, merchant_id)
    account = register(call, workspace, accounts.look_up, workspace.space.name, workspace.identity.created_at)
    return _account_with_profile(call, workspace, account, AccountFields())


@view("accounts.update")
def update_account(call: Call, fields: AccountFields, merchant_id: str) -> Answer:
    workspace = merchant(call, merchant_id)
    account = register(call, workspace, accounts.change, workspace.space.name, workspace.identity.created_at, fields)
    return _account_with_profile(call, workspace, account, fields)


@view("accounts.delete")
def delete_account(call: Call, merchant_id: str) -> Answer:
    workspace = merchant(call, merchant_id)
    gone = register(call, workspace, accounts.strike)
    call.sandbox.merchants.close(workspace)
    return show_as(call, answers.ACCOUNT_DELETION, gone)


# API keys


def _shown_key(call: Call, key: IssuedKey) -> Answer:
    """A key as an answer, without its text."""
    return show_as(call, answers.KEY, key)


@view("api_keys.create")
def create_key(call: Call, fields: KeyFields, merchant_id: str) -> Answer:
    workspace = merchant(call, merchant_id)
    key = register(call, workspace, api_keys.create, workspace.space.name, fields)
    return show_as(call, answers.NEW_KEY, key)


@view("api_keys.list")
def list_keys(call: Call, query: Query, merchant_id: str) -> Answer:
    return show_page(call, register(call, merchant(call, merchant_id), api_keys.page, query), answers.KEY)


@view("api_keys.retrieve")
def retrieve_key(call: Call, merchant_id: str, key_id: str) -> Answer:
    return _shown_key(call, register(call, merchant(call, merchant_id), api_keys.retrieve, key_id))


@view("api_keys.update")
def update_key(call: Call, fields: KeyFields, merchant_id: str, key_id: str) -> Answer:
    workspace = merchant(call, merchant_id)
    return _shown_key(call, register(call, workspace, api_keys.update, workspace.space.name, key_id, fields))


@view("api_keys.revoke")
def revoke_key(call: Call, merchant_id: str, key_id: str) -> Answer:
    gone = register(call, merchant(call, merchant_id), api_keys.revoke, key_id)
    return show_as(call, answers.REVOKED_KEY, gone)


# connector accounts


def _shown_connector(call: Call, connector: Connector) -> Answer:
    """A connector account as an answer."""
    return show_as(call, answers.CONNECTOR, connector)


@view("connectors.create")
def create_connector(call: Call, fields: ConnectorFields, merchant_id: str) -> Answer:
    return _shown_connector(call, run(call, connectors.create, merchant_id, fields))


@view("connectors.list")
def list_connectors(call: Call, query: Query, merchant_id: str) -> Answer:
    return show_page(call, run(call, connectors.page, merchant_id, query), answers.LISTED_CONNECTOR)


@view("connectors.retrieve")
def retrieve_connector(call: Call, merchant_id: str, connector_id: str) -> Answer:
    return _shown_connector(call, run(call, connectors.retrieve, merchant_id, connector_id))


@view("connectors.update")
def update_connector(call: Call, fields: ConnectorFields, merchant_id: str, connector_id: str) -> Answer:
    return _shown_connector(call, run(call, connectors.update, merchant_id, connector_id, fields))


@view("connectors.delete")
def delete_connector(call: Call, merchant_id: str, connector_id: str) -> Answer:
    gone = run(call, connectors.delete, merchant_id, connector_id)
    return show_as(call, answers.CONNECTOR_DELETION, gone)


# business profiles


def _shown_profile(call: Call, profile: Profile) -> Answer:
    """A profile as an answer."""
    return show_as(call, answers.PROFILE, profile)


@view("profiles.create")
def create_profile(call: Call, fields: ProfileFields, merchant_id: str) -> Answer:
    return _shown_profile(call, run(call, profiles.create, merchant_id, fields))


@view("profiles.list")
def list_profiles(call: Call, query: Query, merchant_id: str) -> Answer:
    return show_page(call, run(call, profiles.page, merchant_id, query), answers.PROFILE)


@view("profiles.retrieve")
def retrieve_profile(call: Call, merchant_id: str, profile_id: str) -> Answer:
    return _shown_profile(call, run(call, profiles.retrieve, merchant_id, profile_id))


@view("profiles.update")
def update_profile(call: Call, fields: ProfileFields, merchant_id: str, profile_id: str) -> Answer:
    return _shown_profile(call, run(call, profiles.update, merchant_id, profile_id, fields))


@view("profiles.replace")
def replace_profile(call: Call, fields: ProfileFields, merchant_id: str, profile_id: str) -> Answer:
    return _shown_profile(call, run(call, profiles.replace, merchant_id, profile_id, fields))


@view("profiles.delete")
def delete_profile(call: Call, merchant_id: str, profile_id: str) -> Answer:
    return show(run(call, profiles.delete, merchant_id, profile_id))


@view("profiles.toggle_connector_agnostic_mit")
def toggle_connector_agnostic_mit(call: Call, enabled: bool, merchant_id: str, profile_id: str) -> Answer:
    fields = ProfileFields({"is_connector_agnostic_mit_enabled": enabled})
    profile = run(call, profiles.update, merchant_id, profile_id, fields)
    return show_as(call, answers.MIT_SWITCH, profile)


# the blocklist


@view("blocklist.add")
def add_block(call: Call, command: BlockRequest) -> Answer:
    return show_as(call, saved.BLOCK, run(call, blocklist.add, command))


@view("blocklist.remove")
def remove_block(call: Call, command: BlockRequest) -> Answer:
    return show_as(call, saved.BLOCK, run(call, blocklist.remove, command))


@view("blocklist.list")
def list_blocks(call: Call, asked: ListBlocks) -> Answer:
    """A page is told the beginnings of numbers alone."""
    asked = replace(asked, kind=BlockKind.CARD_BIN) if call.by_client else asked
    return show([write(saved.BLOCK, block, call.dialect) for block in run(call, blocklist.page, asked)])


@view("blocklist.toggle")
def toggle_blocklist(call: Call, command: ToggleBlocklist) -> Answer:
    return show_as(call, saved.BLOCKLIST_SWITCH, run(call, blocklist.toggle, command))
