"""API keys that merchants create, and which workspace each issued key opens."""

from __future__ import annotations

from typing import Final

from msgspec import structs

from mock_server.domain.api_keys import ApiKey, IssuedKey, KeyFields, KeyKind
from mock_server.domain.errors import Cause, FieldError, ObjectKind, Refusal
from mock_server.domain.paging import Page, Query
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import API_KEYS
from mock_server.store.transaction import Transaction

SECRET_LENGTH = 64
PREFIX_LENGTH = 12
FACTS: Final = "issued:"
"""The server's fact of this name and a key's digest says what the key opens; other keys have none."""


def open_with(tx: Transaction, digest: str, place: str, expires_at: int | None = None) -> None:
    """Lets a key open a workspace."""
    tx.set_fact(FACTS + digest, {"place": place, "expires_at": expires_at, "revoked": False})


def close(tx: Transaction, key: IssuedKey | ApiKey) -> None:
    """Notes that an issued key opens nothing any more."""
    fact = tx.fact(FACTS + key.digest)
    if fact is not None:
        tx.set_fact(FACTS + key.digest, {**fact, "revoked": True})


def create(tx: Transaction, context: CommandContext, place: str, fields: KeyFields) -> IssuedKey:
    """A new key of a merchant; its text is only in this answer. Refused as `value_invalid` (expiration)."""
    _permit_expiry(context, fields)
    # Counted by the registry: after a reset of the workspace, the same number would make an existing key again.
    number = tx.next(f"api_key:{context.merchant_id}")
    key = ApiKey(KeyKind.SECRET, context.randomness.token("api_key", number, SECRET_LENGTH))
    open_with(tx, key.digest, place, fields.expires_at)
    issued = IssuedKey(
        key_id=context.new_id(tx, "api_key_record", number),
        merchant_id=context.merchant_id,
        name=fields.name or "",
        description=fields.description,
        prefix=key.text[:PREFIX_LENGTH],
        digest=key.digest,
        created_at=context.now,
        expires_at=fields.expires_at,
    )
    tx.put(API_KEYS, issued)
    return structs.replace(issued, secret=key.text)


def retrieve(tx: Transaction, context: CommandContext, key_id: str) -> IssuedKey:
    """The key of that id, if it is this merchant's. Refused as `object_unknown`."""
    key = tx.get(API_KEYS, key_id)
    if key is None or key.merchant_id != context.merchant_id:
        raise Refusal(Cause.OBJECT_UNKNOWN, kind=ObjectKind.API_KEY, id=key_id)
    return key


def update(tx: Transaction, context: CommandContext, key_id: str, fields: KeyFields) -> IssuedKey:
    """Changes a key's name, description or end. Refused as `object_unknown`, `value_invalid` (expiration)."""
    key = retrieve(tx, context, key_id)
    _permit_expiry(context, fields)
    names = ("name", "description", "expires_at")
    sent = {name: value for name in names if (value := getattr(fields, name)) is not None}
    changed = structs.replace(key, **sent, **({"expires_at": None} if fields.never else {}))
    fact = FACTS + key.digest
    tx.set_fact(fact, {**tx.fact(fact), "expires_at": changed.expires_at})
    return tx.put(API_KEYS, changed)


def revoke(tx: Transaction, context: CommandContext, key_id: str) -> IssuedKey:
    """Revokes a key. Refused as `object_unknown`."""
    key = retrieve(tx, context, key_id)
    close(tx, key)
    tx.remove(API_KEYS, key_id)
    return key


def page(tx: Transaction, context: CommandContext, query: Query) -> Page[IssuedKey]:
    """One page of the merchant's keys, newest first."""
    return tx.find(API_KEYS, structs.replace(query, filters={"merchant_id": (context.merchant_id,)}))


def _permit_expiry(context: CommandContext, fields: KeyFields) -> None:
    if fields.expires_at is not None and fields.expires_at <= context.now:
        raise Refusal.of_fields([FieldError("expiration", "must be in the future, or never")])
