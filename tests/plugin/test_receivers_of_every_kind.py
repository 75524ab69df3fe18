"""Every kind of receiver gets an event through every door of the fixture: once, well signed, and its answer back."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final, NamedTuple

import flask
import httpx
import httpx2
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from mock_server.testing import Sandbox

PATH: Final = "/hooks/pay"
OF_TESTS: Final = ("testserver", "localhost")
"""The names under which the test clients of the frameworks call: an app under test allows them, and maybe no others."""


class Till:
    """Takes events of one secret; `seen` has their types."""

    def __init__(self, secret: str) -> None:
        self.secret = secret
        self.seen: list[str] = []

    def take(self, body: bytes, signature: str | None) -> int:
        wanted = hmac.new(self.secret.encode(), body, hashlib.sha512).hexdigest()
        if not hmac.compare_digest(wanted, signature or ""):
            return 401
        self.seen.append(json.loads(body)["event_type"])
        return 202


def flask_app(till: Till) -> Any:
    app = flask.Flask("shop")

    @app.post(PATH)
    def receive() -> tuple[str, int]:
        return "taken", till.take(flask.request.get_data(), flask.request.headers.get("X-Webhook-Signature-512"))

    return app


def flask_app_of_known_hosts(till: Till) -> Any:
    """As Django, which allows `testserver` in tests and answers 400 under any other name."""
    app = flask_app(till)
    app.config["TRUSTED_HOSTS"] = OF_TESTS
    return app


def starlette_app(till: Till, kind: type[Starlette] = Starlette, **more: Any) -> Any:
    async def receive(request: Request) -> Response:
        return PlainTextResponse(
            "taken", till.take(await request.body(), request.headers.get("X-Webhook-Signature-512"))
        )

    return kind(routes=[Route(PATH, receive, methods=["POST"])], **more)


class Decorating(Starlette):
    """As FastAPI, whose app has a method `post` for its routes."""

    def post(self, path: str, **options: Any) -> Callable[[Any], Any]:
        raise AssertionError("a route is declared")


def fastapi_like(till: Till) -> Any:
    return starlette_app(till, Decorating)


def with_middleware(till: Till) -> Any:
    async def passing(request: Request, call_next: Any) -> Any:
        return await call_next(request)

    return starlette_app(till, middleware=[Middleware(BaseHTTPMiddleware, dispatch=passing)])


def of_known_hosts(till: Till) -> Any:
    return starlette_app(till, middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=OF_TESTS)])


def streaming(till: Till) -> Any:
    async def receive(request: Request) -> Response:
        status = till.take(await request.body(), request.headers.get("X-Webhook-Signature-512"))

        async def pieces() -> AsyncIterator[str]:
            for piece in ("ta", "ken"):
                await asyncio.sleep(0)
                yield piece

        return StreamingResponse(pieces(), status)

    return Starlette(routes=[Route(PATH, receive, methods=["POST"])])


async def whole(receive: Any) -> bytes:
    body, is_more = b"", True
    while is_more:
        message = await receive()
        body, is_more = body + message["body"], message.get("more_body", False)
    return body


def watching(till: Till) -> Any:
    """As Django and Quart: the client's hanging up ends the work."""

    async def answer(body: bytes, headers: dict[bytes, bytes], send: Any) -> None:
        for _ in range(100):
            await asyncio.sleep(0)
        status = till.take(body, headers.get(b"x-webhook-signature-512", b"").decode())
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": b"taken"})

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and scope["path"] == PATH:
            body = await whole(receive)
            work = asyncio.ensure_future(answer(body, dict(scope["headers"]), send))
            gone = asyncio.ensure_future(receive())
            _, left = await asyncio.wait((work, gone), return_when=asyncio.FIRST_COMPLETED)
            for one in left:
                one.cancel()
            await asyncio.gather(work, gone, return_exceptions=True)

    return app


def listening_on(till: Till) -> Any:
    """Waits for the end of the connection after its answer, as apps that stream do."""
    inner = watching(till)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        body = await whole(receive)
        again = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def first() -> Any:
            return next(again, None) or await receive()

        await inner(scope, first, send)
        assert (await receive())["type"] == "http.disconnect"

    return app


