"""One rule: for which calls, under which conditions, and the answer; and the block under `when`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any, ClassVar, Final

from marshmallow import ValidationError, pre_load, validates_schema

from mock_server.contract.kinds.base import Json
from mock_server.contract.notation import words
from mock_server.scenario.conditions.on import LISTENED, covered
from mock_server.scenario.conditions.paths import ROOTS, Path, compile_path
from mock_server.scenario.conditions.when import NEVER, OPERATORS, Condition, compile_pattern, opposed, show
from mock_server.scenario.model.mistakes import nearest
from mock_server.scenario.model.scenario import Repeat
from mock_server.scenario.schema import kinds
from mock_server.scenario.schema.answers import LINE_KEYS, WEBHOOK_KEYS, ThenBlock, impossible
from mock_server.scenario.schema.block import KeySentence, ListOf, Nested, SchemaBlock, unknown


class When(kinds.ScenarioKind):
    """Paths with what is expected of each; read as a tuple of conditions, all of which must be true."""

    def __init__(self, compile_with: Callable[[str], Path] = compile_path, about: str = "", **options: Any) -> None:
        super().__init__(about, **options)
        self.compile = compile_with

    def json(self) -> Json:
        operators: Json = {name: {"description": row.about} for name, row in OPERATORS.items()}
        tests: Json = {"type": "object", "properties": operators, "additionalProperties": False, "minProperties": 1}
        plain: Json = {"type": ["string", "number", "boolean"]}
        any_of: Json = {"type": "array", "items": plain, "minItems": 1}
        return {"type": "object", "additionalProperties": {"anyOf": [plain, any_of, tests]}}

    def read(self, value: Any) -> tuple[Condition, ...]:
        if not isinstance(value, Mapping):
            raise kinds.wrong(value, "a mapping of paths")
        return tuple(chain.from_iterable(kinds.read_each(value.items(), self._conditions)))

    def _conditions(self, text: str, expected: Any) -> list[Condition]:
        path = self._path(text)
        if not isinstance(expected, Mapping):
            return [self._condition(path, "in" if isinstance(expected, list) else "eq", expected)]
        if not expected:
            raise ValidationError("has no operator, so it is never true")
        found = kinds.read_each(expected.items(), partial(self._condition, path))
        if opposed([(one.operator, one.expected) for one in found]):
            raise ValidationError(NEVER)
        return found

    def _path(self, text: str) -> Path:
        try:
            return self.compile(text)
        except ValueError as found:
            head = text.split(".")[0]
            hint = "" if head in ROOTS else nearest(head, ROOTS)
            raise ValidationError([KeySentence(f"the path {text} {found}{hint}")]) from None

    def _condition(self, path: Path, name: str, expected: Any) -> Condition:
        operator = OPERATORS.get(name)
        if operator is None:
            raise ValidationError([unknown(name, f"{path.text}, where operators are expected", OPERATORS)])
        ready = _READERS[operator.takes](expected)
        return Condition(
            path, operator, tuple(map(path.stored, ready)) if isinstance(ready, tuple) else path.stored(ready)
        )


def _value(value: Any) -> Any:
    if value is None:
        raise ValidationError("can never be null; write {exists: false} for a missing value")
    if isinstance(value, list | Mapping):
        raise kinds.wrong(value, "one value")
    return value


def _values(value: Any) -> tuple[Any, ...]:
    if not isinstance(value, list) or not value:
        raise kinds.wrong(value, "a list of values")
    return tuple(map(_value, value))


def _of_type(wanted: str, *types: type) -> Callable[[Any], Any]:
    """A reader of values of these types alone; `true` and `false` are no numbers."""

    def read(value: Any) -> Any:
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            raise kinds.wrong(value, wanted)
        return value

    return read


_text: Final = _of_type("text", str)


def _pattern(value: Any) -> Any:
    try:
        return compile_pattern(_text(value))
    except ValueError as found:
        raise ValidationError(f"has a pattern that {found}: {show(value)}") from None


def operand(name: str, value: Any) -> Any:
    """An operator's value, as its test takes it. ValidationError if the operator cannot take it."""
    return _READERS[OPERATORS[name].takes](value)


_READERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "value": _value,
    "values": _values,
    "ordered": _of_type("a number, or a text", int, float, str),
    "text": _text,
    "truth": _of_type("true or false", bool),
    "pattern": _pattern,
}
"""The readers of an operator's value, by its row's `takes`."""


class OnName(kinds.ScenarioKind):
    """A name or pattern of `on`."""

    KNOWN: ClassVar = LISTENED

    def json(self) -> Json:
        return {"anyOf": [words(sorted(self.KNOWN)), {"type": "string", "pattern": r"\*"}]}

    def read(self, value: Any) -> str:
        if not isinstance(value, str):
            raise kinds.wrong(value, "the name of an operation")
        if not covered(value) & self.KNOWN:
            what = "a valid operation" if "*" not in value else "a pattern of existing operations"
            patterns = {f"{name.split('.')[0]}.*" for name in self.KNOWN} if "*" in value else set()
            raise ValidationError(f"is not {what}: {show(value)}{nearest(value, self.KNOWN | patterns)}")
        return value


