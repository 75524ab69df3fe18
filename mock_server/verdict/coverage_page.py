"""Coverage of outcomes as text, JSON and a page."""

from __future__ import annotations

from html import escape
from typing import Any, Final

from mock_server.verdict.outcomes import Coverage

FIRST: Final = 10
"""The number of gaps in a terminal; the page and JSON have all."""
ORDER: Final = "in order of importance: money that moves twice, webhooks, final statuses of payments, the rest"


def text(found: Coverage, first: int = FIRST) -> list[str]:
    """For a terminal."""
    lines = [f"{'outcomes':12} tested   of"]
    lines += [f"{kind:12} {met:6} {total:4}  {met / total:4.0%}" for kind, (met, total) in found.by_kind().items()]
    lines.append(f"{'all':12} {len(found.outcomes) - len(found.gaps):6} {len(found.outcomes):4}  {found.percent:.0f}%")
    if found.gaps:
        lines += ["", f"not tested yet, with a line of test code for each ({ORDER}):"]
        lines += [f"  {gap.id}\n      {gap.line}" for gap in found.gaps[:first]]
        more = len(found.gaps) - first
        lines += [f"  and {more} more"] if more > 0 else []
    return lines


def as_json(found: Coverage) -> dict[str, Any]:
    """For programs; files of it can be combined."""
    return {
        **found.met.as_json(),
        "percent": round(found.percent, 2),
        "kinds": {kind: {"met": met, "of": total} for kind, (met, total) in found.by_kind().items()},
        "gaps": [{"id": gap.id, "order": gap.order, "line": gap.line} for gap in found.gaps],
    }


STYLE: Final = """
:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1d2330;background:#fff}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.35rem .6rem;border-bottom:1px solid #d9dde5}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}table.kinds{width:auto}
code{font:13px ui-monospace,monospace;overflow-wrap:anywhere}td.met,td.gap{white-space:nowrap}
meter{width:min(10rem,20vw)}.met{color:#17663a}.gap{color:#a3241b}
summary{cursor:pointer;font-weight:600;margin:1rem 0 .3rem}
@media(prefers-color-scheme:dark){body{color:#e3e7ee;background:#14181f}td,th{border-color:#333b48}
.met{color:#6fd39a}.gap{color:#ff9b91}}
"""


def html(found: Coverage) -> str:
    """One page without other files: the kinds with their shares, and each outcome with its line."""
    kinds = "".join(
        f'<tr><td>{escape(kind)}<td class="n">{met}<td class="n">{total}<td class="n">{met / total:.0%}'
        f'<td><meter value="{met}" max="{total}">{met / total:.0%}</meter>'
        for kind, (met, total) in found.by_kind().items()
    )
    part = "<details open><summary>{}</summary>{}</details>"
    rows = "".join(part.format(escape(kind), _rows(found, kind)) for kind in found.by_kind())
    head = '<tr><th>Kind<th class="n">Tested<th class="n">Of<th class="n">Share<th>'
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>Coverage of outcomes: {found.percent:.0f}%</title><style>{STYLE}</style>"
        f"<h1>Coverage of outcomes: {found.percent:.0f}%</h1><p>{escape(ORDER.capitalize())}."
        f'<table class="kinds"><thead>{head}</thead>{kinds}</table>{rows}</html>\n'
    )


def _rows(found: Coverage, kind: str) -> str:
    def row(name: str, line: str, count: int) -> str:
        sort, said = (
            ("met", f"tested {count} times" if count > 1 else "tested once") if count else ("gap", "not tested")
        )
        shown = "" if count else f"<code>{escape(line)}</code>"
        told = escape(name).replace("/", "/<wbr>")
        return f'<tr><td><code>{told}</code><td class="{sort}">{said}<td>{shown}'

    rows = [row(one.id, one.line, found.met.counts.get(one.id, 0)) for one in found.outcomes if one.kind == kind]
    return f"<table><thead><tr><th>Outcome<th>Tested<th>Line of test code</thead>{''.join(rows)}</table>"
