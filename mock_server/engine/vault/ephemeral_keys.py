"""Ephemeral keys: issued for one customer, valid for an hour, revoked (facts §1.4)."""

from __future__ import annotations

from msgspec import structs

from mock_server.domain.api_keys import ApiKey, EphemeralKey, KeyKind, rest_of, tag_of
from mock_server.domain.customer import Customer, CustomerFields
from mock_server.domain.errors import Cause, ObjectKind, Refusal
from mock_server.domain.limits import EPHEMERAL_KEY_MS
from mock_server.domain.paging import Query
from mock_server.engine import customers
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import EPHEMERAL_KEYS
from mock_server.engine.listing import drop_expired
from mock_server.store.transaction import Transaction


def create(tx: Transaction, context: CommandContext, customer_id: str) -> EphemeralKey:
    """A new key of a customer; its secret is only in this answer. Refused as `object_unknown`, `customer_redacted`."""
    customers.present(tx, customer_id)
    drop_expired(tx, EPHEMERAL_KEYS, context.now)
    random = context.randomness.hex("ephemeral_key", tx.next("ephemeral_key"))
    key = ApiKey(KeyKind.EPHEMERAL, rest_of(tag_of(context.merchant_id), random))
    kept = EphemeralKey(
        key_id=context.new_id(tx, "ephemeral_key_record"),
        customer_id=customer_id,
        digest=key.digest,
        created_at=context.now,
        expires_at=context.now + EPHEMERAL_KEY_MS,
        merchant_id=context.merchant_id,
    )
    tx.put(EPHEMERAL_KEYS, kept)
    return structs.replace(kept, secret=key.text)


def with_customer(tx: Transaction, context: CommandContext, fields: CustomerFields) -> tuple[Customer, EphemeralKey]:
    """Creates a customer, and a key for its browser. Refused as `customer_exists`."""
    customer = customers.create(tx, context, fields)
    return customer, create(tx, context, customer.customer_id)


def revoke(tx: Transaction, context: CommandContext, key_id: str) -> EphemeralKey:
    """Revokes a key and returns it. Refused as `object_unknown`."""
    key = tx.get(EPHEMERAL_KEYS, key_id)
    if key is None:
        raise Refusal(Cause.OBJECT_UNKNOWN, kind=ObjectKind.EPHEMERAL_KEY, id=key_id)
    tx.remove(EPHEMERAL_KEYS, key_id)
    return structs.replace(key, merchant_id=context.merchant_id)


def by_digest(tx: Transaction, digest: str) -> EphemeralKey | None:
    """The key of a digest, if this workspace issued it."""
    found = tx.find(EPHEMERAL_KEYS, Query(filters={"digest": (digest,)}, limit=1)).items
    return found[0] if found else None


def holder(tx: Transaction, digest: str, now: int) -> str:
    """The customer whose key this is. Refused as `ephemeral_key_wrong`."""
    key = by_digest(tx, digest)
    if key is None or key.expires_at <= now:
        raise Refusal(Cause.EPHEMERAL_KEY_WRONG)
    return key.customer_id
