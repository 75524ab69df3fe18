"""A receiver that closes its connection, over TLS as without it: what is sent again, and what is said."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Event
from typing import Final

import pytest

from mock_server.cli.authority import Authority
from mock_server.clock import SystemClock
from mock_server.webhooks.signing import Headers
from mock_server.webhooks.transport import Unanswered, Wire
from mock_server.webhooks.transport_http import Network
from tests.counts import times
from tests.webhooks.receivers import OK, Behave, Line, Receiver, receiver_over_tls

HEADERS: Final[Headers] = (("Content-Type", "application/json"),)
PATIENCE_S: Final = 30.0


@pytest.fixture(scope="module")
def certificate(issuer: Authority) -> Iterator[str]:
    with issuer.leaf(("localhost",), SystemClock().now_ms()) as path:
        yield path


@pytest.fixture(autouse=True)
def _trusted(issuer: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(issuer.public))


def lined(scheme: str, behave: Behave, certificate: str) -> Receiver:
    """A receiver whose connections speak TLS, if its scheme says so."""
    return receiver_over_tls(certificate, behave) if scheme == "https" else Receiver(behave)


def url_of(scheme: str, receiver: Receiver) -> str:
    return f"{scheme}://localhost:{receiver.port}/hook"


def says_farewell(line: Line) -> None:
    """Closes as an orderly server does, over TLS with a word of it."""
    if isinstance(line.sock, ssl.SSLSocket):
        line.sock.setblocking(False)
        with suppress(OSError):  # nobody waits for the client's own farewell
            line.sock.unwrap()
    line.sock.close()


def hangs_up(line: Line) -> None:
    """Closes the connection under whatever is spoken over it."""
    line.sock.shutdown(socket.SHUT_RDWR)
    line.sock.close()


CLOSES: Final[dict[str, Callable[[Line], object]]] = {
    "farewell": says_farewell,
    "hangs up": hangs_up,
    "reset": Line.reset,
}
SCHEMES: Final = ("http", "https")


class JustThen(Wire):
    """A delivery whose kept connection is closed between the look at it and the sending."""

    def __init__(self, closing: Event, closed: Event) -> None:
        super().__init__()
        self._closing, self._closed = closing, closed

    def cut_by(self, cut: Callable[[], object]) -> None:
        super().cut_by(cut)
        self._closing.set()
        self._closed.wait()


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("how", CLOSES)
def test_a_kept_connection_that_closes_just_then_is_no_failure(certificate: str, how: str, scheme: str) -> None:
    network, count = Network(time.monotonic), times(1, soak=200)
    for _ in range(count):
        closing, closed = Event(), Event()

        def behave(line: Line, closing: Event = closing, closed: Event = closed) -> None:
            line.request()
            line.send(OK)
            if line.number == 1:
                closing.wait()
                CLOSES[how](line)
                closed.set()

        with lined(scheme, behave, certificate) as receiver:
            url = url_of(scheme, receiver)
            network.send(url, b"{}", HEADERS, PATIENCE_S, Wire())
            assert network.send(url, b"{}", HEADERS, PATIENCE_S, JustThen(closing, closed)).status == 200
            assert receiver.connections == [1, 2]


def in_the_handshake(how: str) -> Behave:
    def behave(line: Line) -> None:
        line.sock.recv(65_536)
        CLOSES[how](line)

    return behave


def in_place_of_an_answer(how: str) -> Behave:
    def behave(line: Line) -> None:
        line.request()
        CLOSES[how](line)

    return behave


@pytest.mark.parametrize("when", [in_the_handshake, in_place_of_an_answer], ids=["handshake", "answer"])
@pytest.mark.parametrize("how", CLOSES)
def test_what_is_said_of_one_that_closes_is_said_as_without_tls(
    certificate: str, how: str, when: Callable[[str], Behave]
) -> None:
    behave = when(how)
    made = Receiver(behave) if when is in_the_handshake else lined("https", behave, certificate)
    with made as receiver, pytest.raises(Unanswered) as raised:
        Network(time.monotonic).send(url_of("https", receiver), b"{}", HEADERS, PATIENCE_S, Wire())
    assert str(raised.value) in ("the connection was closed without an answer", "the connection was reset")
