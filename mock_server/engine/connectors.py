"""Connector accounts, and which of them a payment goes to (ours; facts §1.5)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct, structs

from mock_server.domain import methods
from mock_server.domain.errors import Cause, ObjectKind, Refusal, existing
from mock_server.domain.merchant import ACTIVE, PROCESSOR, PROCESSORS, Connector, ConnectorFields
from mock_server.domain.methods import Method, types_of
from mock_server.domain.paging import Query
from mock_server.domain.payment import CONNECTOR, Payment
from mock_server.engine import listing, profiles
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import CONNECTORS
from mock_server.store.transaction import Transaction


def find(tx: Transaction, context: CommandContext, connector_id: str) -> Connector:
    """The connector account of that id. Refused as `object_unknown`."""
    return existing(tx.get(CONNECTORS, connector_id), ObjectKind.CONNECTOR, connector_id)


def create(tx: Transaction, context: CommandContext, fields: ConnectorFields) -> Connector:
    """Stores a connector account. Refused as `object_unknown`, `connector_exists`."""
    profile = profiles.find(tx, fields.profile_id) if fields.profile_id else profiles.default(tx, context)
    name = fields.connector_name or ""
    if taken := tx.get(CONNECTORS, fields.connector_id or ""):
        raise Refusal(Cause.CONNECTOR_EXISTS, label=taken.connector_id, profile_id=taken.profile_id)
    connector = Connector(
        connector_id=fields.connector_id or context.new_id(tx, "connector_account"),
        merchant_id=context.merchant_id,
        profile_id=profile.profile_id,
        connector_type=fields.connector_type or PROCESSOR,
        connector_name=name,
        connector_label=f"{name}_{profile.profile_name}",
        created_at=context.now,
        modified_at=context.now,
    )
    return _kept(tx, connector, fields)


def update(tx: Transaction, context: CommandContext, connector_id: str, fields: ConnectorFields) -> Connector:
    """Overwrites what was sent. Refused as `object_unknown`, `connector_exists`."""
    return _kept(tx, structs.replace(find(tx, context, connector_id), modified_at=context.now), fields)


def delete(tx: Transaction, context: CommandContext, connector_id: str) -> Connector:
    """Deletes a connector account and returns it. Refused as `object_unknown`."""
    gone = find(tx, context, connector_id)
    tx.remove(CONNECTORS, connector_id)
    renew(tx, gone.profile_id)
    return gone


page = listing.pages(CONNECTORS)


def _kept(tx: Transaction, connector: Connector, fields: ConnectorFields) -> Connector:
    changed = structs.replace(connector, **fields.carried, echo={**connector.echo, **fields.echo})
    label, profile_id = changed.connector_label, changed.profile_id
    for other in tx.find(CONNECTORS, Query(filters={"connector_label": (label,), "profile_id": (profile_id,)})).items:
        if other.connector_id != changed.connector_id:
            raise Refusal(Cause.CONNECTOR_EXISTS, label=label, profile_id=profile_id)
    stored = tx.put(CONNECTORS, changed)
    renew(tx, stored.profile_id)
    return stored


ENABLED: Final = "payment_methods_enabled"
Limits = Mapping[str, Any]
"""An account's limits of one type: currencies, countries, amounts, networks."""


def enabled(account: Connector) -> Mapping[Method, list[Limits]] | None:
    """The account's limits of each method that it enables; None if it lists no methods: it takes all."""
    groups = json.loads(account.echo.get(ENABLED, "null"))
    if groups is None:
        return None
    found: dict[Method, list[Limits]] = {}
    for group in groups:
        category, types = group["payment_method"], group.get("payment_method_types")
        every = [{"payment_method_type": word} for word in types_of(category, public=True)]
        for limits in every if types is None else types:
            row = methods.find((category, limits["payment_method_type"]))
            if row is not None:
                found.setdefault(row, []).append(limits)
    return found


class AccountRoute(Struct, array_like=True):
    """An account in a profile's fact, with the methods that it enables; None for all.

    Older data files have neither the methods nor this order; the next charge renews them.
    """

    name: str
    connector_id: str
    methods: list[str] | None = None


FACT: Final = "connector_routes:"
"""The fact of this name and a profile's ID has its accounts as routes, the oldest first."""


def of(tx: Transaction, payment: Payment) -> tuple[str, str | None]:
    """Name and id of the account that a charge goes to; the sandbox's own connector has no id.

    That is the oldest account of the first name that the payment wants, else the oldest that enables its method, else
    the oldest. A retry goes to the next one.
    """
    known = tx.fact(FACT + payment.profile_id)
    if known is None:
        return CONNECTOR, None
    if len(known[0]) < 3:
        known = renew(tx, payment.profile_id)
    wanted = payment.wanted_connectors or _named(json.loads(payment.echo.get("routing", "null")))
    fitting = [row for word in wanted for row in known if word in row[:2]]
    fitting = fitting or [row for row in known if _takes(row[2], payment)] or known[:1]
    last = payment.merchant_connector_id if payment.past_attempts else None
    following = next((position for position, row in enumerate(fitting, 1) if row[1] == last), 0)
    name, account_id, _ = fitting[following % len(fitting)]
    return name, account_id


def _named(routing: object) -> list[str]:
    """The accounts that a payment's `routing` names, by name or id, in its order."""
    if isinstance(routing, list):
        return [word for part in routing for word in _named(part)]
    if isinstance(routing, dict):
        return _named(next((routing[key] for key in _NAMING if routing.get(key)), None))
    return [routing] if isinstance(routing, str) else []


_NAMING: Final = ("merchant_connector_id", "connector", "data")


def _takes(methods: Sequence[str] | None, payment: Payment) -> bool:
    """Whether an account takes the payment's method; a card whose type is not named is taken as any."""
    if methods is None or payment.payment_method_type is None:
        return methods is None or any(word.startswith(f"{payment.payment_method}.") for word in methods)
    return f"{payment.payment_method}.{payment.payment_method_type}" in methods


def renew(tx: Transaction, profile_id: str) -> list[Any]:
    """Updates a profile's fact, and returns it; called whenever one of its accounts has changed."""
    found: list[Any] = []
    for account in taking_charges(tx, profile_id):
        rows = enabled(account)
        methods = None if rows is None else [f"{row.category}.{row.type}" for row in rows]
        found.append([account.connector_name, account.connector_id, methods])
    tx.set_fact(FACT + profile_id, found or None)
    return found


def taking_charges(tx: Transaction, profile_id: str) -> list[Connector]:
    """The accounts of a profile that a charge can go to, the oldest first."""
    accounts = tx.scan(CONNECTORS, Query(filters={"profile_id": (profile_id,)}, ascending=True))
    return [row for row in accounts if row.status == ACTIVE and not row.disabled and row.connector_type in PROCESSORS]


def everything(tx: Transaction, context: CommandContext) -> list[Connector]:
    """The merchant's accounts, the newest first."""
    return list(tx.scan(CONNECTORS, Query()))
