"""From a parsed body to a frozen command, or a refusal that names every wrong field."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from mock_server.contract.requests.present import NOW_MS
from mock_server.domain.errors import Cause, Refusal

if TYPE_CHECKING:
    from marshmallow import Schema

    from mock_server.contract.requests.leaves import Check

T = TypeVar("T")


class Shape(Generic[T]):
    """One request's shape: a marshmallow schema, and how what it loads becomes a command.

    `schema` makes the schema and is called once, when the first body comes (or `warm` is called): marshmallow is
    imported no sooner. `stranger` is the cause of a key that the schema does not know.
    """

    def __init__(
        self,
        schema: Callable[[], Schema],
        build: Callable[[dict[str, Any]], T],
        stranger: Cause = Cause.UNKNOWN_FIELD,
    ) -> None:
        self._make = schema
        self._build = build
        self._stranger = stranger
        self._schema: Schema | None = None
        self._check: Check | None = None
        self._unasked: T | None = None
        """The command of a query that says nothing: commands are frozen, so one does for all."""

    @property
    def schema(self) -> Schema:
        """The definition: its fields, rules and descriptions."""
        if self._schema is None:
            self._schema = self._make()
        return self._schema

    def load(self, data: object, now_ms: int, *, ignore_unknown: bool = False) -> T:
        """The command that a parsed body asks for; no body, `null` and `{}` are the same.

        `now_ms` is the workspace's now: an expiry lies before or after it. With `ignore_unknown` keys that no schema
        knows are passed over. Raises Refusal (value_missing, value_invalid, unknown_field or its like,
        body_not_object).
        """
        body = {} if data is None else data
        if ignore_unknown:
            from mock_server.contract.requests.prune import pruned

            body = pruned(self.schema, body)
        NOW_MS.set(now_ms)
        try:
            loaded = (self._check or self.warm())(body)
        except LookupError:
            loaded = self._slowly(body)
        return self._build(loaded)

    def load_query(self, pairs: Iterable[tuple[str, str]], now_ms: int, *, ignore_unknown: bool = False) -> T:
        """The command that a query string asks for: its pairs, unquoted, in their order."""
        sent = list(pairs)
        if not sent and self._unasked is not None:
            return self._unasked
        from mock_server.contract.requests.query import as_body

        command = self.load(as_body(self.schema, sent), now_ms, ignore_unknown=ignore_unknown)
        if not sent:
            self._unasked = command
        return command

    def load_slowly(self, data: object, now_ms: int) -> T:
        """As `load`, by marshmallow alone: what the fast way is held against."""
        NOW_MS.set(now_ms)
        return self._build(self._slowly({} if data is None else data))

    def warm(self) -> Check:
        """Makes everything that the first body would otherwise wait for."""
        from mock_server.contract.requests.fast import compile_schema

        self._check = compile_schema(self.schema)
        return self._check

    def _slowly(self, body: object) -> dict[str, Any]:
        from marshmallow import ValidationError

        from mock_server.contract.requests.mistakes import field_errors

        if not isinstance(body, dict):
            raise Refusal(Cause.BODY_NOT_OBJECT, given=_JSON_NAMES.get(type(body), "value"), expected="object")
        try:
            return self.schema.load(body)  # type: ignore[no-any-return]  # one object, never many
        except ValidationError as wrong:
            raise Refusal.of_fields(field_errors(self.schema, body, wrong.messages, self._stranger)) from None


def json_name(value: object) -> str:
    """What JSON calls a value's type."""
    return _JSON_NAMES.get(type(value), "object" if isinstance(value, dict) else "value")


_JSON_NAMES: Final = {list: "array", str: "string", int: "number", float: "number", bool: "boolean"}
