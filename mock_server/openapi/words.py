"""Sentences of the document: tags, the parts of paths, the keys."""

from __future__ import annotations

from typing import Final

TAGS: Final = {
    "payments": "Payments: create, confirm, capture, cancel, review, look up.",
    "refunds": "Refunds of what was captured.",
    "disputes": "Disputes and the evidence against them.",
    "customers": "Customers, and what is saved for them.",
    "payment_methods": "Saved payment methods, and those on offer.",
    "mandates": "Mandates: agreements to charge without the customer.",
    "profiles": "Business profiles: what differs between a merchant's shops.",
    "accounts": "Merchant accounts.",
    "api_keys": "Keys that are handed out for a merchant.",
    "connectors": "Connector accounts.",
    "ephemeral_keys": "Keys for one customer's browser or app.",
    "events": "Events and their deliveries.",
    "files": "Uploaded files.",
    "blocklist": "Cards that are not charged.",
    "analytics": "Numbers, and reports as CSV.",
    "health": "Whether the key is good and the server is up.",
}
"""The API's tags, in the document's order."""

CONTROL_TAGS: Final = {
    "control: server": "The sandbox itself: health, version, the tables it works by.",
    "control: workspaces": "The workspaces that API keys open, and new ones in their place.",
    "control: clock": "A workspace's time.",
    "control: journal": "What was called, and why it was answered so.",
    "control: payments": "What customers, banks and time do to a payment, by hand.",
    "control: refunds": "What the connector says of a refund, by hand.",
    "control: disputes": "What the bank says next of a dispute, by hand.",
    "control: scenarios": "What shall happen, written down.",
    "control: next": "What the next such calls come to.",
    "control: webhooks": "The inbox of events, their target and signatures.",
    "control: snapshots": "Workspaces that are kept, to come back to.",
}
"""The control API's tags, in the document's order."""
_SERVER: Final = "control: server"

_PARTS: Final = {
    "merchant_id": "The merchant of the key; each key has one of its own.",
    "domain": "What the numbers are of: `payments`, `refunds` or `disputes`.",
    "report": "What the report is of: `payments`, `refunds` or `dispute`.",
    "name": "Its name.",
    "key_id": "The key's id; never its text.",
    "connector_id": "The connector account's id.",
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
