"""Which transport leads to an address: those of apps in this process first, else the network."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from mock_server.webhooks.signing import Headers
from mock_server.webhooks.targets import host_of, is_allowed
from mock_server.webhooks.transport import Response, Transport, Unanswered, Wire


class Routing:
    """A transport made of others; the network's is made when it is first needed, and reaches only these hosts."""

    def __init__(self, network: Callable[[], Transport], hosts: tuple[str, ...] = ()) -> None:
        self._make = network
        self._hosts = hosts
        self._network: Transport | None = None
        self._inside: dict[str, Transport] = {}

    def connect(self, origin: str, transport: Transport) -> Callable[[], None]:
        """Leads everything for an origin (`http://app.test`) there; gives the undo."""
        self._inside[origin_of(origin)] = transport
        return lambda: self._disconnect(origin, transport)

    def _disconnect(self, origin: str, transport: Transport) -> None:
        if self._inside.get(origin_of(origin)) is transport:
            del self._inside[origin_of(origin)]

    def send(self, url: str, body: bytes, headers: Headers, timeout_s: float, wire: Wire) -> Response:
        transport = self._inside.get(origin_of(url)) if self._inside else None
        if transport is None:
            if not is_allowed(url, self._hosts):
                raise Unanswered(f"the setting webhook_hosts does not let events go to {host_of(url)}")
            transport = self._network = self._network or self._make()
        return transport.send(url, body, headers, timeout_s, wire)


def origin_of(url: str) -> str:
    """Scheme, host and port of an address."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()
