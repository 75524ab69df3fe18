"""The test cards of a server, by name."""

from __future__ import annotations

from collections.abc import Iterator

from mock_server.testing.control import Control
from mock_server.testing.records import Card


class Cards:
    """`cards["insufficient_funds"]` is the Visa card of that name; `cards["mastercard_success"]` any other."""

    def __init__(self, control: Control, kept: dict[str, Card]) -> None:
        self._control = control
        self._kept = kept
        """Shared by all workspaces of a server: its table is asked for once."""

    def __getitem__(self, name: str) -> Card:
        table = self._table()
        found = table.get(name) or table.get(f"visa_{name}")
        if found is None:
            raise KeyError(f"no card is called {name!r}{_nearest(name, table)}")
        return found

    def __iter__(self) -> Iterator[Card]:
        return iter(self._table().values())

    def __len__(self) -> int:
        return len(self._table())

    def _table(self) -> dict[str, Card]:
        if not self._kept:
            names = ("number", "name", "brand", "type", "effect")
            rows = [Card(**{name: row[name] for name in names}) for row in self._control.get("/cards")["data"]]
            self._kept.update({row.name: row for row in rows})
        return self._kept


def _nearest(name: str, table: dict[str, Card]) -> str:
    import difflib  # only mistakes need it

    names = [*table, *(known.removeprefix("visa_") for known in table)]
    found = difflib.get_close_matches(name, names, n=3)
    return f"; near: {', '.join(found)}" if found else ""
