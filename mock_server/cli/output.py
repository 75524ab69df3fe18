"""How the commands print: tables, JSON, colours if the terminal has them, and no control characters of others."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from textwrap import wrap
from typing import IO, Any, Final, NoReturn, TypeAlias

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from mock_server.domain.money import format_amount
from mock_server.domain.unseen import UNSEEN, visible
from mock_server.guesses import hint

STOPS: Final = [signal.SIGTERM, signal.SIGINT]
"""The signals that end a server; also that of a terminal that is closed, unless it is ignored (`nohup`)."""
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
    STOPS.append(signal.SIGHUP)
FAILED: Final = 1
USAGE: Final = 2
NOTHING_TO_DO: Final = 3
"""There was nothing for the command to do (ours)."""

FILE: Final = click.Path(dir_okay=False, path_type=Path)
SOURCE: Final = "source"
GAP: Final = "  "
HANG: Final = "    "
"""The indent of a continued line."""


@dataclass(frozen=True, slots=True)
class TextTable:
    """Columns and rows, all text."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    unprinted: tuple[str, ...] = (SOURCE,)
    """Columns for the docs and JSON, for which a terminal has no room."""

    def as_text(self, width: int | None = None) -> str:
        """Return aligned columns; with a width, the widest ones wrap. No word is broken, so that it can be copied."""
        every = (tuple(column.upper() for column in self.columns), *self.rows)
        shown = [column for column in zip(*every, strict=True) if column[0].lower() not in self.unprinted]
        widths = [max(map(len, column)) for column in shown]
        longest = [max(len(word) for cell in column for word in cell.split() or [""]) for column in shown]
        while width is not None and sum(widths) + len(GAP) * (len(widths) - 1) > width:
            slack = [has - needs for has, needs in zip(widths, longest, strict=True)]
            if not any(slack):
                break
            widths[slack.index(max(slack))] -= 1
        return "\n".join(line for row in zip(*shown, strict=True) for line in _lines(row, widths))

    def as_records(self) -> list[dict[str, str]]:
        """Return one mapping per row, with the columns as keys and underscores for spaces."""
        keys = [column.replace(" ", "_") for column in self.columns]
        return [dict(zip(keys, row, strict=True)) for row in self.rows]


def _lines(row: tuple[str, ...], widths: list[int]) -> Iterator[str]:
    """Yield the lines of a row, with each cell wrapped in its column."""
    cells = [wrap(cell, width) for cell, width in zip(row, widths, strict=True)]
    for parts in zip_longest(*cells, fillvalue=""):
        yield GAP.join(part.ljust(width) for part, width in zip(parts, widths, strict=True)).rstrip()


def print_table(table: TextTable, *, as_json: bool) -> None:
    """Print columns that fit the terminal, or an array of objects; a pipe gets each row on one line."""
    show(json_text(table.as_records()) if as_json else table.as_text(terminal_width()))


def json_text(value: object) -> str:
    """Return indented JSON, not escaped to ASCII."""
    return visible(json.dumps(value, indent=2, ensure_ascii=False))


def json_line(value: object) -> str:
    """Return JSON on one line, not escaped to ASCII."""
    return visible(json.dumps(value, separators=(",", ":"), ensure_ascii=False))


class Stop(click.ClickException):
    """The end of a command: what is wrong, printed once to stderr, and the exit code.

    With `--json`, it is printed as an object: `body`, if the API has said one, with this `status`.
    """

    def __init__(self, code: int, lines: Sequence[str], body: object = None, status: int | None = None) -> None:
        super().__init__("\n".join(lines))
        self.lines, self.body, self.status = lines, body, status
        self.exit_code = code  # type: ignore[misc]  # click declares it for the class, and reads it from the instance

    def show(self, file: IO[Any] | None = None) -> None:
        said = ["payment-sandbox: " + self.lines[0], *(f"  {line}" for line in self.lines[1:])]
        show(map(_masked, said), err=True)


def stop(code: int, lines: Sequence[str], body: object = None, status: int | None = None) -> NoReturn:
    """End the command with this exit code; each line says what is wrong. `body` is the API's error, for `--json`."""
    raise Stop(code, lines, body, status)


def write(path: Path, content: str | bytes, *, new: bool = False, folders: bool = False) -> None:
    """Write a file, or say why not and end; with `new` no file is replaced, with `folders` its folders are created."""
    try:
        if folders:
            path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("xb" if new else "wb")
        try:
            with file:
                file.write(content.encode() if isinstance(content, str) else content)
        except OSError:
            if new:
                path.unlink()  # half of it would be in the way
            raise
    except OSError as wrong:
        if new and isinstance(wrong, FileExistsError) and Path(wrong.filename) == path:
            stop(USAGE, [f"{path} exists already"])
        stop(USAGE, [f"cannot write {wrong.filename or path}: {wrong.strerror}"])


TIMED: Final = re.compile(r"\d\d:\d\d:\d\d\.\d{3}  ")
_CONTROL: Final = re.compile(rf"\x1b(?!\[(?:[0-2]|3[1-6])m)|[\x00-\x08\x0b-\x1a\x1c-\x1f]|[{UNSEEN}]")
WHEN: Final = click.Choice(("auto", "always", "never"))
colour_option: Final = click.option(
    "--colour", "--color", "colour", type=WHEN, default="auto", show_default=True, help="Use colours."
)


