"""What a command advises if something answers at the sandbox's address, but not with a TLS that it trusts."""

from __future__ import annotations

import socket
import ssl
from contextlib import suppress
from functools import partial
from typing import Final

import pytest
from click.testing import CliRunner

from mock_server.cli import main
from mock_server.cli.authority import Authority
from mock_server.clock import SystemClock
from tests.certificates import an_authority
from tests.counts import SOAK
from tests.webhooks.receivers import Line, Receiver
from tests.wire import KEY

DOORS: Final = (
    ("ready",), ("wait", "--timeout", "1ms"), ("pay", "--key", KEY), ("why", "last", "--key", KEY),
    ("export", "last", "--key", KEY), ("tail", "--no-follow", "--key", KEY), ("clock", "--key", KEY),
    ("listen", "--forward-to", "http://127.0.0.1:9", "--key", KEY),
)  # fmt: skip
START: Final = "`payment-sandbox serve` starts a sandbox"


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return an_authority(tmp_path_factory.mktemp("state"))


def secured(issuer: Authority) -> Receiver:
    """Something that speaks TLS on this machine."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with issuer.leaf((), SystemClock().now_ms()) as path:
        context.load_cert_chain(path)

    def behave(line: Line) -> None:
        with suppress(OSError):
            line.sock = context.wrap_socket(line.sock, server_side=True)

    return Receiver(behave)


def plain(line: Line) -> None:
    line.sock.recv(65_536)
    line.send(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")


@pytest.mark.parametrize("door", DOORS if SOAK else DOORS[:1], ids=" ".join)
@pytest.mark.parametrize(
    ("way", "advised"),
    [("distrusted", "payment-sandbox ca"), ("another name", "--tls-name"), ("plain", START), ("nobody", START)],
)
def test_the_advice_is_for_what_went_wrong(
    issuer: Authority, monkeypatch: pytest.MonkeyPatch, way: str, advised: str, door: tuple[str, ...]
) -> None:
    found = partial(socket.getaddrinfo, "127.0.0.1")
    monkeypatch.setattr(socket, "getaddrinfo", lambda _, *more, **named: found(*more, **named))
    if way == "another name":
        monkeypatch.setenv("SSL_CERT_FILE", str(issuer.public))
    host = "shop.example" if way == "another name" else "localhost"
    with Receiver(plain) if way == "plain" else secured(issuer) as receiver:
        port = 1 if way == "nobody" else receiver.port
        done = CliRunner().invoke(main, [*door, "--url", f"https://{host}:{port}"])
    assert done.exit_code == 1
    assert advised in done.stderr
    assert (START in done.stderr) is (advised == START)
