"""The tables of the domain as rows of text, for the terminal and for the generated parts of the docs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from textwrap import wrap
from typing import Final

SOURCE: Final = "source"
"""The column that says where a row comes from."""
GAP: Final = "  "


@dataclass(frozen=True, slots=True)
class Table:
    """Columns and rows, all text."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    unprinted: tuple[str, ...] = (SOURCE,)
    """Columns for readers of the docs and of JSON, which a terminal has no room for."""

    def as_text(self, width: int | None = None) -> str:
        """Return aligned columns; with a width in characters, the widest ones wrap until a line fits.

        No word is broken, so that names and numbers can be copied: a line may stay wider than the terminal.
        """
        shown = [column for column in zip(*self._all(), strict=True) if column[0].lower() not in self.unprinted]
        widths = [max(map(len, column)) for column in shown]
        words = [max(len(word) for cell in column for word in cell.split() or [""]) for column in shown]
        while width is not None and sum(widths) + len(GAP) * (len(widths) - 1) > width:
            slack = [has - needs for has, needs in zip(widths, words, strict=True)]
            if not any(slack):
                break
            widths[slack.index(max(slack))] -= 1
        return "\n".join(line for row in zip(*shown, strict=True) for line in _lines(row, widths))

    def as_records(self) -> list[dict[str, str]]:
        """Return one mapping a row whose keys are the columns, with spaces as underscores."""
        keys = [column.replace(" ", "_") for column in self.columns]
        return [dict(zip(keys, row, strict=True)) for row in self.rows]

    def _all(self) -> Iterator[tuple[str, ...]]:
        yield tuple(column.upper() for column in self.columns)
        yield from self.rows


def _lines(row: tuple[str, ...], widths: list[int]) -> Iterator[str]:
    """Yield the lines that a row takes, each cell wrapped below its own beginning."""
    cells = [wrap(cell, width) for cell, width in zip(row, widths, strict=True)]
    for parts in zip_longest(*cells, fillvalue=""):
        yield GAP.join(part.ljust(width) for part, width in zip(parts, widths, strict=True)).rstrip()


CARD_COLUMNS: Final = ("number", "name", "brand", "type", "what happens", SOURCE)


def cards() -> Table:
    """Return the test cards, in the order of their table."""
    from mock_server.domain.card_words import card_effect
    from mock_server.domain.cards import CARDS

    rows = ((c.number, c.name, c.brand, str(c.type), card_effect(c.issuer), c.source) for c in CARDS)
    return Table(CARD_COLUMNS, tuple(rows), unprinted=("brand", "type", SOURCE))


def declines() -> Table:
    """Return the reasons for which a charge can fail."""
    from mock_server.domain.declines import DECLINES

    columns = ("name", "error code", "error message", "unified code", "standardised code", "advice", SOURCE)
    rows = (
        (
            d.name,
            d.error_code,
            d.error_message,
            d.unified_code,
            d.standardised_code,
            d.recommended_action,
            d.source,
        )
        for d in DECLINES
    )
    return Table(columns, tuple(rows))


def errors(dialect: str) -> Table:
    """Return the causes of refusals in a dialect's words, in the order in which calls are checked."""
    from mock_server.dialects import get
    from mock_server.domain.errors import Cause

    said = get(dialect).errors
    rows = ((said[cause], cause) for cause in Cause if cause in said)
    return Table(
        ("http", "code", "type", "cause", "when", "message", SOURCE),
        tuple((str(e.status), e.code, e.type, str(c), c.about, e.message, c.source) for e, c in rows),
    )


def codes(dialect: str) -> Table:
    """Return the public codes that this server never answers with by itself, each with the reason."""
    from mock_server.dialects import get

    rows = ((c.code, str(c.status), c.type, c.message, c.never) for c in get(dialect).codes.values() if c.never)
    return Table(("code", "http", "type", "message", "why never"), tuple(rows))


def settings() -> Table:
    """Return the settings: flag, variable, default, allowed values and meaning."""
    from mock_server.settings import ROWS

    rows = ((r.flag, r.variable, r.shown_default(), r.kind.allowed, r.doc, r.source) for r in ROWS.values())
    return Table(("flag", "variable", "default", "allowed", "meaning", SOURCE), tuple(rows))


def operations() -> Table:
    """Return the calls of the API, with the kinds of keys that each takes."""
    from mock_server.contract.operations import OPERATIONS

    rows = (
        (o.method, shown_path(o.path), o.name, " or ".join(sorted(o.keys, reverse=True)), o.source) for o in OPERATIONS
    )
    return Table(("method", "path", "operation", "key", SOURCE), tuple(rows))


def control_operations() -> Table:
    """Return the calls of the control API, and whether each wants a key to say which workspace it is about."""
    from mock_server.contract.operation import Needs
    from mock_server.control.operations import CONTROL_OPERATIONS

    said = {Needs.NOTHING: "", Needs.MAYBE: "optional", Needs.KEY: "yes", Needs.WORKSPACE: "yes"}
    rows = ((o.method, shown_path(o.path), said[o.needs or Needs.NOTHING], o.about, o.name) for o in CONTROL_OPERATIONS)
    return Table(("method", "path", "key", "what", "operation"), tuple(rows))


def shown_path(rule: str) -> str:
    """Return a path with its parts in braces, as OpenAPI writes them."""
    return rule.replace("<", "{").replace(">", "}")
