"""`make bench`: measures, prints the table of what is to be reached, writes figures and plots for the docs."""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from benchmarks import rows
from benchmarks.machine import BUILD, CORES
from benchmarks.peers import OTHERS
from benchmarks.plots import draw
from benchmarks.reach import ROWS, Figures, Reach

DOCS: Final = rows.ROOT / "docs"
PAGE: Final = DOCS / "performance.md"
PLOTS: Final = DOCS / "pictures" / "performance"
_BEGIN, _END = "<!-- measured:{} -->", "<!-- end of measured -->"


def main() -> None:
    """Runs all parts, or those that are named; `--quick` takes smaller counts, `--write` writes the docs."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    asked.add_argument("parts", nargs="*", choices=[[], *PARTS], default=[], help="parts to measure anew; all if none")
    asked.add_argument("--quick", action="store_true", help="fewer rounds, lists up to 100 000")
    asked.add_argument("--write", action="store_true", help="write the table and the plots into docs/")
    given = asked.parse_args()
    found = _measured(given.parts or list(PARTS), quick=given.quick, anew=not given.parts)
    _say(_table(found))
    if given.write:
        _write(found)


PARTS: Final[dict[str, Callable[[bool], Figures]]] = {
    "start": lambda quick: rows.start_up(5 if quick else 9),
    "speed": lambda quick: rows.speed(1 if quick else 3, 2.0 if quick else 4.0),
    "peers": lambda quick: rows.peers(OTHERS, 2.0 if quick else 3.0, _say),
    "tail": lambda quick: rows.tail(20_000 if quick else 100_000),
    "fill": lambda quick: rows.fill(),
    "fill_indexed": lambda quick: rows.fill(indexed=True),
    "lists": lambda quick: rows.lists(rows.SIZES[:3] if quick else rows.SIZES),
    "waiting": lambda quick: rows.waiting(),
    "pytest": lambda quick: rows.pytest_costs(),
}


def _measured(parts: list[str], *, quick: bool, anew: bool) -> Figures:
    path = BUILD / "found.json"
    found: Figures = json.loads(path.read_text()) if path.exists() and not anew else {}
    for name in parts:
        _say(f"measuring {name} …")
        found[name] = PARTS[name](quick)
        BUILD.mkdir(parents=True, exist_ok=True)
        found["machine"] = _machine()
        path.write_text(json.dumps(found, indent=1))
    return found


def _machine() -> dict[str, Any]:
    about = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    model = next((line.split(":")[1].strip() for line in about if "model name" in line), "?")
    return {
        "cores": len(CORES),
        "model": model,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "date": time.strftime("%Y-%m-%d %H:%M"),
        "load": round(os.getloadavg()[0], 1),
    }


def _table(found: Figures) -> str:
    lines = ["| what | target | measured | |", "|---|---|---|---|"]
    for row in ROWS:
        figure = _figure(row, found)
        if figure is None:
            lines.append(f"| {row.what} | {row.reach} | not measured | |")
        else:
            lines.append(
                f"| {row.what} | {row.reach} | {row.shown.format(figure)} | {'yes' if row.holds(figure) else 'no'} |"
            )
    return "\n".join(lines)


def _figure(row: Reach, found: Figures) -> float | None:
    try:
        figure = row.of(found)
    except KeyError:
        return None
    return None if math.isnan(figure) else figure


def _peers(found: Figures) -> str:
    lines = [
        "| server | what it does | start s | memory MB | create/s | µs | retrieve/s | µs |",
        "|---|---|---|---|---|---|---|---|",
    ]
    speed = found["speed"]
    mine = {
        **found["start"],
        "does": "checks, decides, stores, journals, counts",
        "create": speed["create_16"],
        "retrieve": speed["retrieve_16"],
    }
    flask = {
        "start_s": math.nan,
        "memory_mb": math.nan,
        "does": "a constant view on our server",
        "retrieve": speed["flask_16"],
    }
    for name, one in {"**payment-sandbox**": mine, "Flask alone": flask, **found["peers"]}.items():
        cells = [name, one["does"], _cell(one["start_s"], 2), _cell(one["memory_mb"], 0)]
        for what in ("create", "retrieve"):
            cells += [_cell(one[what]["rps"], 0), _cell(one[what]["cpu_us"], 0)] if what in one else ["–", "–"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(figure: float, digits: int) -> str:
    return "–" if math.isnan(figure) else f"{figure:.{digits}f}"


def _said(found: Figures) -> str:
    of = found["machine"]
    return (
        f"`make bench`, {of['date']}, one run: {of['model']}, {of['cores']} cores, {of['system']}, "
        f"Python {of['python']}; load average {of['load']} at its end, the measurement's own included."
    )


def _write(found: Figures) -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name, part in (("machine", _said(found)), ("table", _table(found)), ("peers", _peers(found))):
        begin = text.index(_BEGIN.format(name)) + len(_BEGIN.format(name))
        text = f"{text[:begin]}\n{part}\n{text[text.index(_END, begin) :]}"
    PAGE.write_text(text, encoding="utf-8")
    draw(found, PLOTS)


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
