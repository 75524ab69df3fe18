"""Business profiles: created by a call, or on first use by a payment (facts §2.7; ours: decisions, Keys)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from msgspec import structs

from mock_server.domain import merchant
from mock_server.domain.commands import PaymentRequest
from mock_server.domain.errors import Cause, ObjectKind, Refusal, existing, missing, unknown
from mock_server.domain.merchant import DEFAULT_NAME, OWN_AGENT, OWN_IDS, Profile, ProfileFields, merged
from mock_server.domain.paging import Page, Query
from mock_server.engine.context import CommandContext
from mock_server.engine.kinds import PROFILES
from mock_server.store.transaction import Transaction

P = ParamSpec("P")
T = TypeVar("T")
DEFAULT_FACT = "default_profile"
"""The fact with the default profile's id; empty if all were deleted, until one is needed."""
SET_UP = "profiles_set_up"
"""The fact that a call created the merchant's account or a profile, for the public server's rules."""
NO_DEFAULT = "no_default_profile"
"""The fact that a payment without a profile has no default one, because a call created a second one."""
MERCHANT_NAME = "merchant_name"
"""The fact with the name in the merchant's account."""
KEY_LENGTH = 64
NEEDED = "is required if there are several profiles"


def merchant_name(fact: Callable[[str], object]) -> str:
    """The name by which customers see a merchant, of whose workspace `fact` reads the facts."""
    return str(fact(MERCHANT_NAME) or "Sandbox merchant")


def of_payment(tx: Transaction, context: CommandContext, request: PaymentRequest) -> Profile:
    """The profile of a payment: by its id, else the default one, else by country and label (facts §2.7).

    Refused as `profile_needed`, `object_unknown`.
    """
    profile_id = request.profile_id
    if not context.policy.public:
        return of(tx, context, profile_id)
    if profile_id is not None:
        ours = profile_id in OWN_IDS or context.call.headers.get("user-agent", "").startswith(OWN_AGENT)
        return of(tx, context, profile_id) if ours or not tx.fact(SET_UP) else find(tx, profile_id)
    if not tx.fact(NO_DEFAULT):
        return default(tx, context)
    country, label = (request.echo.get(name) for name in ("business_country", "business_label"))
    if country is None or label is None:
        raise missing("profile_id", NEEDED, Cause.PROFILE_NEEDED)
    name = f"{json.loads(country)}_{json.loads(label)}"
    found = _namesakes(tx, name)
    return found[0] if found else find(tx, name)


def of(tx: Transaction, context: CommandContext, profile_id: str | None) -> Profile:
    """The profile of that id, created on first use, or the only one. Refused as `profile_needed`, `object_unknown`."""
    if profile_id is None:
        found = tx.find(PROFILES, Query(limit=2)).items
        if len(found) > 1:
            raise missing("profile_id", NEEDED, Cause.PROFILE_NEEDED)
        return found[0] if found else default(tx, context)
    known = tx.get(PROFILES, profile_id)
    if known is not None:
        return known
    if context.policy.unknown_profiles != "create":
        why = "no call has created it, and the setting unknown_profiles is refuse"
        raise unknown(ObjectKind.PROFILE, profile_id, ("profile_id", why))
    return tx.put(PROFILES, _made(tx, context, profile_id, profile_id))


def find(tx: Transaction, profile_id: str) -> Profile:
    """The profile of that ID. Refused as `object_unknown`."""
    return existing(tx.get(PROFILES, profile_id), ObjectKind.PROFILE, profile_id)


def look_up(tx: Transaction, profile_id: str | None) -> Profile | None:
    """The profile of that ID, or the default one, if it exists."""
    known = profile_id or tx.fact(DEFAULT_FACT)
    return tx.get(PROFILES, known) if known else None


def default(tx: Transaction, context: CommandContext) -> Profile:
    """The merchant's default profile: on first use the one that is named so, or else a new one."""
    profile_id = tx.fact(DEFAULT_FACT)
    if profile_id:
        return find(tx, profile_id)
    named = _namesakes(tx, DEFAULT_NAME)
    profile = named[0] if named else _made(tx, context, context.new_id(tx, "profile"), DEFAULT_NAME)
    return tx.put(PROFILES, _chosen(tx, profile))


def _chosen(tx: Transaction, profile: Profile) -> Profile:
    tx.set_fact(DEFAULT_FACT, profile.profile_id)
    return structs.replace(profile, is_default=True)


def _namesakes(tx: Transaction, name: str) -> tuple[Profile, ...]:
    return tx.find(PROFILES, Query(filters={"profile_name": (name,)})).items


def make_default(tx: Transaction, before: Profile, profile_id: str) -> Profile:
    """Makes another profile the merchant's default. Refused as `object_unknown`."""
    chosen = find(tx, profile_id)
    tx.set_fact(NO_DEFAULT, None)
    tx.put(PROFILES, structs.replace(before, is_default=False))
    return tx.put(PROFILES, _chosen(tx, chosen))


def _made(tx: Transaction, context: CommandContext, profile_id: str, name: str, key: str = "") -> Profile:
    """A new profile, which is the default one if all others were deleted."""
    profile = Profile(
        profile_id=profile_id,
        merchant_id=context.merchant_id,
        profile_name=name,
        created_at=context.now,
        payment_response_hash_key=key or context.policy.webhook_secret,
    )
    return _chosen(tx, profile) if tx.fact(DEFAULT_FACT) == "" else profile


