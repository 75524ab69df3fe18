"""Dialects: tables from the engine's words to those on the wire, and what can differ in a body (ours).

A dialect's folder has only tables, keyed by what differs from the contract: a cause, an operation or one of its routes,
a field or a rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeVar

from msgspec import Struct, field, structs

from mock_server.contract.answers.fields import AnswerShape, Field
from mock_server.domain import statuses
from mock_server.domain.errors import Cause, FieldError, Refusal
from mock_server.domain.figures import Dimension
from mock_server.domain.instants import iso
from mock_server.domain.limits import LIST_MAX

Body = dict[str, object]
S = TypeVar("S", bound=StrEnum)

KINDS: Final[tuple[type[StrEnum], ...]] = tuple(
    kind for kind in vars(statuses).values() if isinstance(kind, type) and kind.__module__ == statuses.__name__
)
"""The enums whose words can differ by dialect."""

_NO_NAMES: Final[Mapping[str, str]] = MappingProxyType({})
_LONG_NUMBER: Final = re.compile(r"[0-9](?:[ -]?[0-9]){11,}")
_MAX_SHOWN: Final = 200


class ErrorRow(NamedTuple):
    """The error of one cause on the wire; `message` and `reason` are templates over the cause's params.

    A message may also name `{field}`, `{problem}` and `{more}`, which describe the wrong fields, and the values of the
    first of them. `type_key` is the key of the type, if it differs from that of the envelope.
    """

    cause: Cause
    status: int
    type: str
    code: str
    message: str
    reason: str = ""
    type_key: str = ""


class CodeRow(NamedTuple):
    """A public code, for a scenario's `error:`; `never` says why no cause leads to it."""

    code: str
    status: int
    type: str
    message: str
    never: str = ""


class ErrorKeys(NamedTuple):
    """The keys of the error envelope, and the names of its extras that differ; without `fields`, no list of them."""

    envelope: str
    type: str
    code: str
    message: str
    fields: str | None
    field_name: str
    field_problem: str
    extras: Mapping[str, str] = _NO_NAMES


class ListKeys(NamedTuple):
    """The keys of a list's envelope, and the wire names of parameters by the engine's, where they differ.

    A key that is None is omitted; without `items` the list is a bare array. `size`: the number of items in the page.
    `most`: the largest page; `whole`: without a `limit`, it has everything.
    """

    items: str | None
    total: str | None
    more: str | None
    parameters: Mapping[str, str] = _NO_NAMES
    size: str | None = None
    most: int = LIST_MAX
    whole: bool = False

    def envelope(self, items: Sequence[object], total: int, has_more: bool) -> object:
        """Wrap one page of a list."""
        if self.items is None:
            return items
        row = ((self.size, len(items)), (self.items, items), (self.total, total), (self.more, has_more))
        return {key: value for key, value in row if key is not None}


