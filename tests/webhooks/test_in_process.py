"""Receivers that are apps in this process, and the way to them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from typing import Any

import pytest
from flask import Flask, Response, request

from mock_server.webhooks.signing import HEADER
from mock_server.webhooks.transport import (
    LONGEST_EXCERPT,
    AsgiTransport,
    Routing,
    Transport,
    Unanswered,
    Wire,
    WsgiTransport,
)
from mock_server.webhooks.transport import Response as Answered
from tests.webhooks.shops import HOOK, mall

URL = "https://shop.test:8443/a%20path/%C3%A9?q=1&q=2"
HEADERS = (("Content-Type", "application/json"), ("X-Tenant", "42"))


def flask_app() -> Flask:
    """A shop as people write it."""
    app = Flask("shop")

    @app.post("/<path:path>")
    def receive(path: str) -> Response:
        seen = {
            "path": path,
            "query": request.args.getlist("q"),
            "json": request.get_json(),
            "tenant": request.headers["X-Tenant"],
            "host": request.host,
            "scheme": request.scheme,
        }
        return Response(json.dumps(seen), 202, {"X-Seen": "yes"})

    return app


def test_a_wsgi_app_sees_an_ordinary_request() -> None:
    sent: list[str] = []
    answer = WsgiTransport(flask_app()).send(URL, b'{"a":1}', HEADERS, 5.0, Wire(lambda: sent.append("sent")))
    assert (answer.status, dict(answer.headers)["X-Seen"], sent) == (202, "yes", ["sent"])
    assert json.loads(answer.body) == {
        "path": "a path/é",
        "query": ["1", "2"],
        "json": {"a": 1},
        "tenant": "42",
        "host": "shop.test:8443",
        "scheme": "https",
    }


async def asgi_app(scope: Any, receive: Any, send: Any) -> None:
    """The same, by hand."""
    message = await receive()
    assert (message["type"], message["more_body"]) == ("http.request", False)
    gone = asyncio.ensure_future(receive())
    await asyncio.sleep(0)
    assert not gone.done(), "who waits for an answer has not hung up"
    headers = {name.decode(): value.decode() for name, value in scope["headers"]}
    seen = {
        "type": scope["type"],
        "method": scope["method"],
        "path": scope["path"],
        "query": scope["query_string"].decode(),
        "json": json.loads(message["body"]),
        "tenant": headers["x-tenant"],
        "host": headers["host"],
        "scheme": scope["scheme"],
        "raw_path": scope["raw_path"].decode(),
        "server": scope["server"],
    }
    await send({"type": "http.response.start", "status": 202, "headers": [(b"x-seen", b"yes")]})
    await send({"type": "http.response.body", "body": json.dumps(seen).encode(), "more_body": True})
    await send({"type": "http.response.body"})
    assert (await gone)["type"] == (await receive())["type"] == "http.disconnect"


def test_an_asgi_app_sees_an_ordinary_request() -> None:
    answer = AsgiTransport(asgi_app).send(URL, b'{"a":1}', HEADERS, 5.0, Wire())
    assert (answer.status, answer.headers) == (202, (("x-seen", "yes"),))
    assert json.loads(answer.body) == {
        "type": "http",
        "method": "POST",
        "path": "/a path/é",
        "query": "q=1&q=2",
        "json": {"a": 1},
        "tenant": "42",
        "host": "shop.test:8443",
        "scheme": "https",
        "raw_path": "/a%20path/%C3%A9",
        "server": ["shop.test", 8443],
    }


# trouble


def raising(environ: Any, start_response: Any) -> Iterable[bytes]:
    raise KeyError("secret text")


def silent(environ: Any, start_response: Any) -> Iterable[bytes]:
    return [b"no status"]


def endless(environ: Any, start_response: Any) -> Iterable[bytes]:
    start_response("200 OK", [])
    while True:
        yield b"x" * 1000


async def alengthy(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for more in (*[True] * (2 * LONGEST_EXCERPT // 1000), False):
        await send({"type": "http.response.body", "body": b"x" * 1000, "more_body": more})


async def araising(scope: Any, receive: Any, send: Any) -> None:
    raise KeyError("secret text")


async def asilent(scope: Any, receive: Any, send: Any) -> None:
    await receive()


async def abreaking(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"the beginning", "more_body": True})


async def aheadless(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})


async def ahanging(scope: Any, receive: Any, send: Any) -> None:
    await asyncio.Event().wait()


@pytest.mark.parametrize(
    ("transport", "said"),
    [
        (WsgiTransport(raising), "the app raised KeyError"),
        (WsgiTransport(silent), "the app did not start its answer"),
        (AsgiTransport(araising), "the app raised KeyError"),
        (AsgiTransport(asilent), "the app did not start its answer"),
        (AsgiTransport(abreaking), "the app did not end its answer"),
        (AsgiTransport(aheadless), "the app did not end its answer"),
        (AsgiTransport(ahanging), "no answer within 0.1 s"),
    ],
)
def test_an_app_in_trouble_has_its_sentence(transport: Transport, said: str) -> None:
    with pytest.raises(Unanswered) as raised:
        transport.send(URL, b"{}", HEADERS, 0.1, Wire())
    assert str(raised.value) == said


def test_an_endless_answer_ends() -> None:
    closed: list[str] = []

    def app(environ: Any, start_response: Any) -> Iterable[bytes]:
        try:
            yield from endless(environ, start_response)
        finally:
            closed.append("closed")

    answer = WsgiTransport(app).send(URL, b"{}", HEADERS, 5.0, Wire())
    assert (len(answer.body), closed) == (LONGEST_EXCERPT, ["closed"])


def test_only_the_beginning_of_a_long_answer_is_kept() -> None:
    assert len(AsgiTransport(alengthy).send(URL, b"{}", HEADERS, 5.0, Wire()).body) == LONGEST_EXCERPT


# the way to them


class Named:
    """A transport that says who it is."""

    def __init__(self, name: str) -> None:
        self.name = name

    def send(self, url: str, body: bytes, headers: Any, timeout_s: float, wire: Wire) -> Answered:
        return Answered(200, (), self.name.encode())


def test_an_origin_leads_to_its_app_and_everything_else_to_the_network() -> None:
    made: list[str] = []

    def network() -> Named:
        made.append("network")
        return Named("network")

    routing = Routing(network, ("allowed.test",))

    def who(url: str) -> bytes:
        return routing.send(url, b"", (), 1.0, Wire()).body

    first = routing.connect("http://App.test:80", Named("first"))
    assert (who("http://app.test:80/x?y"), made) == (b"first", [])
    second = routing.connect("http://app.test:80/", Named("second"))
    assert who("http://app.test:80/x") == b"second"
    first()
    assert who("http://app.test:80/x") == b"second"
    second()
    with pytest.raises(Unanswered, match="webhook_hosts"):
        who("http://app.test:80/x")
    assert [who("https://allowed.test/"), who("http://allowed.test/")] == [b"network", b"network"]
    assert made == ["network"]


def test_a_flask_app_of_a_test_takes_the_events_of_a_workspace() -> None:
    shopping = mall()
    app, seen = Flask("shop"), []

    @app.post("/hook")
    def receive() -> str:
        seen.append((request.get_json()["event_type"], HEADER in request.headers))
        return "thanks"

    undo = shopping.api.sandbox.post.routing.connect(HOOK, WsgiTransport(app))
    shopping.api.pay()
    shopping.deliver()
    undo()
    assert seen == [("payment_succeeded", True)]
    assert shopping.attempts()[0].response_body == "thanks"
