"""Plots as SVG, drawn by hand: few bars and lines need no library."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, Final

WIDTH: Final = 720
LEFT: Final = 190
INK, DIM, GRID = "#1f2933", "#52606d", "#d9e2ec"
COLOURS: Final = ("#2563eb", "#b45309", "#047857", "#be123c", "#6d28d9", "#0e7490", "#4d7c0f", "#9f1239", "#334155")
Bar = tuple[str, float, str]


def bars(title: str, unit: str, rows: Sequence[Bar], *, mark: tuple[float, str] | None = None) -> str:
    """One bar a row: name, figure, colour; `mark` draws a line at a figure with its name."""
    most = max([figure for _, figure, _ in rows] + ([mark[0]] if mark else [])) or 1.0
    room, height = WIDTH - LEFT - 110, 64 + 30 * len(rows) + (22 if mark else 0)
    parts, figures = [_text(16, 26, title, 15, INK, weight=600)], []
    for number, (name, figure, colour) in enumerate(rows):
        top, long = 48 + 30 * number, figure / most * room
        parts.append(_text(LEFT - 10, top + 15, name, 13, INK, anchor="end"))
        parts.append(f'<rect x="{LEFT}" y="{top}" width="{max(1.0, long):.1f}" height="20" rx="2" fill="{colour}"/>')
        figures.append(_text(LEFT + long + 8, top + 15, f"{_figure(figure)} {unit}", 12, DIM))
    if mark:
        at, foot = LEFT + mark[0] / most * room, 48 + 30 * len(rows)
        # Beneath the figures: it may lead through one of them.
        parts.insert(
            1, f'<line x1="{at:.1f}" y1="42" x2="{at:.1f}" y2="{foot}" stroke="{INK}" stroke-dasharray="4 3"/>'
        )
        parts.append(_text(at, foot + 16, mark[1], 12, DIM, anchor="middle"))
    return _svg(height, [*parts, *figures])


def lines(title: str, across: Sequence[float], named: Mapping[str, Sequence[float]], x_name: str, y_name: str) -> str:
    """One line a name, both axes logarithmic."""
    flat = [value for values in named.values() for value in values]
    low, high = 10 ** math.floor(math.log10(min(flat))), 10 ** math.ceil(math.log10(max(flat)))
    box = (70, 50, 440, 260)

    def place(x: float, y: float) -> tuple[float, float]:
        ratio = (math.log10(x) - math.log10(across[0])) / (math.log10(across[-1]) - math.log10(across[0]))
        tall = (math.log10(y) - math.log10(low)) / (math.log10(high) - math.log10(low))
        return box[0] + ratio * box[2], box[1] + box[3] * (1 - tall)

    parts = [_text(16, 26, title, 15, INK, weight=600)]
    parts += _scale(across, low, high, place, box)
    parts += [
        _text(box[0] + box[2] / 2, box[1] + box[3] + 42, x_name, 12, DIM, anchor="middle"),
        _text(16, 42, y_name, 12, DIM),
    ]
    for number, (name, values) in enumerate(named.items()):
        colour = COLOURS[number % len(COLOURS)]
        spots = [place(x, y) for x, y in zip(across, values, strict=True)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in spots]
        parts.append(f'<rect x="530" y="{56 + 20 * number}" width="14" height="4" fill="{colour}"/>')
        parts.append(_text(550, 62 + 20 * number, name, 12, INK))
    return _svg(box[1] + box[3] + 60, parts)


def _scale(across: Sequence[float], low: float, high: float, place: Any, box: tuple[int, int, int, int]) -> list[str]:
    parts = []
    figure = low
    while figure <= high:
        _, y = place(across[0], figure)
        parts.append(f'<line x1="{box[0]}" y1="{y:.1f}" x2="{box[0] + box[2]}" y2="{y:.1f}" stroke="{GRID}"/>')
        parts.append(_text(box[0] - 8, y + 4, _figure(figure), 12, DIM, anchor="end"))
        figure *= 10
    for x in across:
        at, _ = place(x, low)
        parts.append(_text(at, box[1] + box[3] + 20, _figure(x), 12, DIM, anchor="middle"))
    return parts


def _figure(value: float) -> str:
    if value >= 1_000_000:
        return f"{value / 1_000_000:g} M"
    return f"{value:,.0f}".replace(",", " ") if value >= 100 else f"{value:.3g}"


_HALO: Final = 'paint-order="stroke" stroke="#fff" stroke-width="4"'
"""Text stands out from a line behind it."""


def _text(x: float, y: float, text: str, size: int, colour: str, *, anchor: str = "start", weight: int = 400) -> str:
    style = f'font-size="{size}" font-weight="{weight}" fill="{colour}" text-anchor="{anchor}" {_HALO}'
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{escape(text)}</text>'


def _svg(height: float, parts: Sequence[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" font-family="sans-serif">'
    ground = f'<rect width="{WIDTH}" height="{height:.0f}" fill="#ffffff"/>'
    return "\n".join([head, ground, *parts, "</svg>\n"])


def draw(found: dict[str, Any], folder: Path) -> None:
    """Writes every plot."""
    folder.mkdir(parents=True, exist_ok=True)
    mine, other, alone = COLOURS[0], "#94a3b8", "#64748b"
    speed, others = found["speed"], found["peers"]
    for what, mark in (("create", 6_000), ("retrieve", 9_000)):
        rows: list[Bar] = [("payment-sandbox", speed[f"{what}_16"]["rps"], mine)]
        rows += [("Flask alone (constant)", speed["flask_16"]["rps"], alone)] if what == "retrieve" else []
        rows += [(name, one[what]["rps"], other) for name, one in others.items() if what in one]
        text = bars(f"{what}: requests a second, 16 connections, one core", "/s", rows, mark=(mark, f"reach {mark}"))
        (folder / f"{what}.svg").write_text(text, encoding="utf-8")
    starts: list[Bar] = [
        ("import flask", found["start"]["flask_s"], alone),
        ("payment-sandbox", found["start"]["start_s"], mine),
    ]
    starts += [(name, one["start_s"], other) for name, one in others.items()]
    (folder / "start.svg").write_text(
        bars("Process start to first answer", "s", starts, mark=(0.2, "reach 0.2")), encoding="utf-8"
    )
    steps = ("p50_us", "p90_us", "p99_us", "p999_us")
    spread = {
        f"{what}, {many} connections": [speed[f"{what}_{many}"][step] / 1000 for step in steps]
        for what in ("create", "retrieve") for many in (1, 16, 64)
    }  # fmt: skip
    text = lines("Latency", [2, 10, 100, 1000], spread, "one of so many requests is slower (2: median, 100: p99)", "ms")
    (folder / "latency.svg").write_text(text, encoding="utf-8")
    sizes, grown = found["lists"]["sizes"], found["lists"]["p50_us"]
    text = lines("A page of ten, by payments in the workspace", sizes, grown, "payments", "µs, p50, over HTTP")
    (folder / "lists.svg").write_text(text, encoding="utf-8")