class Per(kinds.ScenarioKind):
    """By what a rule counts calls."""

    FORM: Final = re.compile(r"header\.[A-Za-z0-9_-]{1,80}", re.ASCII)
    WORDS: Final = ("workspace", "payment", "customer")
    json_form: ClassVar[Json] = {"anyOf": [words(WORDS), {"type": "string", "pattern": f"^{FORM.pattern}$"}]}

    def read(self, value: Any) -> str:
        if value in self.WORDS or (isinstance(value, str) and self.FORM.fullmatch(value)):
            return str(value)
        raise kinds.wrong(value, f"{', '.join(self.WORDS)} or header.<name>", nearest(value, self.WORDS))


class DuringBlock(SchemaBlock):
    """A period of the workspace's time since activation."""

    from_ = kinds.ScenarioDuration("Start, as a time after activation.", data_key="from")
    for_ = kinds.ScenarioDuration("Duration. Defaults to forever.", data_key="for", least_ms=1)


class Answering(SchemaBlock):
    """Answers to calls: a rule, or an entry of the one-shot queue."""

    on = ListOf(OnName(), "Operations to which it applies.", lone=True, most=50, required=True)

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def _sound(self, data: dict[str, Any], original: Any, **kwargs: Any) -> None:
        then = original.get("then")
        if then == {} or (isinstance(then, list) and then and all(answer == {} for answer in then)):
            raise ValidationError({"then": ["is empty; give an outcome, an error, a fault or a delivery"]})
        on = [name for name in data.get("on", ()) if name is not None]
        errors: dict[int, Any] = {}
        for number, answer in enumerate(data.get("then") or ()):
            if answer is not None and on and (found := dict(_misplaced(on, answer))):
                errors[number] = found
        if errors:
            raise ValidationError({"then": errors})


class RuleBlock(Answering):
    """One rule."""

    what: ClassVar[str] = "a rule"
    when = When(about="Conditions; all of them must be true.")
    skip = kinds.ScenarioWhole(0, 1_000_000, "Number of matching calls to skip first.")
    times = kinds.ScenarioWhole(1, 1_000_000, "Maximum number of calls to answer.")
    every = kinds.ScenarioWhole(1, 1_000_000, "Answers every Nth matching call; 3 means every third.")
    probability = kinds.Share("Probability that a matching call is answered.")
    per = Per("Whether to count per workspace, payment, customer or header. Defaults to workspace.")
    during = Nested(DuringBlock, "Only during this period of the workspace's time.")
    then = ListOf(
        Nested(ThenBlock),
        "An answer, or a list of answers used in order.",
        lone=True,
        most=1_000,
        partly=True,
        required=True,
    )
    repeat = kinds.Word(list(Repeat), about="What to do after the last answer of a list.")

    @validates_schema(skip_on_field_errors=True)
    def _counts(self, data: dict[str, Any], **kwargs: Any) -> None:
        if data.get("repeat") == "cycle" and len(data["then"]) < 2:
            raise ValidationError({"repeat": ["has nothing to repeat: then is a single answer"]})
        if "per" in data and len(data["then"]) < 2 and {"skip", "times", "every", "repeat"}.isdisjoint(data):
            raise ValidationError({"per": ["has no effect without skip, times, every or a list of answers"]})
        if data.get("per", "")[:7] == "header." and all(name.startswith("webhook.") for name in data["on"]):
            raise ValidationError({"per": ["has no effect on webhook.…: a delivery has no headers"]})


def _misplaced(on: list[str], answer: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Keys of an answer that are not allowed for these calls, each with its errors."""
    yield from {key: found for name in reversed(on) for key, found in impossible(name, answer).items()}.items()
    webhooks = [name for name in on if name.startswith("webhook.")]
    if f"webhook.{answer.get('deliver', {}).get('following')}" in webhooks:
        yield "deliver", {"following": ["is the event itself, so it would never be sent"]}
    lineless = next((name for name in on if name == "charge" or name in webhooks), None)
    if lineless is not None:
        text = f"is not allowed on {lineless}: {_ON_CHARGE if lineless == 'charge' else _ON_WEBHOOK}"
        yield from ((key, [KeySentence(f"{key} {text}")]) for key in LINE_KEYS if key in answer)
    other = next((name for name in on if name not in webhooks), None)
    if other is not None:
        text = f"is allowed only on webhook.…, not on {other}"
        yield from ((key, [KeySentence(f"{key} {text}")]) for key in WEBHOOK_KEYS if key in answer)


_ON_CHARGE: Final = "a charge has no connection of its own; give the call, such as payments.create"
_ON_WEBHOOK: Final = f"for a delivery, use {', '.join(WEBHOOK_KEYS[:-1])} and {WEBHOOK_KEYS[-1]}"


class NextBlock(Answering):
    """An answer to the next calls; `on` is the charge by default."""

    what: ClassVar[str] = "an entry of the queue"
    then = ListOf(Nested(ThenBlock), "Answer of the call.", lone=True, most=1, partly=True, required=True)
    times = kinds.ScenarioWhole(1, 1_000, "Number of calls to which it applies.")

    @pre_load
    def _charge(self, data: Any, **kwargs: Any) -> Any:
        return {"on": "charge", **data}
