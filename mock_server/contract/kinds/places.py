"""Where the values of a body go: to the engine, into the record, or only into answers.

Each field has its place (`Text(…, place=KEPT)`). From these follow the values of a command, what create, update and
replace store in the record, what answers return, and which paths `when` may name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct, field

from mock_server.domain.commands import JsonText
from mock_server.jsontext import canonical

Loaded = Mapping[str, Any]
Write = Callable[[Any], Any]


class FieldPlace(Struct, frozen=True):
    """Where one value goes. A name of "" is the field's own; None: it does not go there.

    `command` is the command's attribute that the engine reads, `record` the record's attribute that stores it; with
    `echo`, answers return it, as JSON text. `write` converts the loaded value. `parts` are attributes of the record
    that are taken from within the value; with `read_parts` the engine reads them too.
    """

    command: str | None = None
    record: str | None = None
    echo: bool = False
    write: Write | None = None
    parts: Mapping[str, Write] = field(default_factory=dict)
    read_parts: bool = False


_encode: Final = msgspec.json.Encoder().encode


def known_text(value: Any) -> JsonText:
    """JSON text of a value that JavaScript would write in the same way: texts, integers, flags, under known names."""
    return _encode(value).decode()


def metadata_text(pairs: dict[str, Any]) -> JsonText:
    """The pairs as JSON text, in JavaScript's form; texts under plain names, the usual case, need no conversion."""
    for key, value in pairs.items():
        if type(value) is not str or key[:1].isdigit():
            return canonical(pairs)
    return known_text(pairs)


READ: Final = FieldPlace(command="")
"""Read by the engine: the default."""
KEPT: Final = FieldPlace(record="")
READ_AND_KEPT: Final = FieldPlace(command="", record="")
METADATA: Final = FieldPlace(record="", write=metadata_text)
KEPT_TEXT: Final = FieldPlace(record="", write=canonical)
"""Stored as JSON text, in the order and with the numbers of JavaScript."""
ECHOED: Final = FieldPlace(echo=True, write=known_text)
ECHOED_FREE: Final = FieldPlace(echo=True, write=canonical)
"""An echoed value that can contain anything, and so needs the order and the numbers of JavaScript."""
DROPPED: Final = FieldPlace()
"""Accepted, without effect."""


def read_as(make: Write) -> FieldPlace:
    """The engine reads the value, converted by `make`."""
    return FieldPlace(command="", write=make)


Sent = tuple[dict[str, Any], dict[str, Any], dict[str, JsonText]]
"""The values of a body, by where they go: to the command, to the record, into answers."""


class Placing:
    """Sorts the loaded values of one body by their places."""

    def __init__(self, rows: Iterable[tuple[str, Any]]) -> None:
        places: dict[str, FieldPlace] = {name: row.place for name, row in rows}
        self._rows: dict[str, _Row] = {}
        for name, place in places.items():
            command, record = (name if own == "" else own for own in (place.command, place.record))
            self._rows[name] = command, record, place.echo, place.write, place if place.parts else None
        self.echoed: Final = frozenset(name for name, place in places.items() if place.echo)
        """The wire names of values that are only returned."""
        parts = {part for place in places.values() for part in place.parts}
        self.kept: Final = frozenset(row[1] for row in self._rows.values() if row[1]) | parts
        """The attributes of the record that this body can set."""

    def __call__(self, loaded: Loaded) -> Sent:
        """What was sent; null means absent."""
        rows = self._rows
        command: dict[str, Any] = {}
        carried: dict[str, Any] = {}
        echo: dict[str, JsonText] = {}
        for name, value in loaded.items():
            if value is not None:
                attribute, record, echoed, write, parts = rows[name]
                made = value if write is None else write(value)
                if attribute is not None:
                    command[attribute] = made
                if record is not None:
                    carried[record] = made
                if echoed:
                    echo[name] = made
                if parts is not None:
                    _take_apart(parts, value, command, carried)
        return command, carried, echo

    def in_row_order(self, loaded: Loaded) -> Sent:
        """The same, in the order of the rows instead of the body's."""
        return self({name: loaded[name] for name in self._rows if name in loaded})

    def whole(self, loaded: Loaded) -> Sent:
        """The same of a body that replaces everything: fields that it omits are carried as None."""
        command, carried, echo = self(loaded)
        return command, {**dict.fromkeys(self.kept), **carried}, echo


_Row = tuple[str | None, str | None, bool, Write | None, FieldPlace | None]


def _take_apart(place: FieldPlace, value: Any, command: dict[str, Any], carried: dict[str, Any]) -> None:
    for part, read in place.parts.items():
        found = read(value)
        if found is not None:
            carried[part] = found
            if place.read_parts:
                command[part] = found
