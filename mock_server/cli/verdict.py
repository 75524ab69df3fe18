"""`payment-sandbox verdict`."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mock_server.cli.asking import Asking, asking_options
from mock_server.cli.output import FAILED, USAGE, json_text, stop

if TYPE_CHECKING:
    from mock_server.verdict.judging import Baseline, Verdict

FILE = click.Path(dir_okay=False, path_type=Path)


@click.command("verdict")
@asking_options
@click.option("--journal", type=FILE, help="Read what GET /_sandbox/journal gave, or saved evidence, and ask nobody.")
@click.option("--save", type=FILE, help="Keep the evidence in this file.")
@click.option("--baseline", type=FILE, help="A TOML file with [[accepted]]: id, reason, until.")
@click.option("--strict", is_flag=True, help="Let advice fail too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--junit", type=FILE, help="Write a JUnit XML report to this file as well.")
@click.option("--markdown", type=FILE, help="Write a summary for a pull request to this file as well.")
def command(
    key: str | None,
    url: str | None,
    port_file: str | None,
    journal: Path | None,
    save: Path | None,
    baseline: Path | None,
    strict: bool,
    as_json: bool,
    junit: Path | None,
    markdown: Path | None,
) -> None:
    """Say what the client does wrong, by the calls, decisions and webhooks that a sandbox keeps.

    Exit code 0: no error was found. 1: errors, with --strict advice too. 2: nothing could be judged.
    """
    from mock_server.verdict import reporting

    accepted = _read(baseline, _baseline) if baseline else {}
    found = _read(journal, _loads) if journal else _asked(key, url, port_file)
    verdict = _judged(found, accepted, "" if journal else str(found["base"]))
    if save:
        _write(save, json_text(found).encode())
    if junit:
        _write(junit, reporting.junit(verdict, strict=strict))
    if markdown:
        _write(markdown, reporting.markdown(verdict).encode())
    click.echo(json_text(reporting.as_json(verdict)) if as_json else "\n".join(reporting.text(verdict)))
    if not verdict.is_judged:
        stop(USAGE, ["nothing could be judged: there are no calls of this key"])
    if verdict.fails(strict=strict):
        raise SystemExit(FAILED)


def _judged(found: Any, accepted: Baseline, base: str) -> Verdict:
    from datetime import UTC, datetime

    from mock_server.clock import SystemClock
    from mock_server.verdict.evidence import read
    from mock_server.verdict.judging import judge

    today = datetime.fromtimestamp(SystemClock().now_ms() / 1000, UTC).date()
    try:
        return judge(read(found), accepted, today, base=base)
    except (ValueError, KeyError, TypeError, AttributeError) as wrong:
        stop(USAGE, [f"this is no evidence of a sandbox: {wrong}"])


def _asked(key: str | None, url: str | None, port_file: str | None) -> dict[str, Any]:
    from mock_server.verdict.evidence import gathered

    asking = Asking(key, url, port_file, unreachable=USAGE)
    return {"base": asking.base, **gathered(lambda path: asking.call("GET", path))}


def _loads(text: str) -> Any:
    import json

    return json.loads(text)


def _baseline(text: str) -> Baseline:
    from mock_server.verdict.judging import baseline_of

    return baseline_of(tomllib.loads(text))


def _read(path: Path, understand: Callable[[str], Any]) -> Any:
    try:
        return understand(path.read_text("utf-8"))
    except (OSError, ValueError) as wrong:
        stop(USAGE, [f"{path}: {wrong}"])


def _write(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as wrong:
        stop(FAILED, [f"{path} was not written: {wrong}"])
