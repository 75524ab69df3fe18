"""Sorts of values that hold others: tables, lists, and one of several sorts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from marshmallow import ValidationError

from mock_server.contract.kinds.base import FieldKind, Json
from mock_server.scenario.schema.kinds import ScenarioKind, described, wrong
from mock_server.scenario.schema.long_work import in_turns
from mock_server.scenario.schema.messages import WHOLE, KeySentence


class MappingOf(ScenarioKind):
    """A mapping whose keys are free, or checked by `key`."""

    def __init__(
        self, values: FieldKind, key: FieldKind | None = None, about: str = "", most: int = 10_000, **options: Any
    ) -> None:
        super().__init__(about, **options)
        self.values = values
        self.key = key
        self.most = most

    def json(self) -> Json:
        found: Json = {"type": "object", "additionalProperties": described(self.values)}
        return {**found, "propertyNames": self.key.json()} if self.key else found

    def read(self, value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise wrong(value, "a mapping")
        if len(value) > self.most:
            raise ValidationError(f"has {len(value)} keys; the maximum is {self.most}")
        made: dict[str, Any] = {}
        errors: dict[str, Any] = {}
        for key, item in in_turns(value.items()):
            own, problems = self._key(key)
            try:
                made[own] = self.values.deserialize(item)
            except ValidationError as found:
                problems = _beside(problems, found.messages)
            if problems:
                errors[key] = problems
        if errors:
            raise ValidationError(errors, valid_data=made)
        return made

    def _key(self, key: str) -> tuple[str, Any]:
        """The key as it is kept, and what is wrong with it."""
        if self.key is None:
            return key, []
        try:
            return str(self.key.deserialize(key)), []
        except ValidationError as found:
            return key, [KeySentence(f"the key {message}") for message in found.messages]


def _beside(key: list[Any], value: Any) -> Any:
    """What is wrong with a key beside what is wrong with its value."""
    if not key:
        return value
    return {WHOLE: key, **value} if isinstance(value, dict) else [*key, *value]


class ListOf(ScenarioKind):
    """A list; with `lone`, one value alone stands for a list of one.

    An item with mistakes keeps its place: as None, or with `partly` as what could be read of it.
    """

    def __init__(
        self,
        inner: FieldKind,
        about: str = "",
        lone: bool = False,
        least: int = 1,
        most: int = 10_000,
        partly: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(about, **options)
        self.inner = inner
        self.lone = lone
        self.least = least
        self.most = most
        self.partly = partly

    def json(self) -> Json:
        many: Json = {"type": "array", "items": described(self.inner), "minItems": self.least}
        return {"anyOf": [self.inner.json(), many]} if self.lone else many

    def read(self, value: Any) -> list[Any]:
        if isinstance(value, list):
            if not self.least <= len(value) <= self.most:
                raise ValidationError(f"must have {self.least} to {self.most} items, not {len(value)}")
            return self._each(value)
        if not self.lone:
            raise wrong(value, "a list")
        try:
            return [self.inner.deserialize(value)]
        except ValidationError as found:
            raise ValidationError(found.messages, valid_data=[self._part(found)]) from None

    def _each(self, value: list[Any]) -> list[Any]:
        made: list[Any] = []
        errors: dict[int, Any] = {}
        for at, item in in_turns(enumerate(value)):
            try:
                made.append(self.inner.deserialize(item))
            except ValidationError as found:
                errors[at] = found.messages
                made.append(self._part(found))
        if errors:
            raise ValidationError(errors, valid_data=made)
        return made

    def _part(self, found: ValidationError) -> Any:
        return found.valid_data if self.partly and isinstance(found.valid_data, dict) else None


class OneOf(ScenarioKind):
    """A value of one of several sorts, told apart by `choose`."""

    def __init__(
        self,
        choose: Callable[[Any], FieldKind | None],
        kinds: Iterable[FieldKind],
        wanted: str,
        about: str = "",
        **options: Any,
    ) -> None:
        super().__init__(about, **options)
        self.choose = choose
        self.kinds = tuple(kinds)
        self.wanted = wanted

    def json(self) -> Json:
        return {"anyOf": [described(kind) for kind in self.kinds]}

    def read(self, value: Any) -> Any:
        kind = self.choose(value)
        if kind is None:
            raise wrong(value, self.wanted)
        return kind.deserialize(value)
