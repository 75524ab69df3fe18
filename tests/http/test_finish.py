"""Answers that wait for webhooks."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

import pytest

from mock_server.http.finish import coming, when_all
from mock_server.http.observe import BECAUSE
from mock_server.http.running import Answer, Later
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
    plain.api.sandbox.post.send_first = lambda workspace, event_ids: [Future()]  # type: ignore[method-assign]  # never ends
    made = plain.api.pay()
    assert (made.status, BECAUSE in made.headers) == (200, False)
    assert "single worker" in caplog.text
    line = plain.api.get("/_sandbox/journal").json["data"][-1]
    assert "single worker" in line["because"][-1]["text"]


def test_an_answer_takes_its_body_from_what_it_waited_for() -> None:
    sending: Future[bytes] = Future()
    parked = coming(Later(sending, 1.0, sending.result), Answer(200, b"planned", (("X-A", "b"),)))
    with pytest.raises(TimeoutError):
        parked.ready.result(0)
    assert parked.late().body == b"planned"
    sending.set_result(b"came")
    assert parked.ready.result(0) == Answer(200, b"came", (("X-A", "b"),))


def test_what_comes_after_its_client_has_gone_goes_nowhere() -> None:
    sending: Future[bytes] = Future()
    parked = coming(Later(sending, 1.0, sending.result), Answer(200, b"planned"))
    assert parked.ready.cancel()
    sending.set_result(b"came")


def test_who_keeps_an_answer_is_told_the_one_that_leaves() -> None:
    sending: Future[bytes] = Future()
    later, kept = Later(sending, 1.0, sending.result), list[bytes]()
    later.then.append(lambda answer: kept.append(answer.body))
    parked = coming(later, Answer(200, b"planned"))
    assert kept == []
    parked.late()
    sending.set_result(b"came")
    assert kept == [b"planned", b"came"]
