"""Every value class of the engine and its defaults: what is left out means nothing, unless it stands here."""

from __future__ import annotations

from mock_server.domain.instants import DAY_MS
from mock_server.domain.outcomes import CallContext
from tests.values import changeable, told_defaults

CHANGEABLE = {"AccountRoute", "CommandContext"}
TOLD = {
    "CommandContext.call": CallContext(),
    "Policy.authorization_expiry_ms": 7 * DAY_MS,
    "Policy.inbox": 10_000,
    "Policy.session_expiry_s": 900,
    "Policy.unknown_profiles": "create",
}


def test_only_these_values_can_be_changed() -> None:
    assert changeable("engine") == CHANGEABLE


def test_what_is_left_out_means_nothing_or_stands_here() -> None:
    assert told_defaults("engine") == TOLD
