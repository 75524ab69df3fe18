"""Scenarios, the results of their assertions, and the one-shot queue."""

from __future__ import annotations

from typing import Any, Final

from mock_server.contract.answers.fields import AnswerShape, AsJson, Beside, ByName, Constant, Field, Many, each
from mock_server.contract.notation import FLAG, FREE, INSTANT, TEXT, WHOLE, described, many, ref
from mock_server.control.answers import DROPPED, of_values

# fmt: off
_ACTIVE = Field("active", FLAG, nullable=False)
_ACTIVATED = Field("activated_at", INSTANT)
_NAME = Field("name", TEXT, nullable=False)
LISTED_SCENARIO: Final = of_values(
    "ListedScenario",
    _NAME,
    Field("origin", TEXT, nullable=False),
    Field("file", TEXT),
    Field("stale", FLAG, nullable=False),
    _ACTIVE,
    _ACTIVATED,
)
SCENARIOS: Final = of_values(
    "Scenarios", Field("active", many(TEXT), nullable=False), Field("scenarios", Many(LISTED_SCENARIO), nullable=False)
)
_RULE: Final = AnswerShape[Any](
    "ScenarioRule",
    Field("number", WHOLE, nullable=False),
    Field("at", TEXT, of=lambda rule: str(rule.place), nullable=False),
    inline=True,
)
SCENARIO: Final = AnswerShape[Any](
    "Scenario",
    _NAME,
    *each(TEXT, "summary", "extends", "file"),
    Field("digest", TEXT, nullable=False),
    _ACTIVE._replace(of=Beside(lambda shown: shown.active is not None)),
    _ACTIVATED._replace(of=Beside(lambda shown: shown.active and shown.active.at)),
    Field("rules", Many(_RULE), nullable=False),
    Field("counters", ByName(WHOLE), of=Beside("counters"), nullable=False),
    Field("text", TEXT, nullable=False),
    part="scenario",
)
PUT_SCENARIO: Final = AnswerShape[Any](
    "PutScenario",
    *SCENARIO.rows,
    Field("warnings", many(TEXT), of=Beside("warnings"), nullable=False),
    part="scenario",
    inline=True,
)
DROPPED_SCENARIO: Final = of_values("DroppedScenario", _NAME, Field("dropped", FLAG, of=Constant(True), nullable=False))
ACTIVATED: Final = of_values(
    "Activated",
    _NAME,
    _ACTIVE._replace(of=Constant(True)),
    _ACTIVATED._replace(nullable=False),
)
DEACTIVATED: Final = of_values(
    "Deactivated",
    _NAME,
    _ACTIVE._replace(of=Constant(False)),
    Field("was_active", FLAG, nullable=False),
)
_RESULT: Final = AnswerShape[Any](
    "Expected",
    Field("expect", TEXT, of="text", nullable=False),
    Field("holds", FLAG, nullable=False),
    Field("because", TEXT),
    Field("empty", FLAG, of="is_empty", nullable=False, about="Whether there was nothing to compare."),
    Field("at", TEXT, of=lambda result: str(result.place), nullable=False),
    inline=True,
)
CHECKED: Final = of_values(
    "Checked",
    Field("holds", FLAG, of=lambda values: all(one.holds for one in values["expect"]), nullable=False),
    Field("expect", Many(_RESULT), nullable=False),
)
_QUEUED: Final = AnswerShape[Any](
    "Queued",
    Field("number", WHOLE, nullable=False),
    Field("on", many(TEXT), nullable=False),
    Field("then", AsJson(), nullable=False),
    Field("left", WHOLE, nullable=False),
    inline=True,
)
QUEUE: Final = of_values("Queue", Field("next", Many(_QUEUED), nullable=False), inline=False)
EMPTIED: Final = of_values("Emptied", DROPPED)
FORGOTTEN: Final = of_values("Forgotten", Field("forgotten", WHOLE, nullable=False))
DOCUMENT: Final = ref("ScenarioDocument")
"""A scenario is the same document in YAML and in JSON."""
SCHEMA: Final = described(FREE, "A JSON Schema.")
# fmt: on
