"""Merchant accounts in the server's registry, and the API keys that merchants create (facts §1.5)."""

from __future__ import annotations

import json
from typing import Final

from msgspec import structs

from mock_server.domain.api_keys import ApiKey, IssuedKey, KeyFields, KeyKind, Opens, parse
from mock_server.domain.errors import Cause, ObjectKind, Refusal, existing, unknown, wrong_field
from mock_server.domain.merchant import AccountFields, MerchantAccount, ProfileFields, ShownAccount
from mock_server.domain.paging import Page, Query
from mock_server.domain.report import ORGANIZATION
from mock_server.engine import profiles
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import ACCOUNTS, API_KEYS
from mock_server.store.transaction import Transaction

PUBLISHABLE_DIGITS = 32


def enter(tx: Transaction, context: CommandContext, space_name: str, fields: AccountFields) -> MerchantAccount:
    """Adds a merchant to the registry, with the publishable key of its workspace. Refused as `merchant_exists`."""
    if tx.has(ACCOUNTS, context.merchant_id):
        raise Refusal(Cause.MERCHANT_EXISTS, merchant_id=context.merchant_id)
    digits = context.randomness.hex(
        "publishable_key", tx.next(f"publishable_key:{context.merchant_id}"), PUBLISHABLE_DIGITS
    )
    key = ApiKey(KeyKind.PUBLISHABLE, digits)
    _open_with(tx, key.digest, space_name)
    account = MerchantAccount(
        merchant_id=context.merchant_id,
        place=space_name,
        created_at=context.now,
        modified_at=context.now,
        publishable_key=key.text,
    )
    return tx.put(ACCOUNTS, _written(account, fields))


def change(
    tx: Transaction, context: CommandContext, space_name: str, began_at: int, fields: AccountFields
) -> MerchantAccount:
    """Overwrites what was sent; a merchant who had no row gets one."""
    before = look_up(tx, context, space_name, began_at)
    return tx.put(ACCOUNTS, structs.replace(_written(before, fields), modified_at=context.now))


def look_up(tx: Transaction, context: CommandContext, space_name: str, began_at: int) -> MerchantAccount:
    """The merchant's row; a merchant whose workspace was created by a key has none yet."""
    return tx.get(ACCOUNTS, context.merchant_id) or MerchantAccount(
        merchant_id=context.merchant_id, place=space_name, created_at=began_at, modified_at=began_at
    )


def strike(tx: Transaction, context: CommandContext, space_name: str) -> str:
    """Removes a merchant's workspace from the registry, with its keys; others may have the same merchant id."""
    known = tx.get(ACCOUNTS, context.merchant_id)
    if known is not None and known.place == space_name:
        if isinstance(key := parse(known.publishable_key), ApiKey):
            _close(tx, key)
        tx.remove(ACCOUNTS, context.merchant_id)
    for issued in tuple(tx.scan(API_KEYS, Query(filters={"merchant_id": (context.merchant_id,)}))):
        if tx.fact(FACTS + issued.digest)["place"] == space_name:
            _close(tx, issued)
            tx.remove(API_KEYS, issued.key_id)
    return context.merchant_id


def tell(tx: Transaction, account: MerchantAccount) -> None:
    """Notes in the merchant's own workspace what is shown of the account."""
    tx.set_fact(ORGANIZATION, account.organization_id)
    tx.set_fact(profiles.MERCHANT_NAME, account.merchant_name)


def settle(
    tx: Transaction, context: CommandContext, account: MerchantAccount, fields: AccountFields, *, new: bool = False
) -> ShownAccount:
    """Stores an account's part of its default profile, in the merchant's own workspace. Refused as `object_unknown`."""
    if new or fields.carried:  # what was only read can be older than what another call told
        tell(tx, account)
    profile = profiles.default(tx, context)
    if fields.default_profile is not None:
        profile = profiles.make_default(tx, profile, fields.default_profile)
    settings, others = fields.profile, list[ProfileFields]()
    if new and context.policy.public:
        tx.set_fact(profiles.SET_UP, True)
        settings, *others = _by_place(fields) or [settings]
    changed = profiles.update(tx, context, profile.profile_id, settings)
    for other in others:
        profiles.create(tx, context, other)
    return ShownAccount(account, changed, None if tx.fact(profiles.NO_DEFAULT) else changed.profile_id)


