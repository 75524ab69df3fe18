"""No text that a client chooses begins a line of the log, or hides one: each record is one line that shows it all."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import quote

import pytest

from mock_server.cli.logs import JsonFormatter, TextFormatter
from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from tests.counts import times
from tests.http.test_hostile_headers import READ
from tests.routes.hostile import FAR
from tests.wire import Wire, wire

SIGNS: Final = [
    chr(code)
    for code in (
        *range(0x20),
        *range(0x7F, 0xA0),
        0x61C,
        0x200E,
        0x200F,
        *range(0x2028, 0x202F),
        *range(0x2066, 0x206A),
    )
]
FORGED: Final = "17:00:00 error    all is lost"
EACH: Final = times(1, soak=len(SIGNS))
LINE: Final = re.compile(r"\d\d:\d\d:\d\d (debug|info|warning|error) +\S.*")
ROWS: Final = [row for row in (*OPERATIONS, *CONTROL_OPERATIONS) if row.name not in FAR]
IN_HEADERS: Final = sorted({"Api-Key", "User-Agent", "X-Sandbox-Label", "X-Profile-Id", *READ} - {"HOST"})


class Lines(logging.Handler):
    """All that is logged, as the two formatters write it."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.texts: list[str] = []
        self.objects: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(TextFormatter().format(record))
        self.objects.append(JsonFormatter().format(record))


@pytest.fixture
def lines() -> Iterator[Lines]:
    logger, handler = logging.getLogger("mock_server"), Lines()
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    yield handler
    logger.removeHandler(handler)
    logger.setLevel(before)


@pytest.fixture(scope="module")
def api() -> Wire:
    return wire(webhook_hosts=("127.0.0.1",))


def checked(lines: Lines) -> None:
    assert lines.texts
    for text in lines.texts:
        assert LINE.fullmatch(text), text
    for text in (*lines.texts, *lines.objects):
        assert not set(SIGNS) & set(text), text
    assert all(json.loads(text)["message"] for text in lines.objects)


def signs_for(number: int) -> list[str]:
    return [SIGNS[(number * EACH * 7 + at) % len(SIGNS)] for at in range(EACH)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.route)
def test_no_part_of_a_path_or_query_begins_a_line(api: Wire, lines: Lines, row: Operation) -> None:
    for sign in ("\n", "\x1b", *signs_for(ROWS.index(row))):
        said = quote(f"a{sign}{FORGED}", safe="")
        path = re.sub(r"<\w+>", said, row.path)
        api.call(row.method, f"{path}?note={said}", {} if row.reads_body(row.method) else None)
    checked(lines)


@pytest.mark.parametrize("name", IN_HEADERS)
def test_no_header_begins_a_line(api: Wire, lines: Lines, name: str) -> None:
    for sign in ("\x1b", *signs_for(IN_HEADERS.index(name))):
        said = f"a{sign}{FORGED}".encode().decode("latin-1")
        for method, path in (("GET", "/payments/pay_1"), ("GET", "/_sandbox/journal")):
            if "\n" not in said and "\r" not in said:
                api.call(method, path, headers={name: said})
    checked(lines)


@pytest.mark.parametrize("sign", SIGNS, ids=ascii)
def test_no_value_of_a_record_begins_a_line(sign: str) -> None:
    said = f"a{sign}{FORGED}"
    for message, args in (("%s", (said,)), ("of %s: %s", (said, 1)), ("%s in %s\n%s", (said, said, "  File f.py"))):
        record = logging.LogRecord("mock_server.http", logging.WARNING, "f.py", 1, message, args, None)
        record.__dict__.update(request_id=said, payment_id=said, event_id=said)
        first, *below = TextFormatter().format(record).split("\n")
        assert LINE.fullmatch(first)
        assert below == (["  File f.py"] if "\n" in message else [])
        assert sign not in first + JsonFormatter().format(record).replace("\\n", "")
