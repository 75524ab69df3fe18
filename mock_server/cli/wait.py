"""`payment-sandbox wait`."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import Final

import click

from mock_server.cli.output import FAILED, stop
from mock_server.cli.probe import Answer, ask, target_options
from mock_server.clock import Clock, SystemClock
from mock_server.settings import duration_ms

PAUSE_S: Final = 0.1


def seconds(ctx: click.Context, param: click.Parameter, value: str) -> float:
    """Read a duration as the settings spell them."""
    try:
        return duration_ms(value) / 1000
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a duration such as 250ms, 30s or 2m") from None


@click.command("wait")
@target_options
@click.option("--timeout", "timeout_s", callback=seconds, default="30s", show_default=True, help="When to give up.")
def command(url: str | None, port_file: str | None, timeout_s: float) -> None:
    """Wait until a sandbox is ready; exit 1 when the time is over."""
    answer = until_ready(lambda: ask(url, port_file), timeout_s, SystemClock(), lambda: Event().wait(PAUSE_S))
    if not answer.ready:
        stop(FAILED, [f"not ready after {timeout_s:g} s: {answer.said}"])
    click.echo(answer.said)


def until_ready(probe: Callable[[], Answer], timeout_s: float, clock: Clock, pause: Callable[[], object]) -> Answer:
    """Return the first answer that says ready, or the last one before the time is over."""
    end = clock.monotonic() + timeout_s
    while not (answer := probe()).ready and clock.monotonic() < end:
        pause()
    return answer
