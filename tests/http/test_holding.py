"""Answers that wait for webhooks."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

from mock_server.http.because import HEADER
from mock_server.http.holding import when_all
from tests.webhooks.shops import mall


def test_it_leaves_once_when_all_are_done() -> None:
    futures: list[Future[Any]] = [Future() for _ in range(3)]
    left: list[str] = []
    futures[0].set_result(None)
    when_all(list(futures), lambda: left.append("left"))
    futures[2].set_result(None)
    assert left == []
    futures[1].cancel()
    assert left == ["left"]


def test_without_our_headers_the_reason_stays_in_log_and_journal(caplog: Any) -> None:
    plain = mall(plain_headers=True, before_response_timeout=0.01)
    plain.scenario({"on": "webhook.*", "then": {"deliver": "before_response"}})
    plain.api.sandbox.post.send_first = lambda world, event_ids: [Future()]  # type: ignore[method-assign]  # never ends
    made = plain.api.pay()
    assert (made.status, HEADER in made.headers) == (200, False)
    assert "one worker" in caplog.text
    line = plain.api.get("/_sandbox/journal").json["data"][-1]
    assert "one worker" in line["because"][-1]["text"]
