"""From a parsed body or a query to a frozen command, or a refusal that names every wrong field.

Wrong fields are named in an order that is the same in every run: known ones in the schema's, then unknown ones in the
body's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final, Generic, TypeVar

from marshmallow import Schema, ValidationError
from marshmallow.exceptions import SCHEMA
from marshmallow.fields import Field
from msgspec import Struct, structs

from mock_server.contract.dialect import AS_WRITTEN, BodyRules, Unknown
from mock_server.contract.kinds.base import DOUBTS, Broken, Check, FieldKind, Loaded, Sent
from mock_server.contract.kinds.objects import MOST_WRONG, Body, Items, ObjectOf, compile_placing, compile_schema
from mock_server.contract.kinds.rules import NOW_MS
from mock_server.contract.kinds.texts import Choice
from mock_server.domain.errors import Cause, FieldError, Refusal, wrong_field
from mock_server.guesses import hint

T = TypeVar("T")
Ignores = Callable[[], bool]


class Shape(Generic[T]):
    """One request's shape: a marshmallow schema, and how what it loads becomes a command.

    `schema` makes the schema, such as its class, and is called once, when the first body comes or `warm` is called.
    `rules` are what differs in a dialect. `build` makes the command of what
    `places` gives, if there are some, else of what was loaded.
    """

    def __init__(
        self,
        schema: Callable[..., Schema],
        build: Callable[[Any], T],
        rules: BodyRules = AS_WRITTEN,
        places: Callable[[Loaded], Sent] | None = None,
    ) -> None:
        self._make = schema
        self._rules = rules
        self._build = build
        self._places = places
        self._schema: Schema | None = None
        self._check: Check | None = None
        self._unasked: T | None = None
        """The command of an empty query: commands are frozen, so all can share one."""

    @property
    def schema(self) -> Schema:
        """The definition: its fields, rules and descriptions."""
        if self._schema is None:
            self._schema = self._make() if self._rules is AS_WRITTEN else self._make(rules=self._rules)
        return self._schema

    def under(self, rules: BodyRules | None) -> Shape[T]:
        """The shape as a dialect has it."""
        return self if rules is None else Shape(self._make, self._build, rules, self._places)

    def load(self, data: object, now_ms: int, ignores: Ignores = bool, stranger: Cause = Cause.UNKNOWN_FIELD) -> T:
        """The command of a parsed body; no body, `null` and `{}` are the same.

        `now_ms` is the workspace's time, with which an expiry is compared. `ignores` tells whether unknown keys are
        ignored (`bool`: they are not); it is asked only where there may be some. `stranger` is the cause of an
        unknown key. Raises Refusal (value_missing, value_invalid, that cause, body_not_object).
        """
        body = {} if data is None else data
        NOW_MS.set(now_ms)
        check = self._check or self.warm()
        try:
            read = check(body)
        except DOUBTS:
            read = self._once_more(check, body, ignores(), stranger)
        return self._build(read)

    def _once_more(self, check: Check, body: Any, ignore_unknown: bool, stranger: Cause) -> Any:
        """Reads the body without the unknown keys that are ignored, if there are any; then by marshmallow."""
        unknown = self._rules.unknown
        if ignore_unknown or unknown is not Unknown.REFUSED:
            at_the_top = unknown is Unknown.REFUSED_AT_THE_TOP and not ignore_unknown
            body = pruned(self.schema, body, keep=at_the_top)
            try:
                return check(body)
            except DOUBTS:
                pass
        return self._slowly(body, stranger)

    def load_query(self, pairs: Iterable[tuple[str, str]], now_ms: int, ignores: Ignores = bool) -> T:
        """The command of a query string, given as its pairs, unquoted, in order."""
        sent = list(pairs)
        if not sent and self._unasked is not None:
            return self._unasked
        command = self.load(as_body(self.schema, sent), now_ms, ignores, Cause.UNKNOWN_PARAMETER)
        if not sent:
            self._unasked = command
        return command

    def load_beside(self, names: Iterable[str], ignores: Ignores) -> None:
        """Refuses the query of a call whose body says what to list, where unknown parameters are refused."""
        if self._rules.unknown is Unknown.REFUSED and not ignores():
            wrong = [FieldError(name, "belongs in a POST's body", Cause.UNKNOWN_PARAMETER) for name in names]
            raise Refusal.of_fields(wrong)

    def warm(self) -> Check:
        """Makes everything that the first body would otherwise wait for."""
        places = self._places
        self._check = compile_schema(self.schema) if places is None else compile_placing(self.schema, places)
        return self._check

    def _slowly(self, body: object, stranger: Cause = Cause.UNKNOWN_FIELD) -> Any:
        if not isinstance(body, dict):
            raise _not(body, "object")
        try:
            loaded = self.schema.load(body)
        except ValidationError as wrong:
            raise Refusal.of_fields(_field_errors(self.schema, body, wrong.messages, stranger)) from None
        return loaded if self._places is None else self._places(loaded)


def asking(body: type[Body], command: Callable[..., T]) -> Shape[T]:
    """The shape of a body whose command has exactly the values that its rows pass to the engine."""
    return Shape(body, lambda sent: command(**sent[0]), places=body.places())


def named(body: type[Body]) -> Shape[dict[str, Any]]:
    """The shape of a body whose values a view, or a command of the engine, gets by name."""
    return asking(body, dict[str, Any])


def storing(
    body: type[Body], command: Callable[..., T], *, whole: bool = False, in_row_order: bool = False
) -> Shape[T]:
    """The shape of a body whose command also carries what the record stores, and what answers return.

    `whole`: it replaces everything, so that fields which it omits are carried as None. `in_row_order`: its values are
    in the order of its rows, not in that of the body.
    """
    places = body.places()
    sort = places.whole if whole else places.in_row_order if in_row_order else places

    def build(sent: Sent) -> T:
        read, carried, echo = sent
        return command(**read, carried=carried, echo=echo) if places.echoed else command(**read, carried=carried)

    return Shape(body, build, places=sort)


class NothingBody(Body):
    """No parameters: no body, `null` or `{}`."""


NO_BODY: Final[Shape[None]] = Shape(NothingBody, lambda loaded: None)


class Many(Generic[T]):
    """An array of one to `most` requests of one shape, as the public API takes them for metrics (facts §1.7).

    A refusal names every wrong field of all of them, with its place in the array.
    """

    def __init__(self, one: Shape[T], most: int) -> None:
        self.one = one
        self.most = most

    def under(self, rules: BodyRules | None) -> Many[T]:
        return Many(self.one.under(rules), self.most)

    def warm(self) -> Check:
        return self.one.warm()

    def load(self, data: object, now_ms: int, ignores: Ignores = bool) -> tuple[T, ...]:
        """The commands. Refused as `body_not_object`, and as the one shape refuses."""
        if not isinstance(data, list):
            raise _not(data, "array")
        if not 1 <= len(data) <= self.most:
            raise wrong_field("body", f"must hold 1 to {self.most} requests")
        loaded: list[T] = []
        wrong: list[FieldError] = []
        for place, item in enumerate(data):
            try:
                # A null in the array is no request.
                loaded.append(self.one.load([] if item is None else item, now_ms, ignores))
            except Refusal as refusal:
                fields = refusal.fields or [_said("", "must be an object")]
                wrong += [
                    structs.replace(one, field=f"{place}.{one.field}" if one.field else str(place)) for one in fields
                ]
        if wrong:
            raise Refusal.of_fields(wrong)
        return tuple(loaded)


_JSON_NAMES: Final = {list: "array", str: "string", int: "number", float: "number", bool: "boolean", dict: "object"}


def _not(body: object, expected: str) -> Refusal:
    return Refusal(Cause.BODY_NOT_OBJECT, given=_JSON_NAMES.get(type(body), "null"), expected=expected)


def pruned(schema: Schema, data: Any, *, keep: bool = False) -> Any:
    """An object without the keys that its schema does not have, at every depth (`unknown_fields=ignore`).

    With `keep`, unknown keys of the object itself stay.
    """
    if not isinstance(data, dict):
        return data
    known = schema.load_fields
    return {
        key: _pruned_value(known[key], value) if key in known else value
        for key, value in data.items()
        if keep or key in known
    }


def _pruned_value(field: Field[Any], value: Any) -> Any:
    if isinstance(field, ObjectOf):
        return pruned(field.schema_for(value), value)
    if isinstance(field, Items) and isinstance(value, list):
        return [_pruned_value(field.inner, item) for item in value]
    return value


def as_body(schema: Schema, pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """A query as a body: its values are text, and a list is sent by repeating the name (ours).

    A text that its field cannot convert stays text, and the field refuses it. A name may have dots for `_`
    (`created.lt`, facts §1.1.1).
    """
    body: dict[str, Any] = {}
    for sent, text in pairs:
        plain = sent.replace(".", "_")
        name = plain if plain in schema.load_fields else sent
        field = schema.load_fields.get(name)
        values = _values(field, text)
        if isinstance(field, ObjectOf):
            raise Refusal.of_fields([_said(name, "can only be sent in a body")])
        if name in body and isinstance(field, FieldKind) and not isinstance(field, Items):
            raise Refusal.of_fields([_said(name, "is sent more than once")])
        if name in body or len(values) > 1:
            before = body.get(name, [])
            body[name] = [*(before if isinstance(before, list) else [before]), *values]
        else:
            body[name] = values[0]
    return body


def _values(field: Field[Any] | None, text: str) -> list[Any]:
    if isinstance(field, Items):
        # The words of a choice have no commas; a free text may have some.
        parts = text.split(",") if isinstance(field.inner, Choice) else [text]
        return [field.inner.from_text(part) for part in parts]
    return [field.from_text(text) if isinstance(field, FieldKind) else text]


_KEY_SHOWN: Final = 40
_GUESSES: Final = 20
NO_RULE: Final[Broken] = ("unreadable", {})


def _field_errors(schema: Schema, data: Any, messages: Any, stranger: Cause) -> tuple[FieldError, ...]:
    """The first wrong fields of a body, and how many more were found; `stranger` is the cause of an unknown key."""
    found = _with_guesses(_of_object(schema, data, messages, ""), stranger)
    listed = tuple(islice(found, MOST_WRONG))
    more = sum(1 for _ in found)
    return (*listed, FieldError("body", f"has more mistakes, at least {more}", listed[-1].cause)) if more else listed


class _Stranger(Struct, frozen=True):
    """An unknown key, and the known names of its object."""

    path: str
    key: str
    known: tuple[str, ...]


def _of_object(schema: Schema, data: Any, messages: Mapping[Any, Any], path: str) -> Iterator[FieldError | _Stranger]:
    """The mistakes of an object; of very many unknown keys the schema has looked at the first alone."""
    known = tuple(schema.load_fields)
    for name in known:
        if name in messages:
            needed = name in schema.rules.required if isinstance(schema, Body) else False
            yield from _of_field(schema.load_fields[name], _item(data, name), messages[name], _join(path, name), needed)
    strange = [key for key in data if key not in schema.load_fields] if isinstance(data, Mapping) else []
    for key in strange:
        if key in messages or strange[0] in messages:
            yield _Stranger(_join(path, _short(key)), key, known)
    if SCHEMA in messages and SCHEMA not in schema.load_fields and not (isinstance(data, Mapping) and SCHEMA in data):
        yield _said(path, messages[SCHEMA], rule=("" if isinstance(data, Mapping) else "type", {}))


def _of_field(
    field: Field[Any], value: Any, messages: Any, path: str, needed: bool = False
) -> Iterator[FieldError | _Stranger]:
    if isinstance(messages, Mapping) and isinstance(field, ObjectOf):
        yield from _of_object(field.schema_for(value), value, messages, path)
    elif isinstance(messages, Mapping) and isinstance(field, Items):
        for index in sorted(messages):
            item, said, place = _item(value, index), messages[index], _join(path, str(index))
            if item is None:
                yield _said(place, "must not be null")
            else:
                yield from _of_field(field.inner, item, said, place)
    elif isinstance(messages, Mapping):
        for key, said in messages.items():
            yield _said(_join(path, _short(str(key))), said)
    elif value is None:
        yield _said(path, messages, Cause.VALUE_MISSING, ("needed" if needed else "missing", {}))
    else:
        yield _said(path, messages, rule=field.broken(value) if isinstance(field, FieldKind) else NO_RULE)


def _with_guesses(found: Iterable[FieldError | _Stranger], stranger: Cause) -> Iterator[FieldError]:
    guesses = _GUESSES
    for mistake in found:
        if isinstance(mistake, FieldError):
            yield mistake
        else:
            guesses -= 1
            meant = hint(mistake.key, mistake.known) if guesses >= 0 else ""
            yield _said(mistake.path, f"is not a known field{meant}", stranger, ("unknown_field", {"hint": meant}))


def _said(path: str, messages: Any, cause: Cause = Cause.VALUE_INVALID, rule: Broken = NO_RULE) -> FieldError:
    words = " and ".join(map(str, messages)) if isinstance(messages, list) else str(messages)
    return FieldError(path, words, cause, rule[0] or NO_RULE[0], {"name": path.rpartition(".")[2], **rule[1]})


def _item(value: Any, key: Any) -> Any:
    try:
        return value[key]
    except (KeyError, IndexError, TypeError):
        return None


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _short(key: str) -> str:
    return key if len(key) <= _KEY_SHOWN else f"{key[:_KEY_SHOWN]}…"
