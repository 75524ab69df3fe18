"""What a dialect is: tables from the engine's words to the wire's, and what reads them (ours)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple, TypeVar

from msgspec import Struct

from mock_server.contract.bodies import BodyRules
from mock_server.contract.wording import masked, said
from mock_server.domain.errors import Cause, FieldError, Refusal

Body = dict[str, object]
S = TypeVar("S", bound=StrEnum)

_NO_NAMES: Final[Mapping[str, str]] = MappingProxyType({})


class ErrorRow(NamedTuple):
    """How one cause reads on the wire; `message` and `reason` are templates over the cause's params.

    A message may also name `{field}`, `{problem}` and `{more}`, which tell of the wrong fields.
    """

    cause: Cause
    status: int
    type: str
    code: str
    message: str
    reason: str = ""


class CodeRow(NamedTuple):
    """A public code, as a scenario's `error:` answers with it; `never` says why no cause here leads to it."""

    code: str
    status: int
    type: str
    message: str
    never: str = ""


class ErrorKeys(NamedTuple):
    """The keys of the error envelope, and the names of its extras where they differ."""

    envelope: str
    type: str
    code: str
    message: str
    fields: str
    field_name: str
    field_problem: str
    extras: Mapping[str, str] = _NO_NAMES


class ListKeys(NamedTuple):
    """The keys of the list envelope, and the wire names of paging and filter parameters by the engine's."""

    items: str
    total: str
    more: str
    parameters: Mapping[str, str]


class Dialect(Struct, frozen=True, kw_only=True):
    """One way to speak: every status, code, key and name on the wire.

    `words` and `readings` hold each status enum's words out and in, `record_names` a record's wire names,
    `bodies` what an operation takes where dialects differ, `types` the error type from an HTTP status on, highest
    first.
    """

    name: str
    errors: Mapping[Cause, ErrorRow]
    codes: Mapping[str, CodeRow]
    error_keys: ErrorKeys
    list_keys: ListKeys
    words: Mapping[type[StrEnum], Mapping[str, str]]
    readings: Mapping[type[StrEnum], Mapping[str, StrEnum]]
    record_names: Mapping[str, Mapping[str, str]]
    bodies: Mapping[str, BodyRules]
    types: tuple[tuple[int, str], ...]

    def error(self, refusal: Refusal, more: str = "") -> tuple[int, Body]:
        """Put a refusal into words, with `more` sentences after its own: the HTTP status and the body."""
        row = self.errors[refusal.cause]
        words = said(refusal.values, refusal.fields, self.status_out)
        message = self._spoken_of(refusal).message.format_map(words)
        body = self._head(row.type, row.code, f"{message} {more}" if more else message)
        if refusal.fields:
            body[self.error_keys.fields] = [self._wrong(wrong) for wrong in refusal.fields]
        if row.reason:
            body[self._extra("reason")] = row.reason.format_map(words)
        for name, value in refusal.extras.items():
            body[self._extra(name)] = value
        return row.status, {self.error_keys.envelope: body}

    def _spoken_of(self, refusal: Refusal) -> ErrorRow:
        """The row that the sentence is taken from: of several wrong fields it tells of the first."""
        cause = refusal.cause
        if cause is Cause.VALUE_INVALID and refusal.fields:
            cause = refusal.fields[0].cause
        return self.errors[cause]

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

    def names(self, record: str) -> Mapping[str, str]:
        """Give the wire names of a record's fields by the engine's; those not in it are the same."""
        return self.record_names.get(record, _NO_NAMES)

    def envelope(self, items: object, total: int, has_more: bool) -> Body:
        """Wrap one page of a list."""
        keys = self.list_keys
        return {keys.items: items, keys.total: total, keys.more: has_more}

    def _head(self, kind: str, code: str, message: str) -> Body:
        keys = self.error_keys
        return {keys.type: kind, keys.code: code, keys.message: message}

    def _extra(self, name: str) -> str:
        return self.error_keys.extras.get(name, name)

    def _wrong(self, wrong: FieldError) -> dict[str, str]:
        keys = self.error_keys
        return {keys.field_name: masked(wrong.field), keys.field_problem: masked(wrong.message)}


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
