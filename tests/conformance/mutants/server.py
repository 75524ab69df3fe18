"""A sandbox behind a real socket into which one mutant after another is put."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from mock_server.app import create_app
from mock_server.cli.conformance import listening
from mock_server.clock import SystemClock
from mock_server.conformance.target import ConformanceTarget, Means, WebhookListener
from mock_server.contract.operations import may_take_long
from mock_server.sandbox import build
from mock_server.server import Server
from mock_server.settings import Settings
from mock_server.webhooks.transport import Response, Transport, Wire
from mock_server.webhooks.transport_http import Network
from tests.conformance.mutants.calls import around
from tests.conformance.mutants.mutant import Headers, Mutant, Out

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

SOUND: Final = Mutant("sound", "There is no mistake.", ())
LARGE: Final = 64 << 20
"""The socket takes any body, so that the app refuses what is too large, where a mutant can change that."""

PATIENCE_S: Final = 1.0
"""How long a webhook is waited for that a mutant may have swallowed."""
NO_LIMIT_S: Final = 3600.0
"""Where nothing is swallowed every webhook comes, on a busy machine late."""


def names() -> Iterator[str]:
    while True:
        yield uuid.uuid4().hex[:16]


class MutantServer:
    """Serves `mutant`, which may be changed between calls."""

    def __init__(self) -> None:
        self.mutant = SOUND
        self._sandbox = build(Settings())
        self._app = create_app(self._sandbox)
        self._server = Server(self._serve, "127.0.0.1", 0, slow=may_take_long, max_body=LARGE, on_log=self._note)
        self.stumbled: list[str] = []
        """What went wrong in a mutant itself, which is no way to be caught."""
        self._network: Transport = Network(SystemClock().monotonic)
        self._sandbox.start()
        self._server.start()
        self.target = ConformanceTarget(url=self._server.address)
        self.means = Means(SystemClock(), names(), self._listening)

    def stop(self) -> None:
        self._server.shutdown(0.01)
        self._sandbox.stop()

    def _note(self, what: str, error: Exception | None) -> None:
        self.stumbled.append(f"{self.mutant.name}: {what}: {error!r}")

    def _serve(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        return around(self._app, self.mutant.calls)(environ, start_response)

    @contextmanager
    def _listening(self, host: str) -> Iterator[WebhookListener]:
        """A listener whose webhooks go through the mutant."""
        with listening(host, NO_LIMIT_S if self.mutant is SOUND else PATIENCE_S) as listener:
            undo = self._sandbox.post.routing.connect(listener.origin, self)
            try:
                yield listener
            finally:
                undo()

    def send(self, url: str, body: bytes, headers: Headers, timeout_s: float, wire: Wire) -> Response:
        """Carries a webhook, as the mutant does it."""

        def through(out: Out) -> int:
            return self._network.send(out.url, out.body, tuple(out.headers.items()), timeout_s, wire).status

        return Response(self.mutant.webhooks(Out(url, body, dict(headers)), through))