WSGI: Final = (flask_app, flask_app_of_known_hosts)
ASGI: Final = (starlette_app, fastapi_like, with_middleware, of_known_hosts, streaming, watching, listening_on)


class Answered(NamedTuple):
    status: int
    text: str


def answered(answer: Any) -> Answered:
    """The answer of whatever client."""
    status = getattr(answer, "status_code", None) or answer.status
    body = getattr(answer, "content", None) or getattr(answer, "data", None) or answer.body
    return Answered(status, body.decode())


# doors: each sends one event into the app, and returns what came back


def connected(it: Sandbox, app: Any) -> Answered:
    it.webhooks.connect(app, path=PATH)
    (told,) = it.webhooks.all()
    return Answered(it.webhooks.resend(told).deliveries[-1]["status"], "taken")


def into_the_app(it: Sandbox, app: Any) -> Answered:
    return answered(it.webhooks.deliver("payment_succeeded", to=app, path=PATH))


def probed(it: Sandbox, app: Any) -> Answered:
    (result,) = it.probe(app, PATH, only=("valid",))
    assert result.state == "passed", result
    return Answered(202, "taken")


def into_a_client(it: Sandbox, app: Any) -> Answered:
    if isinstance(app, flask.Flask):
        return answered(it.webhooks.deliver(to=app.test_client(), path=PATH))
    return answered(it.webhooks.deliver(to=TestClient(app), path=PATH))


def into_httpx(it: Sandbox, app: Any, library: Any = httpx) -> Answered:
    if not isinstance(app, flask.Flask):
        return asyncio.run(_awaited(it, app, library))
    with library.Client(transport=library.WSGITransport(app=app), base_url="http://testserver") as client:
        return answered(it.webhooks.deliver(to=client, path=PATH))


def into_httpx2(it: Sandbox, app: Any) -> Answered:
    return into_httpx(it, app, httpx2)


async def _awaited(it: Sandbox, app: Any, library: Any) -> Answered:
    async with _client(app, library) as client:
        return answered(await it.webhooks.deliver(to=client, path=PATH))


def into_httpx_by_aio(it: Sandbox, app: Any) -> Answered:
    async def story() -> Answered:
        async with _client(app) as client:
            return answered(await it.aio.webhooks.deliver(to=client, path=PATH))

    return asyncio.run(story())


@asynccontextmanager
async def _client(app: Any, library: Any = httpx) -> AsyncIterator[Any]:
    async with library.AsyncClient(transport=library.ASGITransport(app=app), base_url="http://testserver") as client:
        yield client


DOORS: Final = (connected, into_the_app, probed, into_a_client, into_httpx, into_httpx2)
CASES: Final = [
    *(
        (make, door)
        for make in (*WSGI, *ASGI)
        for door in DOORS
        if not (make is listening_on and door is into_a_client)
    ),
    *((make, into_httpx_by_aio) for make in ASGI),
]


@pytest.mark.parametrize(("make", "door"), CASES, ids=lambda one: one.__name__)
def test_each_receiver_gets_the_event_once(make: Any, door: Any, sandbox: Sandbox) -> None:
    sandbox.client.pay()
    till = Till(sandbox.webhook_secret)
    assert door(sandbox, make(till)) == Answered(202, "taken")
    assert till.seen == ["payment_succeeded"]


class Django:
    """As the async test client of Django: keywords are the headers by their names."""

    async def post(self, path: str, data: bytes, content_type: str, **extra: str) -> tuple[str, str, bool]:
        return path, content_type, bool(extra["X-Webhook-Signature-512"])


def test_the_async_client_of_django_gets_headers_by_their_names(sandbox: Sandbox) -> None:
    Django.__module__ = "django.test.client"
    sandbox.client.pay()

    async def story() -> tuple[str, str, bool]:
        found: tuple[str, str, bool] = await sandbox.aio.webhooks.deliver(to=Django())
        return found

    assert asyncio.run(story()) == ("/webhooks", "application/json", True)
