"""`payment-sandbox coverage`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from mock_server.cli.output import FAILED, USAGE, json_text, stop

FILE = click.Path(dir_okay=False, path_type=Path)


@click.group("coverage")
def command() -> None:
    """Say what can happen to payments and was never met by a suite."""


@command.command("combine")
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option("--output", "-o", type=FILE, help="Keep them all together in this file.")
@click.option("--html", "page", type=FILE, help="Write a page to this file.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--fail-under", type=click.FloatRange(0, 100), default=0.0, help="Exit 1 below so many percent.")
def combine(files: tuple[Path, ...], output: Path | None, page: Path | None, as_json: bool, fail_under: float) -> None:
    """Put together what several runs met, as `--payment-sandbox-coverage=json:FILE` left it, and report on it.

    What is out of scope stands in `pyproject.toml`, under [tool.payment-sandbox.coverage].
    """
    from mock_server.verdict.coverage_page import as_json as to_json
    from mock_server.verdict.coverage_page import html, text
    from mock_server.verdict.outcomes import Met, coverage, from_json
    from mock_server.verdict.scope import out_of_scope

    met = Met()
    for file in files:
        try:
            met = met.and_also(from_json(json.loads(file.read_text("utf-8"))))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as wrong:
            stop(USAGE, [f"{file}: {wrong}"])
    try:
        found = coverage(met, out_of_scope(Path.cwd()))
    except (ValueError, KeyError) as wrong:
        stop(USAGE, [str(wrong)])
    if output is not None:
        output.write_text(json_text(to_json(found)), "utf-8")
    if page is not None:
        page.write_text(html(found), "utf-8")
    click.echo(json_text(to_json(found)) if as_json else "\n".join(text(found)))
    if found.percent < fail_under:
        stop(FAILED, [f"{found.percent:.2f}% of the outcomes were met, less than {fail_under:g}%"])
