"""What a terminal is shown: colours where it has them, and no control characters of anybody's."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])
WHEN: Final = ("auto", "always", "never")
_CONTROL: Final = re.compile(r"\x1b(?!\[[\d;]*m)|[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f]")


def colour_option(function: F) -> F:
    """Add the option that says whether colours are wanted."""
    option = click.option(
        "--colour", "--color", "colour", type=click.Choice(WHEN), default="auto", show_default=True, help="Use colours."
    )
    return option(function)


def has_colours(wanted: str) -> bool:
    """Return whether to colour: as told, or where stdout is a terminal that can, and NO_COLOR does not forbid it."""
    if wanted != "auto":
        return wanted == "always"
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and sys.stdout.isatty()


def terminal_width() -> int | None:
    """Return how many characters a line of the terminal takes; None where stdout is none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def show(text: str, *, colours: bool) -> None:
    """Print a text; what could move the cursor or worse stands as a replacement sign."""
    click.echo(_CONTROL.sub("\ufffd", text), color=colours)