class Dialect(Struct, frozen=True, kw_only=True, eq=False):
    """Every status, code, key and name on the wire; equal only to itself, so that it can be a key.

    `words` are each status enum's words in answers, `readings` those accepted in requests, `bodies` the rules of
    requests, `types` the error type from an HTTP status on, highest first. The others have only what differs. `lists`:
    the envelopes of lists, by operation or by route (`GET /payments/list`). `mistakes`: the errors of wrong fields, by
    the rule that they break; `first`: the rules that are reported before all others. `texts`: answers in plain text,
    which need no key, `shapes`: answers of another shape, by operation. `authorizes`: operations whose answers have an
    `sdk_authorization`. `dimensions`: what lists and figures are filtered by in other words. `rules`: prefixes of ids,
    times and defaults, by their names in the engine's `Policy`. `variants`: the name of one of a cause's values, and a
    row for each such value that has its own; `explains`: the rows whose messages say more than this dialect's, for
    header and journal. `queries`: what cannot be read is reported before the key, a query as text with the second word.

    What differs in answers, by the names of shape and field: in `record_names` the name on the wire, in `record_fields`
    another row, None for a field that is omitted, or the row of an additional field.
    """

    name: str
    errors: Mapping[Cause, ErrorRow]
    codes: Mapping[str, CodeRow]
    error_keys: ErrorKeys
    list_keys: ListKeys
    words: Mapping[type[StrEnum], Mapping[str, str]]
    readings: Mapping[type[StrEnum], Mapping[str, StrEnum]]
    bodies: Mapping[str, BodyRules]
    types: tuple[tuple[int, str], ...]
    record_names: Mapping[str, Mapping[str, str]] = MappingProxyType({})
    record_fields: Mapping[str, Mapping[str, Field | None]] = MappingProxyType({})
    lists: Mapping[str, ListKeys] = field(default_factory=dict)
    mistakes: Mapping[str, ErrorRow] = field(default_factory=dict)
    first: tuple[str, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    shapes: Mapping[str, AnswerShape[Any]] = field(default_factory=dict)
    variants: Mapping[Cause, tuple[str, Mapping[object, ErrorRow]]] = field(default_factory=dict)
    explains: Mapping[Cause, ErrorRow] = field(default_factory=dict)
    queries: tuple[str, str] | None = None
    authorizes: frozenset[str] = frozenset()
    dimensions: Mapping[str, Dimension] = field(default_factory=dict)
    rules: Mapping[str, object] = field(default_factory=dict)

    def error(self, refusal: Refusal, more: str = "") -> tuple[int, Body]:
        """The HTTP status and the body of a refusal, with `more` sentences after its message."""
        fields = self._by_importance(refusal)
        row, sentence = self._rows(refusal, fields)
        said = self._words_of(refusal, fields)
        message = sentence.message.format_map(said)
        body = self._head(row.type, row.code, f"{message} {more}" if more else message, row.type_key)
        keys = self.error_keys
        if fields and keys.fields is not None:
            body[keys.fields] = [
                {keys.field_name: _masked(wrong.field), keys.field_problem: _masked(wrong.message)} for wrong in fields
            ]
        reason = {"reason": row.reason.format_map(said)} if row.reason else {}
        for name, value in {**reason, **refusal.extras}.items():
            if name != "fields" or keys.fields is not None:
                body[keys.extras.get(name, name)] = value
        return row.status, {keys.envelope: body}

    def explanation(self, refusal: Refusal) -> str:
        """What an error of this dialect does not say; empty if it says everything."""
        fields = self._by_importance(refusal)
        of_field = bool(fields) and refusal.cause is Cause.VALUE_INVALID
        told = self.explains.get(fields[0].cause if of_field else refusal.cause)
        if told is None or told.message == self._rows(refusal, fields)[1].message:
            return ""
        return told.message.format_map(self._words_of(refusal, fields))

    def _words_of(self, refusal: Refusal, fields: tuple[FieldError, ...]) -> _Said:
        """A refusal's values as text; `field`, `problem` and `more` describe its wrong fields."""
        values = {**refusal.values, **(fields[0].values if fields else {})}
        said = _Said((name, _spelled(name, value, self.status_out)) for name, value in values.items())
        rest = len(fields) - 1
        if fields:
            said["field"], said["problem"] = _masked(fields[0].field), _masked(fields[0].message)
            said["more"] = f" ({rest} more in fields)" if rest else ""
        if self.error_keys.fields is None:
            said["more"] = ""
        return said

    def unlisted(self, refusal: Refusal) -> tuple[FieldError, ...]:
        """The wrong fields that an error of this dialect does not list, in the order of their importance."""
        return self._by_importance(refusal) if self.error_keys.fields is None else ()

    def _by_importance(self, refusal: Refusal) -> tuple[FieldError, ...]:
        """The wrong fields in the order in which the dialect reports them."""
        if not self.first:
            return refusal.fields
        ranks = {rule: rank for rank, rule in enumerate(self.first)}
        return tuple(sorted(refusal.fields, key=lambda wrong: ranks.get(wrong.rule, len(ranks))))

    def _rows(self, refusal: Refusal, fields: tuple[FieldError, ...]) -> tuple[ErrorRow, ErrorRow]:
        """The row of status and code, and that of the message, which is about the first of several wrong fields."""
        cause = refusal.cause
        row = self.errors[cause]
        if cause in self.variants:
            name, rows = self.variants[cause]
            row = rows.get(refusal.values[name], row)
        if not fields:
            return row, row
        own = self.mistakes.get(fields[0].rule)
        if own is not None:
            return own, own
        return row, self.errors[fields[0].cause] if cause is Cause.VALUE_INVALID else row

    def rows_of(self, cause: Cause) -> tuple[ErrorRow, ...]:
        """Every row that a refusal for this cause can use."""
        variants = self.variants[cause][1].values() if cause in self.variants else ()
        return self.errors[cause], *variants, *(self.mistakes.values() if cause is Cause.VALUE_INVALID else ())

    def coded(self, code: str, *, status: int | None = None, message: str | None = None) -> tuple[int, Body]:
        """The answer with a code that a scenario names; unknown codes need a `status`."""
        row = self.codes.get(code)
        found = status or (row.status if row else 500)
        kind = row.type if row and found == row.status else type_of(found, self.types)
        text = message or (row.message if row else f"A scenario answers this call with {code}.")
        return found, {self.error_keys.envelope: self._head(kind, code, text)}

    def status_out(self, word: StrEnum) -> str:
        """The wire's word for a status of any kind; words of other enums stay as they are."""
        words = self.words.get(type(word))
        return word.value if words is None else words[word]

    def spoken(self, kind: type[StrEnum]) -> Mapping[StrEnum, str] | Mapping[str, str]:
        """The wire's words for all statuses of a kind, and those that nothing has, which lists name."""
        return self.words.get(kind) or {word: word.value for word in kind}

    def status_in(self, word: str, kind: type[S]) -> S | None:
        """The status of a kind for the wire's word or an alias of it; None if there is no such word."""
        found = self.readings[kind].get(word)
        return found if isinstance(found, kind) else None

    def list_of(self, operation: str, route: str = "") -> ListKeys:
        """The envelope of a list."""
        return self.lists.get(route) or self.lists.get(operation) or self.list_keys

    def _head(self, kind: str, code: str, message: str, type_key: str = "") -> Body:
        keys = self.error_keys
        return {type_key or keys.type: kind, keys.code: code, keys.message: message}


def type_of(status: int, types: tuple[tuple[int, str], ...]) -> str:
    """The error type that belongs to an HTTP status."""
    return next(word for least, word in types if status >= least)


def words_of(renamed: Mapping[type[StrEnum], Mapping[str, str]]) -> dict[type[StrEnum], dict[str, str]]:
    """Each kind's words for the wire: the engine's own, except those `renamed`."""
    return {kind: {member: renamed.get(kind, _NO_NAMES).get(member, member.value) for member in kind} for kind in KINDS}


def readings_of(
    words: Mapping[type[StrEnum], Mapping[str, str]], aliases: Iterable[tuple[str, StrEnum]]
) -> dict[type[StrEnum], dict[str, StrEnum]]:
    """The status of each word, aliases included, by kind."""
    readings: dict[type[StrEnum], dict[str, StrEnum]] = {
        kind: {outs[member]: member for member in kind} for kind, outs in words.items()
    }
    for word, member in aliases:
        readings[type(member)][word] = member
    return readings


# values in a message: in the dialect's words, without numbers that could be card numbers (ours)


class _Said(dict[str, str]):
    """The values of a message by name; a missing one becomes its name in parentheses."""

    def __missing__(self, name: str) -> str:
        return f"({name})"


def _masked(text: str) -> str:
    """A text without numbers as long as a card's, shortened for a message."""
    return _LONG_NUMBER.sub("[number]", text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "…")


def _spelled(name: str, value: object, to_wire: Callable[[StrEnum], str]) -> str:
    if isinstance(value, StrEnum):
        return to_wire(value)
    if isinstance(value, str):
        return _masked(value)
    if isinstance(value, int):
        return iso(value) if name.endswith("_at") else str(value)
    if isinstance(value, Iterable):
        return ", ".join(_spelled(name, item, to_wire) for item in value)
    return "null" if value is None else _masked(str(value))


class Unknown(StrEnum):
    """How unknown keys are treated."""

    REFUSED = "refused"
    REFUSED_AT_THE_TOP = "refused_at_the_top"
    """Those of nested objects are ignored."""
    PASSED_OVER = "passed_over"


class BodyRules(Struct, frozen=True, kw_only=True):
    """What differs in one operation's body (or query). Fields by their path: `amount`, `payment_method_data.card`.

    `required` are so although the rows do not say it; `parsed` too, and are refused as those of the rows. `refused` are
    unknown in this dialect. `loose`: texts are checked by the loose form of their rule, if any. `words` are lists by
    the name that a `Choice` has for its own, in the order in which an error lists them.
    """

    required: frozenset[str] = frozenset()
    parsed: frozenset[str] = frozenset()
    refused: frozenset[str] = frozenset()
    unknown: Unknown = Unknown.REFUSED
    loose: bool = False
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def inside(self, name: str) -> BodyRules:
        """What differs in the object under a field."""
        start = f"{name}."
        inner = {
            kind: frozenset(path.removeprefix(start) for path in getattr(self, kind) if path.startswith(start))
            for kind in ("required", "parsed", "refused")
        }
        unknown = Unknown.REFUSED if self.unknown is Unknown.REFUSED else Unknown.PASSED_OVER
        return structs.replace(self, unknown=unknown, **inner)


AS_WRITTEN: Final = BodyRules()
