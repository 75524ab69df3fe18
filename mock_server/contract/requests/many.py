"""An array of requests of one shape, such as the metrics of the public API come in (facts §1.7)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

from mock_server.contract.requests.load import Shape, json_name
from mock_server.domain.errors import Cause, FieldError, Refusal

T = TypeVar("T")


class Many(Generic[T]):
    """One to `most` requests; every wrong field of all of them is told at once, with its place in the array."""

    def __init__(self, one: Shape[T], most: int) -> None:
        self.one = one
        self.most = most

    def load(self, data: object, now_ms: int, *, ignore_unknown: bool = False) -> tuple[T, ...]:
        """The commands. Refused as `body_not_object`, and as the one shape refuses."""
        if not isinstance(data, list):
            raise Refusal(Cause.BODY_NOT_OBJECT, given=json_name(data), expected="array")
        if not 1 <= len(data) <= self.most:
            raise Refusal.of_fields([FieldError("body", f"must hold 1 to {self.most} requests")])
        loaded: list[T] = []
        wrong: list[FieldError] = []
        for place, item in enumerate(data):
            try:
                loaded.append(self.one.load(_object(item), now_ms, ignore_unknown=ignore_unknown))
            except Refusal as refusal:
                wrong += _at(place, refusal)
        if wrong:
            raise Refusal.of_fields(wrong)
        return tuple(loaded)

    def load_query(
        self, pairs: Iterable[tuple[str, str]], now_ms: int, *, ignore_unknown: bool = False
    ) -> tuple[T, ...]:
        """One command, as a query can only say one."""
        return (self.one.load_query(pairs, now_ms, ignore_unknown=ignore_unknown),)


def _object(item: object) -> object:
    """A null in the array is no request."""
    return [] if item is None else item


def _at(place: int, refusal: Refusal) -> Iterable[FieldError]:
    if not refusal.fields:
        yield FieldError(str(place), "must be an object")
    for wrong in refusal.fields:
        yield FieldError(f"{place}.{wrong.field}" if wrong.field else str(place), wrong.message, wrong.cause)
