"""A sandbox at two addresses, whose clock stands still, and everything that it is asked."""

from __future__ import annotations

import json
from collections.abc import Iterable
from io import BytesIO
from typing import Any, Final
from wsgiref.types import StartResponse, WSGIEnvironment

from mock_server.app import create_app
from mock_server.connections import Http
from mock_server.sandbox import build
from mock_server.server import Server
from mock_server.settings import Settings
from tests.clocks import ManualClock

KEY, OTHER = "snd_overheard_one", "snd_overheard_other"
RECEIVER: Final = "/receiver"
"""Below this path a receiver of webhooks answers instead."""
PAID: Final = {
    "payment_id": "pay_x", "amount": 6540, "currency": "USD", "profile_id": "pro_x", "confirm": True,
    "payment_method": "card", "payment_method_data": {"card": {
        "card_number": "4242424242424242", "card_exp_month": "12", "card_exp_year": "2099", "card_cvc": "123",
    }},
}  # fmt: skip
HELD: Final = {**PAID, "payment_id": "pay_held", "capture_method": "manual"}  # which a verdict advises to capture
_HEARD: Final = (
    "HTTP_HOST", "REQUEST_METHOD", "PATH_INFO", "QUERY_STRING", "HTTP_API_KEY", "HTTP_X_SANDBOX_SCENARIO",
    "HTTP_X_SANDBOX_TOKEN", "HTTP_X_SANDBOX_LABEL", "HTTP_X_IDEMPOTENCY_KEY", "HTTP_X_OTHER", "CONTENT_TYPE",
)  # fmt: skip


class Overheard:
    """Listens while its block is entered."""

    def __init__(self) -> None:
        self.calls: list[tuple[object, ...]] = []
        self._is_changed = True
        self._app = create_app(build(Settings(seed="overheard"), clock=ManualClock()))
        self.one, self.other = (Server(self._heard, slow=lambda path: True) for _ in range(2))
        self.http = Http(self.one.address, keeps=True)

    def __enter__(self) -> Overheard:
        self.one.start()
        self.other.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.http.close()
        self.one.shutdown()
        self.other.shutdown()

    def _heard(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        body = environ["wsgi.input"].read()
        environ["wsgi.input"] = BytesIO(body)
        self.calls.append((*(environ.get(name) for name in _HEARD), body))
        self._is_changed = self._is_changed or environ["REQUEST_METHOD"] != "GET"
        if environ["PATH_INFO"].startswith(RECEIVER):
            start_response("200 OK", [("Content-Length", "0")])
            return ()
        return self._app(environ, start_response)

    def begin(self) -> None:
        """The same state again: in two workspaces a payment and an authorization, and a snapshot of the first."""
        for key in (KEY, OTHER) if self._is_changed else ():
            self.ask("POST", "/_sandbox/reset", {"seed": "x", "name": "x"}, key)
            self.ask("POST", "/payments", HELD, key)
            self.ask("POST", "/payments", PAID, key)
        self.ask("PUT", "/_sandbox/snapshots/paid")
        self.calls, self._is_changed = [], False

    def ask(self, method: str, path: str, body: Any = None, key: str = KEY) -> bytes:
        """The body of the answer."""
        headers = {"api-key": key, "Content-Type": "application/json"}
        return self.http.call(method, path, json.dumps(body or {}).encode(), headers, 5.0).body
