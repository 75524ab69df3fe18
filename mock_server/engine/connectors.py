"""Connector accounts, and which of them a payment goes to (ours; facts §1.5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import structs

from mock_server.domain.errors import Cause, ObjectKind, Refusal
from mock_server.domain.merchant_account import ACTIVE, PROCESSOR, PROCESSORS, Connector, ConnectorFields
from mock_server.domain.paging import Page, Query
from mock_server.domain.payment import CONNECTOR
from mock_server.engine import profiles
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import CONNECTORS
from mock_server.store.protocol import Transaction


def find(tx: Transaction, desk: CommandContext, connector_id: str) -> Connector:
    """The connector account of that id. Refused as `object_unknown`."""
    connector = tx.get(CONNECTORS, connector_id)
    if connector is None:
        raise Refusal(Cause.OBJECT_UNKNOWN, kind=ObjectKind.CONNECTOR, id=connector_id)
    return connector


def create(tx: Transaction, desk: CommandContext, fields: ConnectorFields) -> Connector:
    """Stores a connector account. Refused as `object_unknown`, `connector_exists`."""
    profile = profiles.find(tx, fields.profile_id) if fields.profile_id else profiles.default(tx, desk)
    name = fields.connector_name or ""
    if fields.connector_id and tx.version(CONNECTORS, fields.connector_id):
        raise Refusal(Cause.CONNECTOR_EXISTS, label=fields.connector_id)
    connector = Connector(
        connector_id=fields.connector_id or desk.new_id(tx, "connector_account"),
        merchant_id=desk.merchant_id,
        profile_id=profile.profile_id,
        connector_type=fields.connector_type or PROCESSOR,
        connector_name=name,
        connector_label=f"{name}_{profile.profile_name}",
        created_at=desk.now,
        modified_at=desk.now,
    )
    return _kept(tx, connector, fields)


def update(tx: Transaction, desk: CommandContext, connector_id: str, fields: ConnectorFields) -> Connector:
    """Overwrites what was sent. Refused as `object_unknown`, `connector_exists`."""
    return _kept(tx, structs.replace(find(tx, desk, connector_id), modified_at=desk.now), fields)


def delete(tx: Transaction, desk: CommandContext, connector_id: str) -> Connector:
    """Deletes a connector account and returns it. Refused as `object_unknown`."""
    gone = find(tx, desk, connector_id)
    tx.remove(CONNECTORS, connector_id)
    renew(tx, gone.profile_id)
    return gone


def page(tx: Transaction, desk: CommandContext, query: Query) -> Page[Connector]:
    """One page of connector accounts, newest first."""
    return tx.find(CONNECTORS, query)


def _kept(tx: Transaction, connector: Connector, fields: ConnectorFields) -> Connector:
    changed = structs.replace(connector, **fields.carried, echo={**connector.echo, **fields.echo})
    label = changed.connector_label
    for other in tx.find(CONNECTORS, Query(filters={"connector_label": (label,)})).items:
        if other.connector_id != changed.connector_id:
            raise Refusal(Cause.CONNECTOR_EXISTS, label=label)
    kept = tx.put(CONNECTORS, changed)
    renew(tx, kept.profile_id)
    return kept


FACT: Final = "connector_routes:"
"""The fact of this name and a profile's ID has its accounts as pairs of name and ID, the newest first."""


def of(tx: Transaction, profile_id: str, wanted: Sequence[str]) -> tuple[str, str | None]:
    """Name and id of the account that a charge goes to; the sandbox's own connector has no id.

    That is the account of the first wanted name that the profile has, else its newest account.
    """
    known = tx.fact(FACT + profile_id)
    if known is None:
        return CONNECTOR, None
    by_name = dict(reversed(known))
    name = next((one for one in wanted if one in by_name), known[0][0])
    return name, by_name[name]


def renew(tx: Transaction, profile_id: str) -> None:
    """Updates a profile's fact; called whenever one of its accounts has changed."""
    found = [[one.connector_name, one.connector_id] for one in taking_charges(tx, profile_id)]
    tx.set_fact(FACT + profile_id, found or None)


def taking_charges(tx: Transaction, profile_id: str) -> list[Connector]:
    """The accounts of a profile that a charge can go to, the newest first."""
    accounts = tx.scan(CONNECTORS, Query(filters={"profile_id": (profile_id,)}))
    return [one for one in accounts if one.status == ACTIVE and not one.disabled and one.connector_type in PROCESSORS]


def everything(tx: Transaction, desk: CommandContext) -> list[Connector]:
    """The merchant's accounts, the newest first."""
    return list(tx.scan(CONNECTORS, Query()))
