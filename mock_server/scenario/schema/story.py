"""One step of a story."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from marshmallow import ValidationError, validates_schema

from mock_server.scenario.schema.block import MappingOf, SchemaBlock, sentence
from mock_server.scenario.schema.kinds import (
    HeaderName,
    HeaderValue,
    ScenarioDuration,
    ScenarioText,
    Truth,
    Word,
    anything,
    read_each,
)
from mock_server.scenario.story.requests import AGAIN, CONNECTIONS, STEPS, VERBS


class StepBlock(SchemaBlock):
    """One step."""

    what: ClassVar[str] = "a step of a story"
    do = Word(VERBS, "step", "Operation or action: payments.create, again, clock.advance, customer.approve …")
    of = ScenarioText("Object to act on: $name of an earlier step.", longest=200)
    with_ = MappingOf(anything(), about="Request body; card can be the name of a test card.", data_key="with")
    by = ScenarioDuration("Duration for clock.advance.")
    key = ScenarioText("Idempotency key.", longest=255)
    headers = MappingOf(HeaderValue(), HeaderName(), "Additional headers.")
    see = MappingOf(anything(), about="Expected result.")
    as_ = ScenarioText("Name under which later steps refer to its answer.", longest=40, data_key="as")
    bare = Truth("true: do not fill in profile_id.")

    @validates_schema(skip_on_field_errors=True)
    def _sound(self, data: dict[str, Any], **kwargs: Any) -> None:
        do = data.get("do")
        if do is None and "see" not in data:
            raise sentence("a step needs do or see")
        if do is None and (extra := [key for key in ("of", "with_", "key", "bare") if key in data]):
            raise ValidationError({_written(extra[0]): ["needs do"]})
        if do == "clock.advance" and "by" not in data:
            raise sentence("clock.advance needs by, such as 24h")
        if do == AGAIN and (more := [key for key in ("of", "with_", "headers", "bare") if key in data]):
            raise ValidationError({_written(more[0]): ["is not allowed on again, which repeats the previous step"]})
        row = STEPS.get(str(do))
        if row is not None and row.needs_of and "of" not in data:
            raise sentence(f"{do} needs of, such as $pay")

    @validates_schema(skip_on_field_errors=False)
    def _see(self, data: dict[str, Any], **kwargs: Any) -> None:
        known = [(key, value) for key, value in (data.get("see") or {}).items() if key in SEEN_KINDS]
        try:
            read_each(known, lambda key, value: SEEN_KINDS[key].deserialize(value))
        except ValidationError as found:
            raise ValidationError({"see": found.messages}) from None


def _written(key: str) -> str:
    return key.strip("_")


class _Names(MappingOf):
    def read(self, value: Any) -> Any:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise ValidationError("must be a list of events")
        return value


SEEN_KINDS: Final = {
    "connection": Word(CONNECTIONS),
    "replayed": Truth(),
    "webhooks": _Names(anything()),
}
