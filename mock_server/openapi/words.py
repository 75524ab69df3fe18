"""Descriptions and names of the document: tags, parts of paths, schemas, operations with several routes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from mock_server.contract.operation import Operation

TAGS: Final = {
    "payments": "Create, confirm, capture, cancel, review and retrieve payments.",
    "refunds": "Refund captured payments.",
    "disputes": "Disputes and evidence against them.",
    "customers": "Customers and their saved details.",
    "payment_methods": "Saved and available payment methods.",
    "mandates": "Mandates: permission of the customer to be charged later.",
    "profiles": "Business profiles: settings of a merchant's shops.",
    "accounts": "Merchant accounts.",
    "api_keys": "API keys of a merchant.",
    "connectors": "Connector accounts.",
    "ephemeral_keys": "Keys for one customer's browser or app.",
    "events": "Events and their deliveries.",
    "files": "Uploaded files.",
    "blocklist": "Cards that are always blocked.",
    "analytics": "Metrics, and reports as CSV files.",
    "health": "Check the key and the server.",
}
"""The API's tags, in the document's order."""

CONTROL_TAGS: Final = {
    "control: server": "The sandbox itself: health, version and reference tables.",
    "control: workspaces": "Workspaces of API keys, and how to reset them.",
    "control: clock": "The clock of a workspace.",
    "control: journal": "Recorded calls, and the reasons for their outcomes.",
    "control: payments": "Triggers for payments: what customers, banks and time do.",
    "control: refunds": "Triggers for refunds: what the processor does.",
    "control: disputes": "Triggers for disputes: what the bank does.",
    "control: scenarios": "Scenarios, which define outcomes in advance.",
    "control: next": "Queued outcomes for the next calls.",
    "control: webhooks": "The inbox of events, their endpoint and signatures.",
    "control: snapshots": "Saved workspaces that can be restored.",
}
"""The control API's tags, in the document's order."""
_SERVER: Final = "control: server"

_PARTS: Final = {
    "merchant_id": "Id of the key's merchant. Each key has its own merchant.",
    "domain": "Domain of the metrics: `payments`, `refunds` or `disputes`.",
    "report": "Domain of the report: `payments`, `refunds` or `dispute`.",
    "name": "Name.",
    "key_id": "Id of the key, not its value.",
    "connector_id": "Id of the connector account.",
}


def tag_of(operation: str, path: str = "") -> str:
    """The tag of an operation: its resource, or its place in the control API."""
    if not path:
        return operation.partition(".")[0]
    tag = f"control: {path.split('/')[2]}"
    return tag if tag in CONTROL_TAGS else "control: workspaces" if tag == "control: reset" else _SERVER


def about_part(name: str) -> str:
    """A part of a path in a sentence."""
    return _PARTS.get(name, f"The {name.removesuffix('_id').replace('_', ' ')}'s id.")


# names

_PART: Final = re.compile("<([a-z_]+)>")


def camel(name: str) -> str:
    """`payment_methods.create` as `PaymentMethodsCreate`; capitals stay."""
    return "".join(part[:1].upper() + part[1:] for part in re.split("[._]", name) if part)


def template(path: str) -> str:
    """A path as OpenAPI writes it."""
    return _PART.sub(r"{\1}", path)


def parts_of(path: str) -> tuple[str, ...]:
    """The names of a path's parts."""
    return tuple(_PART.findall(path))


def operation_ids(rows: Iterable[Operation]) -> Iterator[tuple[Operation, str]]:
    """Each row with a unique id: its name, and for several routes of one name, what is different in this one."""
    first: dict[str, Operation] = {}
    taken: set[str] = set()
    for row in rows:
        wanted = _wanted(row, first.setdefault(row.name, row))
        unique = next(name for name in wanted if name not in taken)
        taken.add(unique)
        yield row, unique


def _wanted(row: Operation, first: Operation) -> Iterator[str]:
    """The name alone, with a word that only this path has, with the method, with both; `short` for a shorter path."""
    yield row.name
    known = set(_words(first))
    own = [word for word in _words(row) if word not in known]
    method = row.method.lower()
    yield from (f"{row.name}.{word}" for word in own)
    if row.method != first.method:
        yield f"{row.name}.{method}"
    yield from (f"{row.name}.{word}.{method}" for word in own)
    yield f"{row.name}.short"


def _words(row: Operation) -> list[str]:
    return re.findall("[a-z_]+", _PART.sub("", row.path))
