"""The same server over TLS: what is owed over a plain line is owed here, and no client's handshake holds the others."""

from __future__ import annotations

import os
import shutil
import socket
import ssl
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from mock_server.cli.authority import Authority
from mock_server.clock import SystemClock
from mock_server.domain.faults import LineFault, LinePlan
from mock_server.server import Server
from mock_server.server.tls import secure
from tests.certificates import over_tls, trusting
from tests.clocks import ManualClock
from tests.counts import SOAK
from tests.running import until
from tests.server import test_line_seen
from tests.server.planned import BODY, planned
from tests.server.wire import App, Wire, echo, settle

Secured = Callable[..., Server]
HELLO: Final = bytes.fromhex("160301")
"""How a client's first record begins."""


@pytest.fixture(scope="module")
def trusted(issuer: Authority) -> ssl.SSLContext:
    return trusting(issuer)


@pytest.fixture
def secured(issuer: Authority) -> Iterator[Secured]:
    """Make servers that speak TLS too, and run until the test ends."""
    with ExitStack() as stack:

        def make(app: App = echo, **settings: Any) -> Server:
            return stack.enter_context(over_tls(Server(app, **settings), issuer))

        yield make


def raw(server: Server) -> socket.socket:
    """A connection to the port of TLS that does not speak it by itself."""
    return socket.create_connection(("127.0.0.1", server.tls_port or 0))


def test_both_ports_are_served_and_each_call_knows_its_own(secured: Secured, trusted: ssl.SSLContext) -> None:
    def says(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        start_response("200 OK", [])
        return [f"{environ['wsgi.url_scheme']} {environ['SERVER_PORT']}".encode()]

    server = secured(says)
    assert server.tls_address == f"https://127.0.0.1:{server.tls_port}"
    with Wire(server) as plain, Wire(server, tls=trusted) as wire:
        assert plain.get().got().body == f"http {server.port}".encode()
        assert wire.get().got().body == f"https {server.tls_port}".encode()


def test_a_connection_serves_many_calls_also_sent_ahead(secured: Secured, trusted: ssl.SSLContext) -> None:
    with Wire(secured(), tls=trusted) as wire:
        for number in range(3):
            assert wire.get(f"/{number}").got().body == f"GET /{number} ".encode()
        calls = b"".join(b"GET /%d HTTP/1.1\r\nHost: x\r\n\r\n" % number for number in range(3000))
        wire.send(calls)  # several records, and calls that end in the next one
        assert [wire.got().body for _ in range(3000)] == [b"GET /%d " % number for number in range(3000)]


@pytest.mark.parametrize("size", [0, 1, 16_383, 16_384, 16_385, 1_000_000])
def test_bodies_of_all_sizes_come_and_go(secured: Secured, trusted: ssl.SSLContext, size: int) -> None:
    body = os.urandom(size)
    with Wire(secured(), tls=trusted, receive_buffer=4096) as wire:
        assert wire.post(body).got().body == b"POST / " + body
        assert wire.get("/next").got().body == b"GET /next "


def test_a_client_that_reads_slowly_is_waited_for_as_long_as_it_reads(
    secured: Secured, trusted: ssl.SSLContext
) -> None:
    def big(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        start_response("200 OK", [])
        return [b"x" * 10_000_000]

    clock = ManualClock()
    server = secured(big, clock=clock)
    with Wire(server, tls=trusted, receive_buffer=4096).get() as wire:
        wire.head()
        for _ in range(4):
            with Wire(server) as other:
                clock.advance(15_000)
                other.get(method="HEAD").head()
            wire.take(2_000_000)
        assert len(wire.take(2_000_000)) == 2_000_000


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        HELLO,
        HELLO + b"\x02\x00\x01",
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"\x16\x03\x01\x40\x00" + b"\x01" * 200,
        os.urandom(64),
    ],
    ids=["nothing", "three bytes", "no more than a hello's begin", "plain HTTP", "nonsense in a record", "noise"],
)
def test_a_handshake_that_does_not_come_to_its_end_holds_nobody(
    secured: Secured, trusted: ssl.SSLContext, sent: bytes
) -> None:
    server = secured()
    with ExitStack() as stack:
        for _ in range(20):
            stack.enter_context(raw(server)).sendall(sent)
        with Wire(server, tls=trusted) as wire:
            assert wire.get("/a").got().body == b"GET /a "
        with Wire(server) as plain:
            assert plain.get("/b").got().body == b"GET /b "


@pytest.mark.parametrize("end", ["leaves", "breaks off"])
def test_a_client_that_goes_in_its_handshake_is_forgotten(secured: Secured, end: str) -> None:
    server = secured()
    with raw(server) as sock:
        sock.sendall(HELLO)
        if end == "breaks off":
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    until(lambda: not server._service.connections)


