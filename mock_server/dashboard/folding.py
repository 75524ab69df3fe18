"""JSON as a page shows it: to be folded, with its kinds of values apart, and without its nulls where one likes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from markupsafe import Markup, escape

DEEP: Final = 2
"""What lies deeper is folded at first (ours)."""
MOST: Final = 2_000
"""So many values are shown; a longer one is shown as text (ours)."""


def folded(value: Any, says: str) -> Markup:
    """A JSON value as a tree; `says` is what a screen reader calls it."""
    if isinstance(value, dict | list) and _size(value) <= MOST:
        tree = Markup("").join(_lines(value, 0))
        return Markup(
            '<div class="json"><label class="nulls"><input type="checkbox"> Hide null fields</label>'
            '<div class="tree" tabindex="0" role="region" aria-label="{}">{}</div></div>'
        ).format(says, tree)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return Markup(
        '<div class="code"><pre tabindex="0" role="region" aria-label="{}"><code>{}</code></pre></div>'
    ).format(says, text)


def _size(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(_size, inner))


def _lines(value: Any, depth: int) -> Iterator[Markup]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    signs = "{}" if isinstance(value, dict) else "[]"
    if not value:
        yield escape(signs)
        return
    yield Markup("<details{}><summary>{} <i>{}</i> {}</summary><ul>").format(
        Markup(" open") if depth < DEEP else "", signs[0], len(value), signs[1]
    )
    for name, inner in pairs:
        yield Markup('<li class="null">' if inner is None else "<li>")
        yield Markup("<b>{}</b> ").format(name)
        if isinstance(inner, dict | list):
            yield from _lines(inner, depth + 1)
        else:
            kind = "s" if isinstance(inner, str) else "w"
            yield Markup('<span class="{}">{}</span>').format(kind, json.dumps(inner, ensure_ascii=False))
        yield Markup("</li>")
    yield Markup("</ul></details>")