def permit_merchant(context: CommandContext, merchant_id: str) -> None:
    """Limits a key to its own merchant. Refused as `object_unknown`."""
    if merchant_id != context.merchant_id:
        raise unknown(ObjectKind.MERCHANT, merchant_id)


def of_merchant(
    command: Callable[Concatenate[Transaction, CommandContext, P], T],
) -> Callable[Concatenate[Transaction, CommandContext, str, P], T]:
    """The command for calls whose path names a merchant. Refused as `object_unknown` for another than the key's."""

    def permitted(
        tx: Transaction, context: CommandContext, merchant_id: str, /, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        permit_merchant(context, merchant_id)
        return command(tx, context, *args, **kwargs)

    return permitted


def create(tx: Transaction, context: CommandContext, fields: ProfileFields) -> Profile:
    """Creates a profile. Refused as `profile_name_taken`, `status_without_event`."""
    if tx.fact(DEFAULT_FACT) is None:
        default(tx, context)
    if context.policy.public:
        tx.set_fact(SET_UP, True)
        tx.set_fact(NO_DEFAULT, bool(tx.fact(DEFAULT_FACT)) or None)
    profile_id, key = context.new_id(tx, "profile"), context.token(tx, "response_hash_key", KEY_LENGTH)
    return _kept(tx, context, _made(tx, context, profile_id, DEFAULT_NAME, key), fields)


def retrieve(tx: Transaction, context: CommandContext, profile_id: str) -> Profile:
    """The profile. Refused as `object_unknown`."""
    return _shown(context, find(tx, profile_id))


def update(tx: Transaction, context: CommandContext, profile_id: str, fields: ProfileFields) -> Profile:
    """Overwrites what was sent; webhook details subfield by subfield.

    Refused as `object_unknown`, `profile_name_taken`, `status_without_event`.
    """
    return _kept(tx, context, find(tx, profile_id), fields)


def toggle_connector_agnostic_mit(tx: Transaction, context: CommandContext, profile_id: str, enabled: bool) -> Profile:
    """Allows off-session charges at any connector, or forbids them. Refused as `object_unknown`."""
    return update(tx, context, profile_id, ProfileFields({"is_connector_agnostic_mit_enabled": enabled}))


def replace(tx: Transaction, context: CommandContext, profile_id: str, fields: ProfileFields) -> Profile:
    """Replaces everything that may change; the key stays, as IDs do (interface §4.1; ours)."""
    before = find(tx, profile_id)
    bare = _made(tx, context, profile_id, DEFAULT_NAME, before.payment_response_hash_key)
    return _kept(tx, context, structs.replace(bare, created_at=before.created_at, is_default=before.is_default), fields)


def delete(tx: Transaction, context: CommandContext, profile_id: str) -> bool:
    """Deletes a profile; the only one that is left becomes the default one. Refused as `object_unknown`."""
    gone = find(tx, profile_id)
    tx.remove(PROFILES, profile_id)
    left = tx.find(PROFILES, Query(limit=2, ascending=True)).items
    if gone.is_default or not left:
        tx.set_fact(DEFAULT_FACT, tx.put(PROFILES, _chosen(tx, left[0])).profile_id if left else "")
    if gone.is_default or len(left) < 2:
        tx.set_fact(NO_DEFAULT, (context.policy.public and len(left) > 1) or None)
    return True


def page(tx: Transaction, context: CommandContext, query: Query) -> Page[Profile]:
    """One page of profiles, newest first."""
    if tx.fact(DEFAULT_FACT) is None:
        default(tx, context)
    found = tx.find(PROFILES, query)
    return Page(tuple(_shown(context, profile) for profile in found.items), found.total, found.offset)


def _kept(tx: Transaction, context: CommandContext, profile: Profile, fields: ProfileFields) -> Profile:
    details, echo = merged(profile.webhook_details, fields.webhook_details), {**profile.echo, **fields.echo}
    changed = structs.replace(profile, **fields.carried, webhook_details=details, echo=echo)
    known, name = tx.get(PROFILES, changed.profile_id), changed.profile_name
    changed = known.unmasked(changed) if known else changed
    # A profile that is created on first use can have the name of another; it may keep it.
    if (known is None or known.profile_name != name) and _namesakes(tx, name):
        raise Refusal(Cause.PROFILE_NAME_TAKEN, name=name)
    # A filter may hold only statuses that an event is raised for (facts §2.7).
    for name, sent in merchant.SENT_STATUSES.items():
        for status in merchant.FILTERED[name]:
            if status not in sent and status in (getattr(changed.webhook_details, name, None) or ()):
                field = f"webhook_details.{name}"
                raise Refusal(Cause.STATUS_WITHOUT_EVENT, field=field, status=status, offered=tuple(sorted(sent)))
    return _shown(context, tx.put(PROFILES, changed))


def _shown(context: CommandContext, profile: Profile) -> Profile:
    """With the session's time of the workspace if the profile has none."""
    if profile.session_expiry_s is not None:
        return profile
    return structs.replace(profile, session_expiry_s=context.policy.session_expiry_s)