def test_clients_that_broke_off_before_they_were_let_in_leave_nothing(
    issuer: Authority, trusted: ssl.SSLContext
) -> None:
    server = over_tls(Server(echo), issuer)
    for sent in (b"", HELLO) * 10:
        with raw(server) as sock:
            sock.sendall(sent)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    with server, Wire(server, tls=trusted) as wire:
        assert wire.get("/a").got().body == b"GET /a "


def test_a_handshake_has_as_long_as_an_idle_client(secured: Secured) -> None:
    clock = ManualClock()
    server = secured(clock=clock)
    with raw(server) as sock:
        for byte in (*HELLO, 2):  # more of it comes now and then, which makes it no longer
            sock.sendall(bytes([byte]))
            settle(server)
            clock.advance(19_000)
            settle(server)
        assert sock.recv(1) == b""


def test_a_handshake_in_single_bytes_comes_to_its_end(secured: Secured, trusted: ssl.SSLContext) -> None:
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = trusted.wrap_bio(incoming, outgoing, server_hostname="localhost")
    with raw(secured()) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while True:
            try:
                client.do_handshake()
                break
            except ssl.SSLWantReadError:
                for byte in outgoing.read():
                    sock.sendall(bytes([byte]))
                incoming.write(sock.recv(65_536))
        assert client.version() == "TLSv1.3"


def test_clients_choose_http_1_1_and_nothing_older_than_tls_1_2(secured: Secured, issuer: Authority) -> None:
    server = secured()
    context = trusting(issuer)
    context.set_alpn_protocols(["h2", "http/1.1"])
    with Wire(server, tls=context) as wire:
        assert isinstance(wire.sock, ssl.SSLSocket)
        assert wire.sock.selected_alpn_protocol() == "http/1.1"
    old = trusting(issuer)
    old.maximum_version = ssl.TLSVersion.TLSv1_2
    with Wire(server, tls=old) as wire:
        assert wire.get("/a").got().body == b"GET /a "


# What happens on the line.


def test_a_reset_is_one_of_tcp(secured: Secured, trusted: ssl.SSLContext) -> None:
    with Wire(secured(planned(LinePlan(fault=LineFault.CONNECTION_RESET))), tls=trusted) as wire:
        wire.get("/plan")
        # Below TLS, which would tell no reset from an end: first come the session's tickets.
        with socket.socket(fileno=os.dup(wire.sock.fileno())) as below, pytest.raises(ConnectionResetError):
            b"".join(iter(partial(below.recv, 65_536), b""))


def test_an_answer_that_never_begins_ends_in_good_order(secured: Secured, trusted: ssl.SSLContext) -> None:
    with Wire(secured(planned(LinePlan(fault=LineFault.EMPTY_RESPONSE))), tls=trusted) as wire:
        assert wire.get("/plan").rest() == b""


