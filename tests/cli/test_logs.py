"""The log's two forms, and what never stands in it."""

from __future__ import annotations

import json
import logging
import sys

import pytest

from mock_server.cli.logs import JsonFormatter, TextFormatter, set_up
from mock_server.settings import Settings

CANARY = "4000000000000010"
KEY = "snd_canary_key_1234"


def record(message: str, error: Exception | None = None) -> logging.LogRecord:
    exc_info = None
    if error is not None:
        try:
            raise error
        except Exception:
            exc_info = sys.exc_info()
    made = logging.LogRecord("mock_server.http", logging.WARNING, "f.py", 1, message, (), exc_info)
    made.created = 1_767_225_600.25
    return made


def test_text() -> None:
    assert TextFormatter().format(record("it happened")) == "00:00:00 warning  it happened"


def test_text_with_a_traceback() -> None:
    text = TextFormatter().format(record("it broke", ValueError("why")))
    assert text.startswith("00:00:00 warning  it broke\nTraceback")
    assert text.endswith("ValueError: why")


def test_json_is_one_line() -> None:
    line = JsonFormatter().format(record("it\nbroke", ValueError("why")))
    assert "\n" not in line
    entry = json.loads(line)
    assert entry.pop("traceback").endswith("ValueError: why")
    assert entry == {
        "time": "2026-01-01T00:00:00.250Z",
        "level": "warning",
        "logger": "mock_server.http",
        "message": "it\nbroke",
    }


def test_what_a_line_is_about_stands_beside_its_words() -> None:
    said = record("it happened")
    said.__dict__.update(request_id="req_1", payment_id="pay_1", status=402, cause=None)
    assert TextFormatter().format(said) == "00:00:00 warning  it happened [req_1 pay_1]"
    entry = json.loads(JsonFormatter().format(said))
    assert list(entry)[4:] == ["request_id", "payment_id", "status"]
    assert (entry["request_id"], entry["payment_id"], entry["status"]) == ("req_1", "pay_1", 402)


def test_it_stands_on_the_first_line_of_several() -> None:
    said = record("it broke\nthere\nand there")
    said.request_id = "req_1"
    assert TextFormatter().format(said) == "00:00:00 warning  it broke [req_1]\nthere\nand there"


@pytest.mark.parametrize("formatter", [TextFormatter(), JsonFormatter()], ids=["text", "json"])
def test_nothing_hides_in_what_a_caller_named(formatter: logging.Formatter) -> None:
    said = record("it happened")
    said.__dict__.update(payment_id=CANARY, request_id=KEY)
    assert CANARY not in formatter.format(said)
    assert "canary_key" not in formatter.format(said)


@pytest.mark.parametrize("formatter", [TextFormatter(), JsonFormatter()], ids=["text", "json"])
def test_card_numbers_and_keys_are_left_out(formatter: logging.Formatter) -> None:
    said = formatter.format(record(f"number {CANARY} key {KEY}", ValueError(f"{CANARY[:9]} of {CANARY} by {KEY}")))
    assert CANARY[:7] not in said
    assert "canary_key" not in said


@pytest.mark.parametrize(("log_format", "kind"), [("text", TextFormatter), ("json", JsonFormatter)])
def test_the_settings_choose_form_and_level(log_format: str, kind: type[logging.Formatter]) -> None:
    logger = logging.getLogger("mock_server")
    before = (logger.handlers, logger.level, logger.propagate)
    try:
        assert set_up(Settings(log_format=log_format, log_level="error")) is logger
        assert type(logger.handlers[0].formatter) is kind
        assert (len(logger.handlers), logger.level, logger.propagate) == (1, logging.ERROR, False)
    finally:
        logger.handlers, logger.level, logger.propagate = before
