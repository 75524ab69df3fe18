"""A sandbox in a process of its own, on a free port, as `payment-sandbox serve` starts it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Event
from time import perf_counter
from types import TracebackType
from typing import IO, Any, Final, Self

from tests.forking import Forked, fork

COMMAND: Final = (sys.executable, "-m", "mock_server")
Process = subprocess.Popen[str] | Forked
PAUSE_S: Final = 0.01
QUICK_JAVA: Final = {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
"""For Java's programs that run for a second: compiled for long runs, they take twice the processor time."""
FOREIGN: Final = ("anyio", "benchmark", "faker", "hypothesispytest", "pytest_cov", "schemathesis")
"""Plugins of pytest that are here for this project alone: to import them takes longer than most runs of pytest do."""


def until(holds: Callable[[], object]) -> None:
    """Ask until it holds. The suite's own limit for a test is the only one: a busy machine is slow, and not wrong."""
    while not holds():
        Event().wait(PAUSE_S)


def seconds(act: Callable[[], object]) -> float:
    """How long it takes. Hold it to a bound in `until`: other work slows it down now and then, its own waits always."""
    began = perf_counter()
    act()
    return perf_counter() - began


def environment(**variables: str) -> dict[str, str]:
    """Return this process's environment without settings and foreign plugins of pytest, and with these variables."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PAYMENT_SANDBOX_")}
    options = " ".join((clean.get("PYTEST_ADDOPTS", ""), *(f"-pno:{name}" for name in FOREIGN)))
    return {**clean, "PYTEST_ADDOPTS": options, **variables}


def call(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    process = _start(arguments, variables)
    out, err = process.communicate()
    return subprocess.CompletedProcess([*COMMAND, *arguments], process.wait(), out, err)


@contextmanager
def begun(*arguments: str, anew: bool = False) -> Iterator[Process]:
    """A command that goes on until the block is left."""
    process = _start(arguments, {}, anew=anew)
    try:
        yield process
    finally:
        process.terminate()
        process.communicate()


class RunningSandbox:
    """A served sandbox; leaving the block tells it to stop and waits for its end."""

    def __init__(
        self,
        *flags: str,
        variables: Mapping[str, str] | None = None,
        before: Callable[[], None] | None = None,
        anew: bool = False,
    ) -> None:
        """`before` is called in the new process, to set limits for it.

        One is forked from a process that has imported the program, unless a start is needed: because of `before`, of
        variables, or of a test that is about the start or what a process takes, and wants it `anew`.
        """
        self.process = _start(
            ["serve", "--port", "0", "--log-format", "json", *flags], variables or {}, before, anew=anew
        )
        self.ready: dict[str, Any] = {}

    def __enter__(self) -> Self:
        line = _stream(self.process.stdout).readline()
        if not line:
            self.process.wait()
            raise AssertionError(f"the sandbox did not start: {_stream(self.process.stderr).read()}")
        self.ready = json.loads(line)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def base(self) -> str:
        return str(self.ready["url"])

    def stop(self, with_signal: signal.Signals = signal.SIGTERM) -> tuple[int, str, str]:
        """Tell it to stop; return exit code, the rest of stdout, and stderr."""
        if self.process.poll() is None:
            self.process.send_signal(with_signal)
        try:
            out, err = self.process.communicate()
        except ValueError:  # its streams were read and closed by an earlier stop
            out, err = "", ""
        return self.process.wait(), out, err


def _start(
    arguments: Sequence[str],
    variables: Mapping[str, str],
    before: Callable[[], None] | None = None,
    *,
    anew: bool = False,
) -> Process:
    env = environment(**variables)
    if before is None and not anew and (forked := fork(arguments, env)) is not None:
        return forked
    return subprocess.Popen(
        [*COMMAND, *arguments],
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=before,
    )


def _stream(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream
