"""Servers that speak TLS by an authority of a test's own, and clients that trust it."""

from __future__ import annotations

import ssl

from mock_server.cli.authority import Authority
from mock_server.clock import SystemClock
from mock_server.server import Server
from mock_server.server.tls import secure


def over_tls(server: Server, issuer: Authority, *names: str) -> Server:
    """Have a server that does not serve yet listen over TLS too."""
    with issuer.leaf(names, SystemClock().now_ms()) as path:
        server.listen_over_tls(0, secure(path))
    return server


def trusting(issuer: Authority) -> ssl.SSLContext:
    """What a client makes its connections with that trusts this authority and no other."""
    return ssl.create_default_context(cafile=issuer.public)
