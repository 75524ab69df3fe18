"""Business profiles, as payments need them: an unknown profile id is made on first use (ours: decisions, Keys)."""

from __future__ import annotations

from mock_server.domain.errors import Cause, ObjectKind, Refusal
from mock_server.domain.profile import Profile
from mock_server.engine.desk import Desk
from mock_server.engine.kinds import PROFILES
from mock_server.store.protocol import Transaction

DEFAULT_FACT = "default_profile"
HASH_KEY = "webhook_secret"


def of(tx: Transaction, desk: Desk, profile_id: str | None) -> Profile:
    """The profile of that id, or the default one. Refused as `object_unknown` where the setting says so."""
    if profile_id is None:
        return default(tx, desk)
    known = tx.get(PROFILES, profile_id)
    if known is not None:
        return known
    if desk.policy.unknown_profiles != "create":
        raise Refusal(Cause.OBJECT_UNKNOWN, kind=ObjectKind.PROFILE, id=profile_id)
    return tx.put(PROFILES, _made(desk, profile_id, profile_id))


def find(tx: Transaction, profile_id: str) -> Profile:
    """The profile of a record that was made with it."""
    known = tx.get(PROFILES, profile_id)
    if known is None:
        raise Refusal(Cause.OBJECT_UNKNOWN, kind=ObjectKind.PROFILE, id=profile_id)
    return known


def default(tx: Transaction, desk: Desk) -> Profile:
    """The merchant's first profile, made with its world."""
    profile_id = tx.fact(DEFAULT_FACT)
    if profile_id is None:
        profile_id = desk.new_id(tx, "profile")
        tx.set_fact(DEFAULT_FACT, profile_id)
        return tx.put(PROFILES, _made(desk, profile_id, "default", is_default=True))
    return find(tx, profile_id)


def _made(desk: Desk, profile_id: str, name: str, *, is_default: bool = False) -> Profile:
    return Profile(
        profile_id=profile_id,
        merchant_id=desk.merchant_id,
        profile_name=name,
        created_at=desk.now,
        payment_response_hash_key=desk.policy.webhook_secret,
        is_default=is_default,
    )
