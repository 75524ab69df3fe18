"""Merchant accounts, in the server's registry (facts §1.5)."""

from __future__ import annotations

import json

from msgspec import structs

from mock_server.domain.api_keys import ApiKey, KeyKind, parse
from mock_server.domain.errors import Cause, ObjectKind, Refusal
from mock_server.domain.merchant import AccountFields, MerchantAccount, ProfileFields, ShownAccount
from mock_server.domain.paging import Query
from mock_server.domain.report import ORGANIZATION
from mock_server.engine import api_keys, profiles
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import ACCOUNTS, API_KEYS
from mock_server.store.transaction import Transaction

PUBLISHABLE_DIGITS = 32


def enter(tx: Transaction, context: CommandContext, place: str, fields: AccountFields) -> MerchantAccount:
    """Adds a merchant to the registry, with the publishable key that opens its workspace.

    Refused as `merchant_exists`.
    """
    if tx.version(ACCOUNTS, context.merchant_id):
        raise taken(context.merchant_id)
    digits = context.randomness.hex(
        "publishable_key", tx.next(f"publishable_key:{context.merchant_id}"), PUBLISHABLE_DIGITS
    )
    key = ApiKey(KeyKind.PUBLISHABLE, digits)
    api_keys.open_with(tx, key.digest, place)
    account = MerchantAccount(
        merchant_id=context.merchant_id,
        place=place,
        created_at=context.now,
        modified_at=context.now,
        publishable_key=key.text,
    )
    return tx.put(ACCOUNTS, _written(account, fields))


def taken(merchant_id: str) -> Refusal:
    """The refusal for a merchant id that is used already."""
    return Refusal(Cause.MERCHANT_EXISTS, merchant_id=merchant_id)


def change(
    tx: Transaction, context: CommandContext, place: str, began_at: int, fields: AccountFields
) -> MerchantAccount:
    """Overwrites what was sent; a merchant who had no row gets one."""
    before = look_up(tx, context, place, began_at)
    return tx.put(ACCOUNTS, structs.replace(_written(before, fields), modified_at=context.now))


def look_up(tx: Transaction, context: CommandContext, place: str, began_at: int) -> MerchantAccount:
    """The merchant's row; a merchant whose workspace was created by a key has none yet."""
    return tx.get(ACCOUNTS, context.merchant_id) or MerchantAccount(
        merchant_id=context.merchant_id, place=place, created_at=began_at, modified_at=began_at
    )


def strike(tx: Transaction, context: CommandContext) -> str:
    """Removes a merchant from the registry; its keys are revoked."""
    known = tx.get(ACCOUNTS, context.merchant_id)
    key = parse(known.publishable_key) if known is not None else None
    if isinstance(key, ApiKey):
        api_keys.close(tx, key)
    for issued in tuple(tx.scan(API_KEYS, Query(filters={"merchant_id": (context.merchant_id,)}))):
        api_keys.close(tx, issued)
        tx.remove(API_KEYS, issued.key_id)
    tx.remove(ACCOUNTS, context.merchant_id)
    return context.merchant_id


def settle(
    tx: Transaction, context: CommandContext, account: MerchantAccount, fields: AccountFields, *, new: bool = False
) -> ShownAccount:
    """Stores what an account says of its default profile, in the merchant's own workspace.

    Refused as `object_unknown`.
    """
    if account.organization_id is not None:
        tx.set_fact(ORGANIZATION, account.organization_id)
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
    names = dict.fromkeys(f"{place['country']}_{place['business']}" for place in places)
    return [fields.profile._replace(carried={**fields.profile.carried, "profile_name": name}) for name in names]


def unknown(merchant_id: str) -> Refusal:
    """The refusal for an unknown merchant."""
    return Refusal(Cause.OBJECT_UNKNOWN, kind=ObjectKind.MERCHANT, id=merchant_id)


def _written(account: MerchantAccount, fields: AccountFields) -> MerchantAccount:
    return structs.replace(account, **fields.carried, echo={**account.echo, **fields.echo})
