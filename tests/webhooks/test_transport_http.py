"""The network: what receivers can do to a sender, and how little that matters."""

from __future__ import annotations

import resource
import sys
import threading
import time
from contextlib import suppress

import pytest

from mock_server.webhooks.signing import Headers
from mock_server.webhooks.transport import LONGEST_EXCERPT, Response, Unanswered, Wire
from mock_server.webhooks.transport_http import IDLE_S, Network
from tests.webhooks import receivers
from tests.webhooks.receivers import Receiver, answers, unused_port

HEADERS: Headers = (("Content-Type", "application/json"), ("X-Tenant", "42"))


@pytest.fixture
def network() -> Network:
    return Network(time.monotonic)


def send(network: Network, url: str, timeout_s: float = 3600.0, body: bytes = b"{}") -> Response:
    return network.send(url, body, HEADERS, timeout_s, Wire())


def problem(network: Network, url: str, timeout_s: float = 3600.0) -> str:
    with pytest.raises(Unanswered) as raised:
        send(network, url, timeout_s)
    return str(raised.value)


def test_a_request_is_what_was_signed(network: Network) -> None:
    with Receiver() as receiver:
        answer = send(network, f"{receiver.url}?a=1", body=b'{"a": 1}')
    assert answer == Response(200, (("Content-Length", "2"),), b"ok")
    head, _, body = receiver.requests[0].partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    assert lines[0] == "POST /hook?a=1 HTTP/1.1"
    assert {"Content-Type: application/json", "X-Tenant: 42", "Content-Length: 8"} <= set(lines)
    assert body == b'{"a": 1}'


def test_a_connection_is_used_again(network: Network) -> None:
    with Receiver() as receiver:
        for _ in range(3):
            send(network, receiver.url)
    assert receiver.connections == [1, 1, 1]


def test_one_that_rested_is_not() -> None:
    now = [0.0]
    network = Network(lambda: now[0])
    with Receiver() as receiver:
        send(network, receiver.url)
        now[0] += IDLE_S + 0.1
        send(network, receiver.url)
    assert receiver.connections == [1, 2]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed(network: Network, status: int) -> None:
    with Receiver() as elsewhere:
        moved = f"HTTP/1.1 {status} Moved\r\nLocation: {elsewhere.url}\r\nContent-Length: 0\r\n\r\n"
        with Receiver(answers(moved.encode())) as receiver:
            answer = send(network, receiver.url)
    assert (answer.status, elsewhere.requests) == (status, [])
    assert ("Location", elsewhere.url) in answer.headers


@pytest.mark.parametrize(
    ("behave", "said"),
    [
        (receivers.resets, "the connection was reset"),
        (receivers.leaves, "the connection was closed without an answer"),
        (receivers.babbles, "the answer is not HTTP"),
        (receivers.sends_endless_headers, "the answer has more than 100 headers"),
        (receivers.answers(b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 70_000), "the answer has a line that is too long"),
        (receivers.cuts_its_head, "the connection was closed during the answer"),
    ],
)
def test_no_answer_has_its_sentence(network: Network, behave: receivers.Behave, said: str) -> None:
    with Receiver(behave) as receiver:
        assert problem(network, receiver.url) == said


def test_nobody_there(network: Network) -> None:
    assert problem(network, f"http://127.0.0.1:{unused_port()}/") == "the connection was refused"
    assert problem(network, "http://no-such-host.invalid/") == "the host could not be resolved"


@pytest.mark.parametrize(
    "url", ["ftp://localhost/", "http://", "http://[::1", "http://localhost:99999/", "nonsense", "http://a..b/", ""]
)
def test_what_is_no_address(network: Network, url: str) -> None:
    assert problem(network, url) == "the URL is not valid"


