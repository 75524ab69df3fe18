"""What the calls of the control API answer with."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from mock_server.contract.answers.common import MACHINE
from mock_server.contract.answers.dispute import DISPUTE
from mock_server.contract.answers.fields import AnswerShape, ByName, Kind
from mock_server.contract.answers.payment import EXPANDED_PAYMENT
from mock_server.contract.answers.refund import REFUND
from mock_server.contract.notation import FREE, Json, ref, told
from mock_server.control.answers import scenarios, server, story, webhooks
from mock_server.dialects.interface import INTERFACE
from mock_server.openapi.answers import named, schema_of

_ANSWERS: Final[dict[str, Kind]] = {
    "control.livez": server.ALIVE,
    "control.readyz": server.READY,
    "control.version": server.VERSION,
    "control.workspaces": server.WORKSPACES,
    "control.reset": server.RESET,
    "control.clock": server.CLOCK,
    "control.clock_freeze": server.CLOCK,
    "control.clock_resume": server.CLOCK,
    "control.clock_advance": server.ADVANCED,
    "control.cards": server.CARDS,
    "control.errors": server.ERRORS,
    "control.states": ByName(MACHINE),
    "control.journal": story.JOURNAL,
    "control.forget_journal": scenarios.FORGOTTEN,
    "control.search": story.FOUND,
    "control.timeline": story.TIMELINE,
    "control.why": story.WHY_IT_STANDS,
    "control.export": ref("ScenarioDocument"),
    **dict.fromkeys(
        (f"control.{name}" for name in ("authenticate", "settle", "fail", "expire", "hold")), EXPANDED_PAYMENT
    ),
    "control.dispute": DISPUTE,
    "control.advance_dispute": DISPUTE,
    "control.settle_refund": REFUND,
    "control.dialect": server.DIALECT,
    "control.set_dialect": server.DIALECT,
    "control.scenarios": scenarios.SCENARIOS,
    "control.scenario_schema": told(FREE, "A JSON Schema."),
    "control.scenario": scenarios.SCENARIO,
    "control.put_scenario": scenarios.PUT_SCENARIO,
    "control.drop_scenario": scenarios.DROPPED_SCENARIO,
    "control.activate_scenario": scenarios.ACTIVATED,
    "control.deactivate_scenario": scenarios.DEACTIVATED,
    "control.check_scenario": scenarios.CHECKED,
    "control.next": scenarios.QUEUE,
    "control.put_next": scenarios.QUEUE,
    "control.drop_next": scenarios.EMPTIED,
    "control.webhooks": webhooks.INBOX,
    "control.webhook": webhooks.INBOX_EVENT,
    "control.webhook_target": webhooks.TARGET,
    "control.set_webhook_target": webhooks.TARGET,
    "control.resend_webhook": webhooks.RESENT,
    "control.resend_webhooks": webhooks.RESENT_MANY,
    "control.trigger_webhook": webhooks.INBOX_EVENT,
    "control.sign_webhook": webhooks.SIGNED,
    "control.snapshots": server.SNAPSHOTS,
    "control.take_snapshot": server.SNAPSHOT,
    "control.snapshot": told(FREE, "A complete snapshot. It can be uploaded again with `PUT`."),
    "control.drop_snapshot": server.SNAPSHOT,
    "control.restore_snapshot": server.RESTORED,
}
"""What stands in each call's success, by its name."""


def roots() -> list[AnswerShape[Any]]:
    """Every shape that is an answer."""
    return [MACHINE, *(kind for kind in _ANSWERS.values() if isinstance(kind, AnswerShape))]


def schemas() -> dict[str, Json]:
    """The schemas that several control calls share, by their names."""
    return named(roots(), INTERFACE)


@cache
def answers() -> dict[str, Json]:
    """The schema of each call's success, by its name."""
    return {name: schema_of(kind, INTERFACE) for name, kind in _ANSWERS.items()}


SCENARIO: Final = ref("ScenarioDocument")
"""A scenario is the same document in YAML and in JSON."""
MEDIA: Final = {
    "control.timeline": ("text/plain", "image/svg+xml"),
    "control.export": ("application/yaml", "text/x-python"),
    "control.metrics": (
        "text/plain",
        "application/openmetrics-text",
    ),
}
"""What a call can answer with beside JSON, or instead of it where it has no schema above."""
NOT_READY: Final = {"control.readyz": "The server cannot save data now; `data` says why."}
"""What answers 503 with the schema of its success, and when."""
