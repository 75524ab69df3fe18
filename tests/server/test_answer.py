from __future__ import annotations

import pytest

from mock_server.server.answer import DateField, End, chunk, compose, said_length, status_line
from tests.clocks import ManualClock

ALWAYS = "X-Content-Type-Options: nosniff\r\n"
CASES = [
    ("200 OK", 5, True, True, "Content-Length: 5\r\n", End.LENGTH, True),
    ("200 OK", 0, True, True, "Content-Length: 0\r\n", End.LENGTH, True),
    ("200 OK", 5, True, False, "Content-Length: 5\r\nConnection: close\r\n", End.LENGTH, False),
    ("200 OK", 5, False, True, "Content-Length: 5\r\nConnection: keep-alive\r\n", End.LENGTH, True),
    ("200 OK", None, True, True, "Transfer-Encoding: chunked\r\n", End.CHUNKS, True),
    ("200 OK", None, False, True, "Connection: close\r\n", End.CLOSE, False),
    ("204 No Content", 0, True, True, "", End.LENGTH, True),
    ("304 Not Modified", None, True, True, "", End.LENGTH, True),
]


@pytest.mark.parametrize(("status", "length", "is_modern", "keep_alive", "lines", "end", "stays"), CASES)
def test_how_an_answer_ends(
    status: str, length: int | None, is_modern: bool, keep_alive: bool, lines: str, end: End, stays: bool
) -> None:
    composed = compose(status, [("X-A", "1")], length, "Date: now\r\n", is_modern=is_modern, keep_alive=keep_alive)
    assert composed.head.decode() == f"HTTP/1.1 {status}\r\nX-A: 1\r\nDate: now\r\n{lines}{ALWAYS}\r\n"
    assert (composed.end, composed.keep_alive) == (end, stays)


def test_what_the_app_says_about_the_line_is_not_repeated() -> None:
    fields = [("content-length", "9"), ("Transfer-Encoding", "gzip"), ("Keep-Alive", "timeout=5"), ("A", "\xe9")]
    composed = compose("200 OK", fields, 1, "Date: now\r\n", is_modern=True, keep_alive=True)
    head = f"HTTP/1.1 200 OK\r\nA: \xe9\r\nDate: now\r\nContent-Length: 1\r\n{ALWAYS}\r\n"
    assert composed.head == head.encode("latin-1")


@pytest.mark.parametrize(("value", "stays"), [("close", False), ("Close", False), ("keep-alive", True)])
def test_the_app_can_want_the_close(value: str, stays: bool) -> None:
    composed = compose("200 OK", [("Connection", value)], 1, "Date: now\r\n", is_modern=True, keep_alive=True)
    assert composed.keep_alive is stays


@pytest.mark.parametrize("fields", [[("Content-Length", "-1")], [("Content-Length", "\xb2")], [("X-A", "1")]])
def test_no_sound_length(fields: list[tuple[str, str]]) -> None:
    assert said_length(fields) is None


def test_the_apps_own_date_is_the_only_one() -> None:
    composed = compose("200 OK", [("date", "then")], 0, "Date: now\r\n", is_modern=True, keep_alive=True)
    assert composed.head.decode() == f"HTTP/1.1 200 OK\r\ndate: then\r\nContent-Length: 0\r\n{ALWAYS}\r\n"


def test_no_guessing_is_said_once() -> None:
    fields = [("x-content-type-options", "nosniff")]
    composed = compose("200 OK", fields, 0, "Date: now\r\n", is_modern=True, keep_alive=True)
    assert composed.head.lower().count(b"nosniff") == 1


def test_a_chunk_has_its_size_before_it() -> None:
    assert chunk(b"x" * 31) == b"1f\r\n" + b"x" * 31 + b"\r\n"


def test_status_lines() -> None:
    assert [status_line(404), status_line(599)] == ["404 Not Found", "599 Unknown"]


def test_the_date_is_made_once_a_second() -> None:
    clock = ManualClock(now_ms=1_767_225_600_400)
    date = DateField(clock)
    first = date.line(clock.monotonic())
    assert first == "Date: Thu, 01 Jan 2026 00:00:00 GMT\r\n"
    clock.advance(599)
    assert date.line(clock.monotonic()) is first
    clock.advance(1)
    assert date.line(clock.monotonic()) == "Date: Thu, 01 Jan 2026 00:00:01 GMT\r\n"
