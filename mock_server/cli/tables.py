"""The commands that need no sandbox: cards, errors and the OpenAPI document."""

from __future__ import annotations

from operator import attrgetter
from typing import Final

import click

from mock_server.cli.output import SOURCE, TextTable, json_text, print_table
from mock_server.cli.serve import read_settings
from mock_server.domain.card_words import card_effect
from mock_server.domain.cards import CARDS
from mock_server.domain.declines import DECLINES
from mock_server.domain.errors import Cause


def cards_table() -> TextTable:
    """Return the test cards, in the order of their table."""
    rows = ((c.number, c.name, c.brand, str(c.type), card_effect(c.issuer), c.source) for c in CARDS)
    columns = ("number", "name", "brand", "type", "what happens", SOURCE)
    return TextTable(columns, tuple(rows), unprinted=("brand", "type", SOURCE))


def declines_table() -> TextTable:
    """Return the reasons for which a charge can fail."""
    columns = ("name", "error code", "error message", "unified code", "standardised code", "advice", SOURCE)
    standard = ("standard.unified.code", "standard.code", "standard.recommended_action")
    words = attrgetter("name", "error_code", "error_message", *standard, SOURCE)
    return TextTable(
        columns, tuple(map(words, DECLINES)), unprinted=("unified code", "standardised code", "advice", SOURCE)
    )


def errors_table(dialect: str) -> TextTable:
    """Return the causes of errors in a dialect's words, in the order in which calls are checked."""
    from mock_server.dialects import get

    said = get(dialect).errors
    rows = ((said[cause], cause) for cause in Cause if cause in said)
    return TextTable(
        ("http", "code", "type", "cause", "when", "message", SOURCE),
        tuple((str(e.status), e.code, e.type, str(c), c.about, e.message, c.source) for e, c in rows),
        unprinted=("type", "when", SOURCE),
    )


def codes_table(dialect: str) -> TextTable:
    """Return the public codes that this server never returns by itself, each with the reason."""
    from mock_server.dialects import get

    rows = ((c.code, str(c.status), c.type, c.message, c.never) for c in get(dialect).codes.values() if c.never)
    return TextTable(("code", "http", "type", "message", "reason"), tuple(rows))


@click.command("cards")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--declines", is_flag=True, help="List the reasons why a charge can fail instead.")
def cards(as_json: bool, declines: bool) -> None:
    """List the test cards and what each of them does."""
    print_table(declines_table() if declines else cards_table(), as_json=as_json)


_DIALECT: Final = click.option("--dialect", metavar="NAME", help="Dialect; by default the one in the settings.")


def _named(dialect: str | None) -> str:
    """The dialect of a command. Exits with 2 for an unknown one."""
    return read_settings({} if dialect is None else {"dialect": dialect}).settings.dialect


@click.command("errors")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--never", is_flag=True, help="List the public error codes that this server never returns instead.")
@_DIALECT
def errors(as_json: bool, never: bool, dialect: str | None) -> None:
    """List the error codes of the API in a dialect."""
    name = _named(dialect)
    print_table(codes_table(name) if never else errors_table(name), as_json=as_json)


@click.command("openapi")
@click.option("--yaml", "as_yaml", is_flag=True, help="Print YAML.")
@_DIALECT
def openapi(as_yaml: bool, dialect: str | None) -> None:
    """Print the OpenAPI document of the API and the control API in a dialect."""
    from mock_server.dialects import get
    from mock_server.openapi.document import document

    made = document(get(_named(dialect)))
    if as_yaml:
        import yaml

        dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
        click.echo(yaml.dump(made, Dumper=dumper, sort_keys=False, allow_unicode=True, width=110))
    else:
        click.echo(json_text(made))