def _by_place(fields: AccountFields) -> list[ProfileFields]:
    """The settings of the profiles that `primary_business_details` asks for, named as facts §2.7 says."""
    places = json.loads(fields.echo.get("primary_business_details") or "[]")
    names = dict.fromkeys(f"{one['country']}_{one['business']}" for one in places)
    return [fields.profile._replace(carried={**fields.profile.carried, "profile_name": name}) for name in names]


def _written(account: MerchantAccount, fields: AccountFields) -> MerchantAccount:
    return structs.replace(account, **fields.carried, echo={**account.echo, **fields.echo})


FACTS: Final = "issued:"
"""The server's fact of this name and a key's digest says what the key opens; other keys have none."""


def _open_with(tx: Transaction, digest: str, space_name: str, expires_at: int | None = None) -> None:
    tx.set_fact(FACTS + digest, Opens(space_name, expires_at)._asdict())


def _close(tx: Transaction, key: IssuedKey | ApiKey) -> None:
    """Notes that an issued key opens nothing any more."""
    fact = tx.fact(FACTS + key.digest)
    if fact is not None:
        tx.set_fact(FACTS + key.digest, {**fact, "revoked": True})


def create(tx: Transaction, context: CommandContext, space_name: str, fields: KeyFields) -> IssuedKey:
    """A new key of a merchant; its text is only in this answer. Refused as `value_invalid` (expiration)."""
    _permit_expiry(context, fields)
    # Counted by the registry: after a reset of the workspace, the same number would make an existing key again.
    number = tx.next(f"api_key:{context.merchant_id}")
    key = ApiKey(KeyKind.SECRET, context.randomness.token("api_key", number, 64))
    issued = IssuedKey(
        key_id=context.new_id(tx, "api_key_record", number),
        merchant_id=context.merchant_id,
        prefix=key.text[:12],
        digest=key.digest,
        created_at=context.now,
        **fields.carried,
    )
    _open_with(tx, key.digest, space_name, issued.expires_at)
    tx.put(API_KEYS, issued)
    return structs.replace(issued, secret=key.text)


def retrieve(tx: Transaction, context: CommandContext, key_id: str) -> IssuedKey:
    """The key of that id, if it is this merchant's. Refused as `object_unknown`."""
    key = existing(tx.get(API_KEYS, key_id), ObjectKind.API_KEY, key_id)
    if key.merchant_id != context.merchant_id:
        raise unknown(ObjectKind.API_KEY, key_id)
    return key


def update(tx: Transaction, context: CommandContext, key_id: str, fields: KeyFields) -> IssuedKey:
    """Changes a key's name, description or end. Refused as `object_unknown`, `value_invalid` (expiration)."""
    key = retrieve(tx, context, key_id)
    _permit_expiry(context, fields)
    changed = structs.replace(key, **fields.carried)
    fact = FACTS + key.digest
    tx.set_fact(fact, {**tx.fact(fact), "expires_at": changed.expires_at})
    return tx.put(API_KEYS, changed)


def revoke(tx: Transaction, context: CommandContext, key_id: str) -> IssuedKey:
    """Revokes a key. Refused as `object_unknown`."""
    key = retrieve(tx, context, key_id)
    _close(tx, key)
    tx.remove(API_KEYS, key_id)
    return key


def page(tx: Transaction, context: CommandContext, query: Query) -> Page[IssuedKey]:
    """One page of the merchant's keys, newest first."""
    return tx.find(API_KEYS, structs.replace(query, filters={"merchant_id": (context.merchant_id,)}))


def _permit_expiry(context: CommandContext, fields: KeyFields) -> None:
    ends_at = fields.carried.get("expires_at")
    if ends_at is not None and ends_at <= context.now:
        raise wrong_field("expiration", "must be in the future, or never")