def has_colours(wanted: str) -> bool:
    """Return whether to colour: as requested, or if stdout is a terminal with colours and NO_COLOR is not set."""
    if wanted != "auto":
        return wanted == "always"
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and _is_terminal()


def terminal_width() -> int | None:
    """Return the characters in a line of the terminal; None if stdout is not a terminal."""
    return shutil.get_terminal_size().columns if _is_terminal() else None


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()  # it is None if the caller closed it


def show(text: str | Iterable[str], *, colours: bool = False, err: bool = False, wraps: bool = False) -> None:
    """Print a text or lines without control characters; with `wraps` for people: no card data, lines that fit."""
    text = text if isinstance(text, str) else "\n".join(line.replace("\n", " ") for line in text)
    text, width = (_masked(text), terminal_width()) if wraps else (text, None)
    if width is not None:
        text = "\n".join(part for line in text.split("\n") for part in hung(line, width))
    click.echo(_CONTROL.sub("\ufffd", text), color=colours, err=err)


def _masked(text: str) -> str:
    from mock_server.domain.masking import shown  # late: most of what is printed at once needs none of it

    return shown(text)


def hung(line: str, width: int) -> Iterator[str]:
    """Yield a line in parts of at most this width, the later ones indented; a longer word is not broken."""
    plain = click.unstyle(line)
    timed = TIMED.match(plain)
    indent = " " * (timed.end() if timed else len(plain) - len(plain.lstrip())) + HANG
    begun, *words = line.split(" ")
    for word in words:
        so_far = click.unstyle(begun)
        if so_far.strip() and len(so_far) + 1 + len(click.unstyle(word)) > width:
            yield begun
            begun = indent + word
        else:
            begun = f"{begun} {word}"
    yield begun


Completes: TypeAlias = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def offers(words: Callable[[], Iterable[str]]) -> Completes:
    """Return the completion with these words, which are computed when a user asks for it."""
    return lambda ctx, param, begun: [CompletionItem(word) for word in words() if word.startswith(begun)]


class MinorUnits(click.ParamType[int]):
    """A whole number of minor units; `10.50` is refused with the number that may be meant."""

    name = "integer"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        text = str(value).strip()
        if re.fullmatch(r"-?[0-9]{1,15}", text):
            return int(text)
        if re.fullmatch(r"[0-9]{1,15}[.,][0-9]{1,2}", text):
            whole, part = re.split("[.,]", text)
            minor = int(whole + part.ljust(2, "0"))
            example = (
                f"{minor} is {format_amount(minor, 'USD')}, and {int(whole)} is {format_amount(int(whole), 'USD')}"
            )
            self.fail(f"{text} has a decimal point, but amounts are in minor units: {example}", param, ctx)
        return self.fail(f"{text[:40]!r} is not a number of minor units, such as 1050 for 10.50 USD", param, ctx)


_TYPED: Final = (ParameterSource.COMMANDLINE, ParameterSource.DEFAULT_MAP)  # no variable, which gives way
APART: Final = (
    ("", "url", "port_file"),
    ("", "as_json", "colour"),
    ("conformance", "listed", "url key other_key publishable_key admin_key token profile_id listener junit"),
    ("reset", "everything", "key seed"),
    ("sign", "secret", "key"),
    ("states", "mermaid", "as_json"),
    ("verdict", "every", "key journal save"),
    ("verdict", "journal", "key url port_file"),
)
"""By command, or in all: an option, and those that have no effect beside it."""


def idle_beside(command: click.Command, given: Collection[str]) -> dict[str, str]:
    """The options without effect among those that are given, each with the one that makes it so."""
    rows = [(strong, weak.split()) for name, strong, weak in APART if name in ("", command.name) and strong in given]
    return {idle: strong for strong, weak in rows for idle in weak if idle in given}


def checked(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    """Refuse an empty text, which would mean another operation, sandbox or key, and options without effect."""
    if any(one == Path() or not str(one).strip() for one in (value if isinstance(value, tuple) else (value,))):
        raise click.BadParameter("it is empty; is a variable of the shell not set?", ctx, param)
    typed = {one.name: one for one in ctx.command.params if ctx.get_parameter_source(str(one.name)) in _TYPED}
    for idle, strong in idle_beside(ctx.command, typed).items():  # of two, the one that is read later finds the other
        raise click.UsageError(f"{typed[idle].opts[0]} has no effect beside {typed[strong].opts[0]}", ctx)
    return value


class Guessing(click.Group):
    """Suggests a command for an unknown one, and refuses empty arguments and options."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            name, command, rest = super().resolve_command(ctx, args)
            for param in command.params if command and name != "serve" else ():  # which knows the mistakes of settings
                param.callback = param.callback or checked
            return name, command, rest
        except click.UsageError as wrong:
            meant = hint(args[0], self.list_commands(ctx))
            raise click.UsageError(wrong.message.rstrip(".") + (meant or "."), ctx) from None