def test_a_cut_answer_ends_in_good_order(secured: Secured, trusted: ssl.SSLContext) -> None:
    with Wire(secured(planned(LinePlan(fault=LineFault.TRUNCATED_BODY, keep=0.5))), tls=trusted) as wire:
        assert wire.get("/plan").head().fields["content-length"] == str(len(BODY))
        assert wire.rest() == BODY[: len(BODY) // 2]


def test_a_hang_ends_with_the_server(secured: Secured, trusted: ssl.SSLContext) -> None:
    server = secured(planned(LinePlan(fault=LineFault.HANG)))
    with Wire(server, tls=trusted).get("/plan") as wire, raw(server):
        settle(server)
        server.shutdown()
        assert wire.rest() == b""


SEEN: Final = [
    (LineFault.CONNECTION_RESET, 56),
    (LineFault.EMPTY_RESPONSE, 52),
    (LineFault.TRUNCATED_BODY, 18),
    (LineFault.MALFORMED_JSON, 0),
    (LineFault.SLOW_BODY, 0),
    (LineFault.HANG, 28),
]


@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
@pytest.mark.parametrize(("fault", "code"), SEEN)
def test_curl_reports_what_it_reports_of_a_plain_line(
    secured: Secured, issuer: Authority, fault: LineFault, code: int
) -> None:
    server = secured(planned(LinePlan(fault=fault, pieces=3, pause_s=0.01)))
    patience = ["-m", "0.5"] if fault is LineFault.HANG else []
    command = ["curl", "-s", *patience, "--cacert", str(issuer.public), f"{server.tls_address}/plan"]
    assert subprocess.run(command, capture_output=True, check=False, env={"no_proxy": "*"}).returncode == code


@pytest.mark.parametrize("row", test_line_seen.SEEN if SOAK else test_line_seen.SEEN[:1], ids=lambda row: row[0])
def test_python_reports_what_it_reports_of_a_plain_line_but_for_a_reset(
    secured: Secured, issuer: Authority, monkeypatch: pytest.MonkeyPatch, row: tuple[LineFault, str, str, str]
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(issuer.public))
    fault, urllib3_sees, httpx_sees, _ = row
    url = f"{secured(planned(LinePlan(fault=fault, pieces=3, pause_s=0.01))).tls_address}/plan"
    patience_s = 0.5 if fault is LineFault.HANG else None
    assert test_line_seen.by_urllib3(url, patience_s) == urllib3_sees
    is_reset = fault is LineFault.CONNECTION_RESET  # which Python's ssl reads as the end of the connection
    assert test_line_seen.by_httpx(url, patience_s) == ("RemoteProtocolError" if is_reset else httpx_sees)


def test_the_end_of_a_body_without_a_length_is_said(secured: Secured, trusted: ssl.SSLContext) -> None:
    server = secured(planned(LinePlan(), None))
    with Wire(server, b"GET /lazy HTTP/1.0\r\n\r\n", tls=trusted) as wire:
        assert wire.got().body == b"lazy"  # an end without a farewell would be an error here


def test_a_client_that_breaks_off_ends_its_call(secured: Secured, trusted: ssl.SSLContext) -> None:
    server = secured(planned(LinePlan(delay_s=3600)))
    with Wire(server, tls=trusted).get("/plan") as wire:
        settle(server)
        wire.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    until(lambda: not server._service.connections)


def test_a_client_that_closes_its_own_side_gets_its_answer(secured: Secured, trusted: ssl.SSLContext) -> None:
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = trusted.wrap_bio(incoming, outgoing, server_hostname="localhost")
    with raw(secured()) as sock:

        def carried_on(step: Callable[[], Any]) -> Any:
            while True:
                try:
                    return step()
                except ssl.SSLWantReadError:
                    sock.sendall(outgoing.read())
                    incoming.write(sock.recv(65_536))

        carried_on(client.do_handshake)
        client.write(b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
        with pytest.raises(ssl.SSLWantReadError):
            client.unwrap()
        sock.sendall(outgoing.read())
        assert carried_on(lambda: client.read(65_536)).endswith(b"GET /a ")


# Certificates.


def test_a_certificate_and_key_in_two_files(issuer: Authority, trusted: ssl.SSLContext, tmp_path: Path) -> None:
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    with issuer.leaf((), SystemClock().now_ms()) as path:
        both = Path(path).read_bytes()
    end = both.index(b"-----BEGIN CERTIFICATE")
    key.write_bytes(both[:end])
    certificate.write_bytes(both[end:])
    server = Server(echo)
    server.listen_over_tls(0, secure(str(certificate), str(key)))
    with server, Wire(server, tls=trusted) as wire:
        assert wire.get("/a").got().body == b"GET /a "


def test_a_port_that_is_taken_is_an_error(issuer: Authority) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        server = Server(echo)
        with issuer.leaf((), 0) as path, pytest.raises(OSError, match="in use"):
            server.listen_over_tls(other.getsockname()[1], secure(path))
        server.shutdown()


def test_a_handshake_that_the_client_refuses_is_logged_with_its_reason(
    secured: Secured, caplog: pytest.LogCaptureFixture
) -> None:
    server = secured()
    stranger = ssl.create_default_context()
    with raw(server) as sock, pytest.raises(ssl.SSLCertVerificationError):
        stranger.wrap_socket(sock, server_hostname="localhost")
    until(lambda: caplog.messages)
    (message,) = caplog.messages
    assert "refused the TLS handshake: unknown ca" in message
    assert "payment-sandbox ca" in message


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT"])
def test_a_client_that_speaks_plain_http_is_logged(
    secured: Secured, caplog: pytest.LogCaptureFixture, method: str
) -> None:
    with raw(secured()) as sock:
        sock.sendall(f"{method} / HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        until(lambda: caplog.messages)
    assert caplog.messages == ["a client spoke plain HTTP to the port for TLS"]


def test_a_client_that_only_hangs_up_is_not_logged(
    secured: Secured, trusted: ssl.SSLContext, caplog: pytest.LogCaptureFixture
) -> None:
    server = secured()
    raw(server).close()
    with raw(server) as sock, trusted.wrap_socket(sock, server_hostname="localhost") as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert line.recv(100).startswith(b"HTTP/1.1 200")
    assert caplog.messages == []
