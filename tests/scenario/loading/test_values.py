"""Every value class of scenarios and its defaults: what is left out means nothing, unless it stands here."""

from __future__ import annotations

from mock_server.domain.outcomes import CallContext
from mock_server.scenario.model.scenario import Bound, Place, Repeat
from tests.values import changeable, told_defaults

CHANGEABLE = {"Document", "DecisionState", "Node", "StoryProgress"}
TOLD = {
    "Activation.by": "active",
    "AllowedOutcomes.settles_as": ("succeeded", "failed"),
    "CallFacts.attempt": 1,
    "CallFacts.call": CallContext(),
    "Chaos.place": Place("", 0, 0),
    "Expect.bound": Bound(1, None),
    "Node.size": 1,
    "OverHttp.patience_s": 5.0,
    "PaymentSeed.capture_method": "automatic",
    "PaymentSeed.metadata": "{}",
    "Root.deep": True,
    "Rule.per": "workspace",
    "Rule.repeat": Repeat.LAST,
    "ScenarioSource.file": "a text",
    "WebhookFacts.attempt": 1,
    "WebhookFacts.copy": 1,
    "WebhookRule.copies": 1,
}


def test_only_these_values_can_be_changed() -> None:
    assert changeable("scenario") == CHANGEABLE


def test_what_is_left_out_means_nothing_or_stands_here() -> None:
    assert told_defaults("scenario") == TOLD
