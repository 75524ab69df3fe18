"""The log never makes anybody wait for whoever reads it."""

from __future__ import annotations

import io
import json
import logging
import os
import re
from collections.abc import Iterator
from typing import TextIO

import httpx
import pytest

from mock_server.cli.logs import LineHandler
from tests.running import RunningSandbox

LINE = "x" * 99


@pytest.fixture
def pipe() -> Iterator[tuple[int, TextIO]]:
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as stream:
        yield reading, stream
    os.close(reading)


def say(handler: LineHandler, text: str) -> None:
    handler.handle(logging.LogRecord("mock_server", logging.INFO, "", 0, text, (), None))


def read(fd: int, until: str) -> str:
    said = ""
    while until not in said:
        said += os.read(fd, 65_536).decode()
    return said


def test_lines_are_written_in_order(pipe: tuple[int, TextIO]) -> None:
    reading, stream = pipe
    handler = LineHandler(stream)
    for number in range(1000):
        say(handler, f"line {number}")
    assert read(reading, "line 999\n").splitlines() == [f"line {number}" for number in range(1000)]


@pytest.mark.parametrize("blocking", [True, False])
def test_what_nobody_reads_is_dropped_and_counted(pipe: tuple[int, TextIO], blocking: bool) -> None:
    reading, stream = pipe
    os.set_blocking(stream.fileno(), blocking)
    handler = LineHandler(stream, most=10_000)
    for _ in range(5_000):  # 500 kB, and a pipe takes 64 KiB
        say(handler, LINE)
    said = ""
    while accounted(said) < 5_000:
        said += os.read(reading, 65_536).decode()
    assert accounted(said) == 5_000
    assert 0 < said.count(LINE) < 5_000


def accounted(said: str) -> int:
    """How many lines were written, or counted as dropped."""
    told = re.findall(r"log lines that were dropped because the output was not read: (\d+)\n", said)
    return said.count(f"{LINE}\n") + sum(map(int, told))


def test_the_end_waits_for_the_last_line_of_a_reader_that_reads(pipe: tuple[int, TextIO]) -> None:
    reading, stream = pipe
    handler = LineHandler(stream)
    say(handler, "the last")
    handler.flush()
    assert os.read(reading, 100) == b"the last\n"


def test_a_reader_that_left_is_no_mistake() -> None:
    broken, writing = os.pipe()
    os.close(broken)
    with os.fdopen(writing, "w") as gone:
        handler = LineHandler(gone)
        say(handler, "one")
        handler.flush()
        say(handler, "two")
        handler.flush()


def test_a_stream_without_a_file_behind_it_is_written_to() -> None:
    stream = io.StringIO()
    handler = LineHandler(stream)
    say(handler, "one")
    handler.flush()
    assert stream.getvalue() == "one\n"


def test_a_debug_log_that_nobody_reads_stops_nothing() -> None:
    with RunningSandbox("--log-level", "debug", "--rate-limit", "0") as sandbox, httpx.Client(timeout=None) as client:
        calls = 1_000  # 65 536 bytes are some 300 lines
        for _ in range(calls):
            answer = client.get(f"{sandbox.base}/health", headers={"api-key": "snd_log_nobody_reads"}, timeout=60)
            assert answer.status_code == 200
        code, _, err = sandbox.stop()
    lines = [json.loads(line) for line in err.splitlines()]
    assert code == 0
    assert sum(line.get("operation") == "health.check" for line in lines) == calls


def test_the_end_comes_though_nobody_reads() -> None:
    with RunningSandbox("--log-level", "debug", "--rate-limit", "0") as sandbox, httpx.Client(timeout=None) as client:
        for _ in range(1_000):
            client.get(f"{sandbox.base}/health", headers={"api-key": "snd_log_nobody_reads"}, timeout=60)
        sandbox.process.terminate()
        assert sandbox.process.wait() == 0