@pytest.mark.parametrize("header", [("X", "a\r\nb"), ("X\n", "a"), ("X", "\u20ac")])
def test_what_is_no_header(network: Network, header: tuple[str, str]) -> None:
    with Receiver() as receiver, pytest.raises(Unanswered, match="a header cannot be sent"):
        network.send(receiver.url, b"", (header,), 5.0, Wire())
    assert receiver.requests == []


def test_a_receiver_that_hangs_is_left(network: Network) -> None:
    with Receiver(receivers.hangs) as receiver:
        assert problem(network, receiver.url, 0.2) == "no answer within 0.2 s"


def test_a_gigabyte_hurts_nobody(network: Network) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with Receiver(receivers.sends_a_gigabyte) as receiver:
        answer = send(network, receiver.url)
    assert (answer.status, answer.body) == (200, b"g" * LONGEST_EXCERPT)
    unit = 1 if sys.platform == "darwin" else 1024
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * unit < 20_000_000


def test_a_body_that_never_ends_is_not_waited_for(network: Network) -> None:
    with Receiver(receivers.drips_its_body) as receiver:
        answer = send(network, receiver.url)
    assert answer.status == 200
    assert set(answer.body) == set(b"x")


def test_an_answer_that_breaks_off_is_an_answer(network: Network) -> None:
    cut = b"HTTP/1.1 202 Accepted\r\nContent-Length: 100\r\n\r\nonly this"

    def behave(line: receivers.Line) -> None:
        line.request()
        line.send(cut)

    with Receiver(behave) as receiver:
        assert send(network, receiver.url) == Response(202, (("Content-Length", "100"),), b"only this")
        receiver.behave = answers()
        assert send(network, receiver.url).status == 200


def test_whoever_waits_no_longer_can_cut_the_line(network: Network) -> None:
    """A head that comes byte by byte lets every single wait be short; only the other thread can end it."""
    wire, ended = Wire(), threading.Event()

    def wait(url: str) -> None:
        with suppress(Unanswered):
            network.send(url, b"", (), 30.0, wire)
        ended.set()

    with Receiver(receivers.drips_its_head) as receiver:
        threading.Thread(target=wait, args=(receiver.url,), daemon=True).start()
        receiver.wait_for(1)
        wire.cut()
        ended.wait()


def test_a_line_that_was_cut_before_it_began(network: Network) -> None:
    wire = Wire()
    wire.cut()
    with Receiver(receivers.hangs) as receiver, pytest.raises(Unanswered):
        network.send(receiver.url, b"", (), 30.0, wire)


def test_it_says_when_the_request_has_left(network: Network) -> None:
    with Receiver(receivers.hangs) as receiver:

        def left() -> None:
            receiver.wait_for(1)
            receiver.release.set()

        assert network.send(receiver.url, b"{}", HEADERS, 5.0, Wire(left)).status == 200


def test_chunks_are_read_to_their_end(network: Network) -> None:
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
    with Receiver(answers(chunked)) as receiver:
        assert [send(network, receiver.url).body for _ in range(2)] == [b"abcde", b"abcde"]
    assert receiver.connections == [1, 1]


def test_a_closing_answer_is_read_to_its_end(network: Network) -> None:
    def behave(line: receivers.Line) -> None:
        line.request()
        line.send(b"HTTP/1.0 200 OK\r\n\r\nbye")

    with Receiver(behave) as receiver:
        assert send(network, receiver.url).body == b"bye"


def test_an_answer_without_a_body_keeps_the_connection(network: Network) -> None:
    with Receiver(answers(b"HTTP/1.1 204 No Content\r\n\r\n")) as receiver:
        assert [send(network, receiver.url).status for _ in range(2)] == [204, 204]
    assert receiver.connections == [1, 1]


def test_plain_http_where_tls_was_meant(network: Network) -> None:
    def behave(line: receivers.Line) -> None:
        line.sock.recv(1000)
        line.send(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")

    with Receiver(behave) as receiver:
        assert problem(network, receiver.url.replace("http:", "https:")).startswith("TLS failed: ")
