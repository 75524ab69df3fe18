"""What a dialect is: tables from the engine's words to the wire's, and what reads them (ours).

A dialect's folder holds tables alone. What it does not say is as the contract says: its own tables are keyed by the
row that they differ from, a cause, an operation or one of its routes, a field or a rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeVar

from msgspec import Struct, field

from mock_server.contract.answers.fields import AnswerShape, Field
from mock_server.contract.bodies import BodyRules
from mock_server.domain import statuses
from mock_server.domain.errors import Cause, FieldError, Refusal
from mock_server.domain.instants import iso
from mock_server.domain.paging import MAX_LIMIT

Body = dict[str, object]
S = TypeVar("S", bound=StrEnum)

KINDS: Final[tuple[type[StrEnum], ...]] = tuple(
    kind for kind in vars(statuses).values() if isinstance(kind, type) and kind.__module__ == statuses.__name__
)
"""The enums whose words a dialect may spell in its own way."""

_NO_NAMES: Final[Mapping[str, str]] = MappingProxyType({})
_NO_FIELDS: Final[Mapping[str, Field | None]] = MappingProxyType({})
_LONG_NUMBER: Final = re.compile(r"[0-9](?:[ -]?[0-9]){11,}")
_MAX_SHOWN: Final = 200


class ErrorRow(NamedTuple):
    """How one cause reads on the wire; `message` and `reason` are templates over the cause's params.

    A message may also name `{field}`, `{problem}` and `{more}`, which tell of the wrong fields, and what the first of
    them hands over. `type_key` is the key of the type where it is another than that of the envelope.
    """

    cause: Cause
    status: int
    type: str
    code: str
    message: str
    reason: str = ""
    type_key: str = ""


class CodeRow(NamedTuple):
    """A public code, as a scenario's `error:` answers with it; `never` says why no cause here leads to it."""

    code: str
    status: int
    type: str
    message: str
    never: str = ""


class ErrorKeys(NamedTuple):
    """The keys of the error envelope, and the names of its extras where they differ; `fields` None: no list of them."""

    envelope: str
    type: str
    code: str
    message: str
    fields: str | None
    field_name: str
    field_problem: str
    extras: Mapping[str, str] = _NO_NAMES


class ListKeys(NamedTuple):
    """The keys of a list's envelope, and the wire names of paging and filter parameters by the engine's.

    A key that is None is left out; without one for the items the list is a bare array. `size`: how many are in it.
    `most`: how many there can be.
    """

    items: str | None
    total: str | None
    more: str | None
    parameters: Mapping[str, str]
    size: str | None = None
    most: int = MAX_LIMIT

    def envelope(self, items: Sequence[object], total: int, has_more: bool) -> object:
        """Wrap one page of a list."""
        if self.items is None:
            return items
        row = ((self.size, len(items)), (self.items, items), (self.total, total), (self.more, has_more))
        return {key: value for key, value in row if key is not None}


