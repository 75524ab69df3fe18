"""What receivers do at the edges of HTTP: interim answers, connections that close, heads that are odd."""

from __future__ import annotations

import threading
import time
from contextlib import suppress

import pytest
from click.testing import CliRunner

from mock_server.addresses import is_address
from mock_server.cli import main
from mock_server.webhooks.signing import Headers
from mock_server.webhooks.transport import Response, Unanswered, Wire
from mock_server.webhooks.transport_http import Network
from tests.counts import times
from tests.webhooks.receivers import OK, Line, Receiver, answers
from tests.wire import wire

HEADERS: Headers = (("Content-Type", "application/json"),)
INTERIM = [100, 102, 103, 104, 199]


def post(network: Network, url: str, wire: Wire | None = None) -> Response:
    return network.send(url, b"{}", HEADERS, 30.0, wire or Wire())


def interim(*statuses: int) -> bytes:
    return b"".join(b"HTTP/1.1 %d Wait\r\nLink: </a>; rel=preload\r\n\r\n" % status for status in statuses)


@pytest.mark.parametrize("before", [*([one] for one in INTERIM), INTERIM], ids=str)
@pytest.mark.parametrize("status", [200, 204, 500])
def test_interim_answers_are_passed_over(before: list[int], status: int) -> None:
    last = b"HTTP/1.1 %d Said\r\n%s\r\n" % (status, b"Content-Length: 0\r\n" if status != 204 else b"")
    with Receiver(answers(interim(*before) + last)) as receiver:
        network = Network(time.monotonic)
        assert [post(network, receiver.url).status for _ in range(2)] == [status] * 2
    assert receiver.connections == [1, 1]


def test_the_probe_passes_over_them_too() -> None:
    with Receiver(answers(interim(103) + OK)) as receiver:
        words = ["probe", receiver.url, "--secret", "x", "--only", "slow-sending", "--only", "valid"]
        told = CliRunner().invoke(main, words)
    assert (told.exit_code, len(receiver.requests)) == (0, 2), told.output


@pytest.mark.parametrize("after_s", [0.0, 0.001, 0.003, 0.006])
def test_a_kept_connection_that_closes_is_no_failure(after_s: float) -> None:
    """It closes without having said so, just when the next request may be on its way."""

    def behave(line: Line) -> None:
        line.request()
        line.send(OK)
        time.sleep(after_s)

    count = times(40, soak=400)
    network = Network(time.monotonic)
    with Receiver(behave) as receiver:
        assert [post(network, receiver.url).status for _ in range(count)] == [200] * count
    assert len(receiver.requests) == count, "each came once"


def second_fails(line: Line) -> None:
    """Answers the first request of each connection, and leaves with the second in hand."""
    line.request()
    line.send(OK)
    line.request()


def test_what_fails_on_a_kept_connection_is_sent_once_more_on_a_new_one() -> None:
    network = Network(time.monotonic)
    with Receiver(second_fails) as receiver:
        assert [post(network, receiver.url).status for _ in range(3)] == [200, 200, 200]
    assert receiver.connections == [1, 1, 2, 2, 3]


def test_a_new_connection_that_fails_is_a_failure() -> None:
    network = Network(time.monotonic)
    with Receiver(answers()) as receiver:
        post(network, receiver.url)
        receiver.behave = Line.request
        for _ in range(2):
            with suppress(Unanswered):
                post(network, receiver.url)
    assert receiver.connections[:2] == [1, 1], "the kept one still answers"
    with Receiver(Line.request) as receiver:
        with pytest.raises(Unanswered, match="closed without an answer"):
            post(network, receiver.url)
        assert receiver.connections == [1], "and is not tried again"


def test_what_nobody_waits_for_is_not_sent_again() -> None:
    network, wire = Network(time.monotonic), Wire()

    def behave(line: Line) -> None:
        line.request()
        line.send(OK)
        line.request()
        receiver.release.wait()

    def attempt() -> None:
        with suppress(Unanswered):
            post(network, receiver.url, wire)

    with Receiver(behave) as receiver:
        post(network, receiver.url)
        ended = threading.Thread(target=attempt)
        ended.start()
        receiver.wait_for(2)
        wire.cut()
        ended.join()
        assert receiver.connections == [1, 1]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", "the answer is not HTTP"),
        (b"HTTP/3.0 200 OK\r\n\r\n", "the answer is not HTTP"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 101 + b"\r\n", "the answer has more than 100 headers"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"y" * 70_000 + b"\r\n\r\n", "the answer has a line that is too long"),
    ],
    ids=["lengths", "version", "headers", "line"],
)
def test_an_odd_head_is_the_receivers(said: bytes, why: str) -> None:
    with Receiver(answers(said)) as receiver, pytest.raises(Unanswered) as raised:
        post(Network(time.monotonic), receiver.url)
    assert str(raised.value) == why


NO_ADDRESSES = [
    "http://user:pw@localhost/", "http://user@localhost/", "http://localhost:0/", f"http://{'a' * 64}.test/",
]  # fmt: skip


@pytest.mark.parametrize("url", NO_ADDRESSES)
def test_no_endpoint_is_where_nothing_can_be_sent(url: str) -> None:
    assert not is_address(url)
    assert wire().put("/_sandbox/webhooks/target", {"url": url}).error["code"] == "IR_04"
    with pytest.raises(Unanswered, match="the URL is not valid"):
        post(Network(time.monotonic), url)
    for words in (["listen", "--forward-to", url], ["probe", url, "--secret", "x"]):
        assert CliRunner().invoke(main, words).exit_code == 2
