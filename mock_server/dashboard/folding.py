"""JSON as a page shows it: folded, and with the differences of two values."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from itertools import takewhile
from typing import Any, Final, NamedTuple

from markupsafe import Markup, escape

from mock_server.domain import masking
from mock_server.jsontext import leaves

DEEP: Final = 2
"""Deeper levels are folded at first (ours)."""
MOST: Final = 400
"""Maximum number of values in a tree; of a larger one the beginning of its text is shown (ours)."""
ITEMS: Final = 5
"""Maximum number of items that are shown of each list in a tree; the others are counted (ours)."""
MOST_TEXT: Final = 8_000
MOST_DIFFERENCES: Final = 100
LONGEST: Final = 80
"""Maximum number of characters of a text, of differences, and of characters of each value (ours)."""
_json: Final = json.JSONEncoder(ensure_ascii=False).encode


def folded(value: Any, says: str, news: Collection[str] = ()) -> Markup:
    """A JSON value as a tree; `says` is its label for screen readers, `news` are the places to mark."""
    value = masking.shown_value(value)
    if isinstance(value, dict | list) and _size(value) <= MOST:
        tree = Markup("".join(_lines(value, 0, news, "")))
        return Markup(
            '<div class="json"><label class="nulls"><input type="checkbox"> Hide null fields</label>'
            '<div class="tree" tabindex="0" role="region" aria-label="{}">{}</div></div>'
        ).format(says, tree)
    text = value if isinstance(value, str) else _json(value)
    return Markup(
        '<div class="code"><pre tabindex="0" role="region" aria-label="{}"><code>{}</code></pre></div>'
    ).format(says, _cut(text, MOST_TEXT))


def _size(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value[:ITEMS] if isinstance(value, list) else ()
    return 1 + sum(map(_size, inner))


def _lines(value: Any, depth: int, news: Collection[str], at: str) -> Iterator[str]:
    """A tree as HTML, of which every name and value is escaped here: `Markup.format` takes five times as long."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value[:ITEMS])
    signs = "{}" if isinstance(value, dict) else "[]"
    if not value:
        yield signs
        return
    is_open = " open" if depth < DEEP else ""
    yield f"<details{is_open}><summary>{signs[0]} <i>{len(value)}</i> {signs[1]}</summary><ul>"
    for name, inner in pairs:
        here = f"{at}.{name}" if at else str(name)
        kind = "new" if here in news else "null" if inner is None else ""
        yield f'<li class="{kind}"><b>{escape(name)}</b> ' if kind else f"<li><b>{escape(name)}</b> "
        if isinstance(inner, dict | list):
            yield from _lines(inner, depth + 1, news, here)
        else:
            yield f'<span class="{"s" if isinstance(inner, str) else "w"}">{escape(_cut(_json(inner), LONGEST))}</span>'
        yield "</li>"
    if isinstance(value, list) and len(value) > ITEMS:
        yield f"<li>and {len(value) - ITEMS} more</li>"
    yield "</ul></details>"


class Difference(NamedTuple):
    """One path with its old and its new value; None if there is none."""

    path: str
    old: str | None
    new: str | None

    @property
    def is_mark(self) -> bool:
        """Whether it is an id or a time, which differ between any two objects."""
        return bool(_MARK.search(self.path) or _TIME.match(self.new or self.old or ""))


_MARK: Final = re.compile(r"(\b|_)(ids?|secret|modified_at|updated|created|took_ms|request-id)$")
_TIME: Final = re.compile(r'"\d{4}-\d\d-\d\dT')


class Differences(NamedTuple):
    """The differences, how many more there are, and the number of equal values."""

    rows: tuple[Difference, ...]
    more: int
    same: int


def differences(old: Any, new: Any) -> Differences:
    """The differences, in the order of the first value and then of the second."""
    before, after = ({path: _json(leaf) for path, leaf in leaves(masking.shown_value(one))} for one in (old, new))
    places = {**before, **after}
    found = [(path, before.get(path), after.get(path)) for path in places if before.get(path) != after.get(path)]
    rows = tuple(Difference(path, *_parted(*both)) for path, *both in found[:MOST_DIFFERENCES])
    return Differences(rows, len(found) - len(rows), len(places) - len(found))


def _parted(*both: str | None) -> Iterator[str | None]:
    """Two texts, which begin shortly before their difference if it is far from their beginning."""
    pairs = zip(*(text or "" for text in both), strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    start = same - LONGEST // 2 if same >= LONGEST else 0
    return (text and "…" * bool(start) + _cut(text[start:], LONGEST) for text in both)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