class Dialect(Struct, frozen=True, kw_only=True):
    """One way to speak: every status, code, key and name on the wire.

    `words` and `readings` hold each status enum's words out and in, `bodies` what an operation takes, `types` the error
    type from an HTTP status on, highest first. The others hold only what differs. `lists`: the envelopes of lists, by
    operation or by route (`GET /payments/list`). `mistakes`: the errors of wrong fields, by the rule that
    they break; `first`: the rules told of before all others. `texts`: answers in plain text, which need no
    key, `shapes`: those of another shape, by operation. `authorizes`: operations whose answers have an
    `sdk_authorization`. `rules`: prefixes of ids, times and defaults, by their names in the engine's `Policy`.

    What differs in answers, by the shape's name and the field's: in `record_names` the name on the wire, in
    `record_fields` another row, None where the field is left out, or the row of a field of the dialect's alone.
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
    authorizes: frozenset[str] = frozenset()
    rules: Mapping[str, object] = field(default_factory=dict)

    def error(self, refusal: Refusal, more: str = "") -> tuple[int, Body]:
        """Put a refusal into words, with `more` sentences after its own: the HTTP status and the body."""
        fields = self._told_first(refusal.fields)
        row, sentence = self._rows(refusal.cause, fields)
        words = _said(refusal.values, fields, self.status_out)
        if self.error_keys.fields is None:
            words["more"] = ""
        message = sentence.message.format_map(words)
        body = self._head(row.type, row.code, f"{message} {more}" if more else message, row.type_key)
        if fields and self.error_keys.fields is not None:
            body[self.error_keys.fields] = [self._wrong(wrong) for wrong in fields]
        if row.reason:
            body[self._extra("reason")] = row.reason.format_map(words)
        for name, value in refusal.extras.items():
            body[self._extra(name)] = value
        return row.status, {self.error_keys.envelope: body}

    def untold(self, refusal: Refusal) -> tuple[FieldError, ...]:
        """The wrong fields that an error here has no room for, in the order in which it would tell of them."""
        return self._told_first(refusal.fields) if self.error_keys.fields is None else ()

    def _told_first(self, fields: tuple[FieldError, ...]) -> tuple[FieldError, ...]:
        """The wrong fields in the order in which the dialect tells of them."""
        if not self.first:
            return fields
        ranks = {rule: rank for rank, rule in enumerate(self.first)}
        return tuple(sorted(fields, key=lambda wrong: ranks.get(wrong.rule, len(ranks))))

    def _rows(self, cause: Cause, fields: tuple[FieldError, ...]) -> tuple[ErrorRow, ErrorRow]:
        """The row of status and code, and that of the sentence: of several wrong fields it tells of the first."""
        row = self.errors[cause]
        if not fields:
            return row, row
        own = self.mistakes.get(fields[0].rule)
        if own is not None:
            return own, own
        return row, self.errors[fields[0].cause] if cause is Cause.VALUE_INVALID else row

    def rows_of(self, cause: Cause) -> tuple[ErrorRow, ...]:
        """Every row that a refusal for this cause can read by."""
        return self.errors[cause], *(self.mistakes.values() if cause is Cause.VALUE_INVALID else ())

    def coded(self, code: str, *, status: int | None = None, message: str | None = None) -> tuple[int, Body]:
        """Give the answer for a code that a scenario asks for by name; codes of its own need a `status`."""
        row = self.codes.get(code)
        found = status or (row.status if row else 500)
        kind = row.type if row and found == row.status else self.type_of(found)
        text = message or (row.message if row else f"A scenario answers this call with {code}.")
        return found, {self.error_keys.envelope: self._head(kind, code, text)}

    def type_of(self, status: int) -> str:
        """Name the error type that belongs to an HTTP status."""
        return next(word for least, word in self.types if status >= least)

    def status_out(self, word: StrEnum) -> str:
        """Give the wire's word for a status of any kind; words of other enums stay as they are."""
        words = self.words.get(type(word))
        return word.value if words is None else words[word]

    def status_in(self, word: str, kind: type[S]) -> S | None:
        """Read the wire's word, aliases included, as a status of `kind`; None where there is no such word."""
        found = self.readings[kind].get(word)
        return found if isinstance(found, kind) else None

    def statuses(self, kind: type[StrEnum]) -> tuple[str, ...]:
        """List the wire's words of a kind, in the engine's order, without aliases."""
        return tuple(self.words[kind].values())

    def names(self, shape: str) -> Mapping[str, str]:
        """Give the wire names of a shape's fields by the shape's own; those not in it are the same."""
        return self.record_names.get(shape, _NO_NAMES)

    def fields(self, shape: str) -> Mapping[str, Field | None]:
        """Give the rows that differ from a shape's own, by the name of the field; None where it is left out."""
        return self.record_fields.get(shape, _NO_FIELDS)

    def list_of(self, operation: str, route: str = "") -> ListKeys:
        """Give the envelope of a list."""
        return self.lists.get(route) or self.lists.get(operation) or self.list_keys

    def _head(self, kind: str, code: str, message: str, type_key: str = "") -> Body:
        keys = self.error_keys
        return {type_key or keys.type: kind, keys.code: code, keys.message: message}

    def _extra(self, name: str) -> str:
        return self.error_keys.extras.get(name, name)

    def _wrong(self, wrong: FieldError) -> dict[str, str]:
        keys = self.error_keys
        return {keys.field_name: _masked(wrong.field), keys.field_problem: _masked(wrong.message)}


def words_of(
    kinds: Iterable[type[StrEnum]], renamed: Mapping[type[StrEnum], Mapping[str, str]]
) -> dict[type[StrEnum], dict[str, str]]:
    """Give each kind's words for the wire: the engine's own, but for those `renamed`."""
    return {kind: {member: renamed.get(kind, _NO_NAMES).get(member, member.value) for member in kind} for kind in kinds}


def readings_of(
    words: Mapping[type[StrEnum], Mapping[str, str]], aliases: Iterable[tuple[str, StrEnum]]
) -> dict[type[StrEnum], dict[str, StrEnum]]:
    """Turn words round for reading, and add what else is understood."""
    readings: dict[type[StrEnum], dict[str, StrEnum]] = {
        kind: {outs[member]: member for member in kind} for kind, outs in words.items()
    }
    for word, member in aliases:
        readings[type(member)][word] = member
    return readings


# how values stand in a message: in the dialect's words, never as a number that could be a card's (ours)


class _Said(dict[str, str]):
    """The values of a message by name; one that is not there reads as a gap, not as a crash."""

    def __missing__(self, name: str) -> str:
        return f"({name})"


def _said(values: Mapping[str, object], fields: tuple[FieldError, ...], to_wire: Callable[[StrEnum], str]) -> _Said:
    """Spell a refusal's values; `field`, `problem` and `more` tell of its wrong fields."""
    words = _Said((name, _spelled(name, value, to_wire)) for name, value in values.items())
    if fields:
        words.update((name, _spelled(name, value, to_wire)) for name, value in fields[0].values.items())
        rest = len(fields) - 1
        words["field"] = _masked(fields[0].field)
        words["problem"] = _masked(fields[0].message)
        words["more"] = f" ({rest} more in fields)" if rest else ""
    return words


def _masked(text: str) -> str:
    """Give a text without numbers as long as a card's, and not longer than a message should be."""
    short = text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "…"
    return _LONG_NUMBER.sub("[number]", short)


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
