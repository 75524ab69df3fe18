"""A dialect that renames every status, code, key and text: what still reads as before went past it."""

from __future__ import annotations

from typing import Final

from mock_server.contract.bodies import BodyRules
from mock_server.contract.dialect import CodeRow, Dialect, ErrorKeys, ErrorRow, ListKeys, readings_of, words_of
from mock_server.dialects.interface import INTERFACE
from mock_server.dialects.interface.words import KINDS
from mock_server.domain.errors import CAUSES, CauseRow

MARK: Final = "zz_"
"""Every word of this dialect starts with it."""

_STATUS_MOVE: Final = 37
"""HTTP statuses move by this much within their hundred, so that they stay errors that a client can read."""


def renamed(word: str) -> str:
    """Give this dialect's word for an engine's or interface's one."""
    return MARK + word[::-1]


def moved(status: int) -> int:
    """Give this dialect's HTTP status for one of the interface's."""
    return status if status < 300 else status // 100 * 100 + (status + _STATUS_MOVE) % 100


def _message(row: CauseRow) -> str:
    return " ".join((renamed(row.cause), *(f"{{{param}}}" for param in row.params)))


_WORDS: Final = words_of(KINDS, {kind: {word: renamed(word.value) for word in kind} for kind in KINDS})

ERRORS: Final = tuple(
    ErrorRow(row.cause, moved(shown.status), renamed(shown.type), renamed(shown.code), _message(row))
    for row, shown in ((row, INTERFACE.errors[row.cause]) for row in CAUSES)
)

CODES: Final = tuple(
    CodeRow(renamed(row.code), moved(row.status), renamed(row.type), renamed(row.message), row.never)
    for row in INTERFACE.codes.values()
)

NONSENSE: Final = Dialect(
    name="nonsense",
    errors={row.cause: row for row in ERRORS},
    codes={row.code: row for row in CODES},
    error_keys=ErrorKeys(
        envelope=renamed("error"),
        type=renamed("type"),
        code=renamed("code"),
        message=renamed("message"),
        fields=renamed("fields"),
        field_name=renamed("field"),
        field_problem=renamed("problem"),
        extras={name: renamed(name) for name in ("reason", "connector", "data", "payment_id")},
    ),
    list_keys=ListKeys(
        items=renamed("data"),
        total=renamed("total_count"),
        more=renamed("has_more"),
        parameters={name: renamed(name) for name in INTERFACE.list_keys.parameters},
    ),
    words=_WORDS,
    readings=readings_of(_WORDS, ()),
    record_names={record: {name: renamed(name) for name in names} for record, names in INTERFACE.record_names.items()},
    bodies=dict.fromkeys(INTERFACE.bodies, BodyRules(required=frozenset(("amount",)))),
    types=tuple((least, renamed(word)) for least, word in INTERFACE.types),
)
