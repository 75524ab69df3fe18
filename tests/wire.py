"""A client for tests: the app through its front door, without a socket, under a clock that stands still."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from io import BytesIO
from typing import Any, Final

from flask import Flask
from werkzeug.test import create_environ

from mock_server.app import create_app
from mock_server.contract.dialect import Dialect
from mock_server.domain.api_keys import ApiKey, parse
from mock_server.sandbox import Sandbox, build
from mock_server.server.wsgi import AppReply, close_iterable
from mock_server.settings import Settings
from mock_server.store.memory import Store
from tests.clocks import ManualClock
from tests.dialects import public
from tests.openapi.agreeing import agree

KEY = "snd_test_0123456789"
PUBLISHABLE = "pk_snd_test_0123456789"


HEARD_BY: Final[list[Callable[[str, str, bytes, Reply], None]]] = []
"""Who hears of every call and its answer (tests/recording.py)."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back."""

    status: int
    raw: bytes
    headers: dict[str, str]

    @property
    def json(self) -> Any:
        return json.loads(self.raw)

    @property
    def error(self) -> dict[str, Any]:
        """The error inside the envelope."""
        found: dict[str, Any] = self.json["error"]
        return found

    def __getitem__(self, name: str) -> Any:
        return self.json[name]


class Wire:
    """One merchant's client."""

    def __init__(self, app: Flask, sandbox: Sandbox, key: str | None = KEY) -> None:
        self.app = app
        self.sandbox = sandbox
        self.key = key
        self.speaks: Dialect | None = None
        """The dialect of this client's workspace, where it is not the server's."""

    def as_key(self, key: str | None) -> Wire:
        """The same server, another key."""
        return Wire(self.app, self.sandbox, key)

    def page(self) -> Wire:
        """A browser of the same merchant, whose secret key was used."""
        key = parse(self.key)
        assert isinstance(key, ApiKey)
        self.sandbox.workspace(key)
        return self.as_key(key.twin().text)

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        raw: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> Reply:
        """Sends one call; `body` goes as JSON, `raw` as it is."""
        sent = {"Content-Type": "application/json", **({"api-key": self.key} if self.key else {}), **(headers or {})}
        data = raw if raw is not None else (json.dumps(body).encode() if body is not None else b"")
        reply = called(self.app, method, path, data, sent)
        speaks = self.speaks or self.sandbox.dialect
        agree(method, path, reply.status, reply.raw, reply.headers, speaks)
        if speaks.name == "hyperswitch":
            public.agree(method, path, reply.status, reply.raw)
        for hear in HEARD_BY:
            hear(method, path, data, reply)
        return reply

    def get(self, path: str, **headers: str) -> Reply:
        return self.call("GET", path, headers=_dashed(headers))

    def post(self, path: str, body: object = None, **headers: str) -> Reply:
        return self.call("POST", path, body, headers=_dashed(headers))

    def put(self, path: str, body: object = None, **headers: str) -> Reply:
        return self.call("PUT", path, body, headers=_dashed(headers))

    def delete(self, path: str, body: object = None, **headers: str) -> Reply:
        return self.call("DELETE", path, body, headers=_dashed(headers))

    def pay(self, card: str = "success", **fields: Any) -> Reply:
        """Creates and confirms a card payment, by the card's number or its name in the table."""
        return self.post("/payments", {**card_payment(card), "confirm": True, **fields})


def called(app: Flask, method: str, path: str, data: bytes, headers: dict[str, str]) -> Reply:
    """Calls the app as Flask's test client does; for a plain path without its builder of requests, which takes long."""
    if not _IS_PLAIN(path):
        with app.test_client() as client:
            answer = client.open(path, method=method, data=data, headers=headers)
            return sendable(Reply(answer.status_code, answer.get_data(), dict(answer.headers)))
    where, _, query = path.partition("?")
    environ = {
        **_ENVIRON, "REQUEST_METHOD": method, "PATH_INFO": where, "QUERY_STRING": query, "RAW_URI": path,
        "REQUEST_URI": path, "CONTENT_TYPE": "", "CONTENT_LENGTH": str(len(data)), "wsgi.input": BytesIO(data),
        "wsgi.errors": sys.stderr,
    }  # fmt: skip
    for name, value in headers.items():
        key = name.upper().replace("-", "_")
        environ[key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"] = value
    reply = AppReply()
    body = app(environ, reply)
    try:
        raw = b"".join(body)
    finally:
        close_iterable(body)
    return sendable(Reply(int(reply.status[:3]), reply.body + raw, dict(reply.fields)))


def sendable(reply: Reply) -> Reply:
    """The reply, as long as a server can send its headers: WSGI gives any text, and sockets take one byte a sign."""
    for name, value in reply.headers.items():
        assert (name + value).encode("latin-1", "replace").decode("latin-1") == name + value, name
        assert not re.search("[\0-\x08\x0a-\x1f]", name + value), name
    return reply


_IS_PLAIN: Final = re.compile(r"(/[\w.~-]+)+/?(\?[\w.~=&*:,+-]*)?", re.ASCII).fullmatch
_ENVIRON: Final = {
    "HTTP_USER_AGENT": f"Werkzeug/{version('werkzeug')}", "HTTP_HOST": "localhost",
    **create_environ(), "REMOTE_ADDR": "127.0.0.1",
}  # fmt: skip
"""In the order in which Flask's client has the headers, as the journal keeps it."""


def _dashed(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


def card_payment(card: str = "success", **fields: Any) -> dict[str, Any]:
    """The body of a card payment; unconfirmed."""
    from mock_server.domain.cards import by_name

    row = by_name(card)
    return {
        "amount": 6540,
        "currency": "USD",
        "profile_id": "pro_shop",
        "payment_method": "card",
        "payment_method_type": "credit",
        "payment_method_data": {"card": card_data(row.number if row else card)},
        **fields,
    }


def card_data(number: str = "4242424242424242", **fields: Any) -> dict[str, Any]:
    """A card as a customer types it."""
    return {"card_number": number, "card_exp_month": "03", "card_exp_year": "2035", "card_cvc": "737", **fields}


def wire(
    *, clock: ManualClock | None = None, store: Store | None = None, dialect: Dialect | None = None, **settings: Any
) -> Wire:
    """A fresh server and a client for it."""
    made = Settings(**{"seed": "tests", "rate_limit": 0, **settings})
    sandbox = build(made, clock=clock or ManualClock(), store=store, dialect=dialect)
    return Wire(create_app(sandbox), sandbox)
