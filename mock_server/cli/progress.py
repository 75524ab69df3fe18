"""A bar on stderr for what takes long."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import click

SMALL: Final = 5_000
"""Up to so many records nobody waits long enough to look at a bar (ours)."""
Told = Callable[[int, int], None]


@contextmanager
def progress(label: str) -> Iterator[Told]:
    """Give what is told how many are done out of how many; the bar is drawn on a terminal only."""
    bar: list[Any] = []

    def told(done: int, many: int) -> None:
        if not bar and many > SMALL and sys.stderr.isatty():
            bar.append(click.progressbar(length=many, label=label, file=sys.stderr))
        for one in bar:
            one.update(done - one.pos)

    try:
        yield told
    finally:
        for one in bar:
            one.render_finish()
