"""The block under `when`: paths, and the conditions of their values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import chain
from typing import Any, Final

from marshmallow import ValidationError

from mock_server.contract.kinds.base import Json
from mock_server.domain.card_brands import BRANDS, brand_named
from mock_server.domain.statuses import ALIASES, DisputeStage, DisputeStatus, PaymentStatus, RefundStatus
from mock_server.scenario.conditions.paths import ROOTS, Path, brand_slug, compile_path
from mock_server.scenario.conditions.when import OPERATORS, Condition, Operator, compile_pattern, show
from mock_server.scenario.model.mistakes import nearest
from mock_server.scenario.schema.kinds import ScenarioKind, read_each, wrong
from mock_server.scenario.schema.nodes import KeySentence, unknown

WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "payment.status": (*PaymentStatus, *ALIASES),
    "refund.status": tuple(RefundStatus),
    "dispute.dispute_status": tuple(DisputeStatus),
    "dispute.dispute_stage": tuple(DisputeStage),
    "card.brand": tuple(brand.slug for brand in BRANDS),
}
"""Paths whose values are words of a table: a condition with any other word would never be true."""


class When(ScenarioKind):
    """Paths with what is expected of each; read as a tuple of conditions, all of which must be true."""

    def __init__(
        self,
        compile_with: Callable[[str], Path] = compile_path,
        words: Mapping[str, tuple[str, ...]] = WORDS,
        about: str = "",
        **options: Any,
    ) -> None:
        super().__init__(about, **options)
        self.compile = compile_with
        self.words = words

    def json(self) -> Json:
        operators: Json = {name: {"description": row.about} for name, row in OPERATORS.items()}
        tests: Json = {"type": "object", "properties": operators, "additionalProperties": False, "minProperties": 1}
        plain: Json = {"type": ["string", "number", "boolean"]}
        any_of: Json = {"type": "array", "items": plain, "minItems": 1}
        return {"type": "object", "additionalProperties": {"anyOf": [plain, any_of, tests]}}

    def read(self, value: Any) -> tuple[Condition, ...]:
        if not isinstance(value, Mapping):
            raise wrong(value, "a mapping of paths")
        return tuple(chain.from_iterable(read_each(value.items(), self._conditions)))

    def _conditions(self, text: str, expected: Any) -> list[Condition]:
        path = self._path(text)
        if not isinstance(expected, Mapping):
            name = "in" if isinstance(expected, list) else "eq"
            return [self._condition(path, name, expected)]
        if not expected:
            raise ValidationError("has no operator, so it is never true")
        return read_each(expected.items(), partial(self._condition, path))

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
        return Condition(path, operator, self._expected(path, operator, expected))

    def _expected(self, path: Path, operator: Operator, expected: Any) -> Any:
        ready = _READERS[operator.takes](expected)
        words = self.words.get(path.text) if operator.name in ("eq", "ne", "in", "not_in") else None
        if words is None:
            return ready
        found = tuple(_word(path, one, words) for one in (ready if isinstance(ready, tuple) else (ready,)))
        return found if isinstance(ready, tuple) else found[0]


def _word(path: Path, value: Any, words: tuple[str, ...]) -> Any:
    """A word of a table, as the path has it."""
    word = brand_slug(value) if path.text == "card.brand" and isinstance(value, str) else value
    if word in words:
        return ALIASES.get(word, word)
    known = words if path.text != "card.brand" or brand_named(str(value)) is None else ()
    hint = nearest(value, known) if isinstance(value, str) else ""
    raise ValidationError(f"can never be {show(value)}{hint}")


def _value(value: Any) -> Any:
    if value is None:
        raise ValidationError("can never be null; write {exists: false} for a missing value")
    if isinstance(value, list | Mapping):
        raise wrong(value, "one value")
    return value


def _values(value: Any) -> tuple[Any, ...]:
    if not isinstance(value, list) or not value:
        raise wrong(value, "a list of values")
    return tuple(map(_value, value))


def _ordered(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise wrong(value, "a number, or a text")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise wrong(value, "text")
    return value


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise wrong(value, "true or false")
    return value


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
    "ordered": _ordered,
    "text": _text,
    "truth": _truth,
    "pattern": _pattern,
}
"""The readers of an operator's value, by its row's `takes`."""
