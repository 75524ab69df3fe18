"""Which connector account a payment goes to: the newest of its profile that is in use, or the one it asks for (ours).

A fact of the workspace tells, so that a charge in a workspace without accounts costs one look and no search.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from mock_server.domain.connector import ACTIVE, PROCESSORS, Connector
from mock_server.domain.paging import Query
from mock_server.domain.payment import CONNECTOR
from mock_server.engine.kinds import CONNECTORS
from mock_server.store.protocol import Transaction

FACT: Final = "connector_routes:"
"""What the names of the facts begin with; each is a profile's accounts as pairs of name and id, the newest first."""


class Route(NamedTuple):
    """Where a charge goes; `id` is None for the sandbox's own connector."""

    name: str
    id: str | None


OWN: Final = Route(CONNECTOR, None)


def of(tx: Transaction, profile_id: str, wanted: Sequence[str]) -> Route:
    """The route of a charge: the first wanted name that the profile has an account of, else its newest account."""
    known = tx.fact(FACT + profile_id)
    if known is None:
        return OWN
    by_name = dict(reversed(known))
    name = next((one for one in wanted if one in by_name), known[0][0])
    return Route(name, by_name[name])


def renew(tx: Transaction, profile_id: str) -> None:
    """Writes a profile's fact anew; to be called whenever one of its accounts changed."""
    accounts = tx.scan(CONNECTORS, Query(filters={"profile_id": (profile_id,)}))
    found = [[one.connector_name, one.connector_id] for one in accounts if _takes_charges(one)]
    tx.set_fact(FACT + profile_id, found or None)


def _takes_charges(account: Connector) -> bool:
    return account.status == ACTIVE and not account.disabled and account.connector_type in PROCESSORS
