"""What the log says of calls and deliveries, and which of its lines name the call and the payment they are about."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from typing import Any

import pytest

from mock_server.cli.logs import JsonFormatter
from mock_server.scenario.deciding.activation import QUEUE
from tests.architecture.sources import PACKAGE, modules
from tests.webhooks.shops import mall
from tests.wire import KEY, wire


class Kept(logging.Handler):
    """Keeps each line as JSON, as `--log-format json` writes it."""

    def __init__(self) -> None:
        super().__init__()
        self.formatter = JsonFormatter()
        self.lines: list[dict[str, Any]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(json.loads(self.format(record)))


@pytest.fixture
def log() -> Iterator[Kept]:
    logger, kept = logging.getLogger(PACKAGE), Kept()
    before = logger.level
    logger.setLevel(logging.DEBUG)
    logger.addHandler(kept)
    yield kept
    logger.removeHandler(kept)
    logger.setLevel(before)


def test_a_call_is_one_line_at_debug(log: Kept) -> None:
    api = wire()
    reply = api.pay("visa_insufficient_funds")
    (line,) = log.lines
    assert (line["level"], line["logger"]) == ("debug", "mock_server.calls")
    assert line["request_id"] == reply.headers["X-Request-Id"]
    assert line["payment_id"] == reply["payment_id"]
    assert (line["operation"], line["status"], line["key"]) == ("payments.create", 200, "snd_…6789")
    assert line["message"].startswith("POST /payments payments.create: 200 in ")
    assert KEY not in json.dumps(line)


def test_a_refusal_names_its_cause(log: Kept) -> None:
    wire().get("/payments/pay_none")
    (line,) = log.lines
    assert (line["payment_id"], line["status"], line["cause"]) == ("pay_none", 404, "object_unknown")


def test_control_calls_and_pages_are_told_too(log: Kept) -> None:
    api = wire()
    made = api.pay("visa_3ds_required", return_url="https://shop.test/back")
    api.as_key(None).get(made["next_action"]["redirect_to_url"].partition("localhost")[2])
    api.post(f"/_sandbox/payments/{made['payment_id']}/authenticate", {"result": "approved"})
    assert [line["operation"] for line in log.lines] == ["payments.create", "page.challenge", "control.authenticate"]
    assert {line["payment_id"] for line in log.lines} == {made["payment_id"]}


def test_a_delivery_names_event_and_payment(log: Kept) -> None:
    street = mall()
    street.shop.answers = [500]
    made = street.api.pay()
    street.deliver()
    (line,) = [line for line in log.lines if line["logger"] == "mock_server.webhooks"]
    assert (line["payment_id"], line["event_type"], line["attempt"]) == (made["payment_id"], "payment_succeeded", 1)
    assert line["event_id"] == street.events()[0].event_id
    assert line["status"] == 500


def test_a_defect_names_the_call_and_its_payment(log: Kept) -> None:
    api = wire()
    made = api.pay()
    log.lines.clear()
    api.sandbox.workspaces()[0].space.transact(lambda tx: tx.set_fact(QUEUE, 1))
    reply = api.get(f"/payments/{made['payment_id']}")
    assert reply.status == 500
    defects = [line for line in log.lines if line["level"] == "error"]
    assert defects
    assert {line["request_id"] for line in defects} == {reply.headers["X-Request-Id"]}
    assert {line["payment_id"] for line in defects} == {made["payment_id"]}


def test_nothing_is_written_where_nobody_listens(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger=PACKAGE):
        wire().pay()
    assert not caplog.records


def test_every_log_belongs_to_the_package() -> None:
    """What has another name is not written as the settings say; a library's can be silenced."""
    log = re.compile(r"getLogger\(\"([^\"]*)\"(?!\)\.setLevel)")
    named = [name for module in modules() for name in log.findall(module.source)]
    assert len(named) > 5
    assert [name for name in named if name.split(".")[0] != PACKAGE] == []
