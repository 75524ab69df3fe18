"""What a command advises if something answers at the sandbox's address, but not with a TLS that it trusts."""

from __future__ import annotations

import socket
from functools import partial
from typing import Final

import pytest
from click.testing import CliRunner

from mock_server.cli import main
from mock_server.cli.authority import Authority
from mock_server.clock import SystemClock
from tests.counts import SOAK
from tests.webhooks.receivers import Line, Receiver, receiver_over_tls
from tests.wire import KEY

DOORS: Final = (
    ("ready",), ("wait", "--timeout", "1ms"), ("pay", "--key", KEY), ("why", "last", "--key", KEY),
    ("export", "last", "--key", KEY), ("tail", "--no-follow", "--key", KEY), ("clock", "--key", KEY),
    ("listen", "--forward-to", "http://127.0.0.1:9", "--key", KEY),
)  # fmt: skip
START: Final = "`payment-sandbox serve` starts a sandbox"


def secured(issuer: Authority) -> Receiver:
    """Something that speaks TLS on this machine, and says nothing."""
    with issuer.leaf((), SystemClock().now_ms()) as path:
        return receiver_over_tls(path, lambda line: None)


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
