"""The kinds of field that only control calls have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from marshmallow import ValidationError, fields

from mock_server.contract.requests.fields import Choice, Described, Text
from mock_server.contract.requests.mistakes import nearest
from mock_server.control.requests.limits import EARLIEST, LATEST, LONGEST_MS
from mock_server.domain.instants import parse_query
from mock_server.settings import duration_ms


class Duration(Described, fields.Field[int]):
    """A time such as `250ms`, `30s`, `15m`, `24h` or `30d`, or a bare number of seconds; loaded as milliseconds."""

    wrong = "must be a duration such as 250ms, 30s, 15m, 24h or 30d"

    def __init__(self, says: str = "", *, most_ms: int = LONGEST_MS, **more: Any) -> None:
        super().__init__(says, **more)
        self.most_ms = most_ms

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise self.make_error("invalid")
        try:
            ms = duration_ms(str(value))
        except ValueError:
            raise self.make_error("invalid") from None
        if ms > self.most_ms:
            raise ValidationError(f"must be at most {self.most_ms // 1000}s")
        return ms


class Named(Choice):
    """A choice that says which word was probably meant."""

    def __init__(self, choices: Iterable[str], says: str = "", **more: Any) -> None:
        self.words = tuple(choices)
        super().__init__(self.words, says, **more)

    def _validate(self, value: Any) -> None:
        try:
            super()._validate(value)
        except ValidationError as wrong:
            guess = nearest(value, self.words)
            if guess is None:
                raise
            # First, because a long list of words is cut.
            raise ValidationError(f"is not known (did you mean {guess}?); it {wrong.messages[0]}") from None


class WorkspaceInstant(Described, fields.Field[int]):
    """An instant that a workspace's clock may show, loaded as milliseconds since the epoch, UTC."""

    wrong = "must be an ISO 8601 timestamp"

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if not isinstance(value, str):
            raise self.make_error("invalid")
        try:
            at = parse_query(value)
        except ValueError as problem:
            raise ValidationError(str(problem)) from None
        if not EARLIEST <= at <= LATEST:
            raise ValidationError("must lie between the years 1970 and 9000")
        return at


class Seed(Text):
    """A seed: any text, or an integer that stands for its digits."""

    wrong = "must be a string or an integer"

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        whole = isinstance(value, int) and not isinstance(value, bool)
        return super()._deserialize(str(value) if whole else value, attr, data, **kwargs)
