from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Iterator
from contextvars import ContextVar
from typing import Any
from wsgiref.validate import validator

import flask
import pytest

from mock_server.domain.faults import CARRIED_OUT, CONNECTION
from mock_server.server.wsgi import GATHERED_BODY, AppReply, call
from tests.server.conftest import Serve
from tests.server.wire import App, Wire, echo


def called(app: App, method: str = "GET") -> AppReply:
    return call(app, {"REQUEST_METHOD": method})


class Lazy:
    """An iterable that notes its close."""

    def __init__(self, *pieces: bytes) -> None:
        self.pieces = pieces
        self.closed = 0

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.pieces)

    def close(self) -> None:
        self.closed += 1


# Over the wire.


@pytest.mark.parametrize("path", ["/a%20b?c=d", "/slow"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "OPTIONS"])
def test_the_standards_own_checker_has_nothing_to_say(serve: Serve, path: str, method: str, logged: list[Any]) -> None:
    def app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        body = environ["wsgi.input"].read(10)
        head_only = environ["REQUEST_METHOD"] == "HEAD"
        start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
        return [] if head_only else [body]

    with Wire(serve(validator(app))).get(path, "Content-Length: 5", method=method) as wire:
        wire.send(b"hello")
        got = wire.head()
        assert (got.status, got.fields["content-length"]) == (200, "5")
        if method != "HEAD":
            assert wire.take(5) == b"hello"
        assert wire.get("/", "Content-Length: 2").send(b"ok").got().body == b"ok"
    assert logged == []


def test_the_environ_is_complete(serve: Serve) -> None:
    seen: dict[str, Any] = {}

    def app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        seen.update(environ)
        return echo(environ, start_response)

    server = serve(app)
    with Wire(server).post(b"body", "/a?b", "Content-Type: text/plain", "X-A: 1") as wire:
        wire.got()
        host, port = wire.sock.getsockname()
    assert isinstance(seen.pop("wsgi.input"), io.BytesIO)
    assert seen == {
        "REQUEST_METHOD": "POST",
        "SCRIPT_NAME": "",
        "PATH_INFO": "/a",
        "QUERY_STRING": "b",
        "RAW_URI": "/a?b",
        "CONTENT_TYPE": "text/plain",
        "CONTENT_LENGTH": "4",
        "HTTP_HOST": "x",
        "HTTP_X_A": "1",
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": str(server.port),
        "SERVER_PROTOCOL": "HTTP/1.1",
        "SERVER_SOFTWARE": "payment-sandbox",
        "REMOTE_ADDR": host,
        "REMOTE_PORT": str(port),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        "wsgi.input_terminated": True,
        CARRIED_OUT: True,
        CONNECTION: 1,
    }


def test_one_requests_environ_says_nothing_to_the_next(serve: Serve) -> None:
    def app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        left = environ.get("left by the app", "nothing")
        environ["left by the app"] = "something"
        start_response("200 OK", [])
        return [f"{left} {environ.get('HTTP_X_A')}".encode()]

    with Wire(serve(app)).get("/", "X-A: 1").get("/") as wire:
        assert [wire.got().body, wire.got().body] == [b"nothing 1", b"nothing None"]


def test_flask_is_at_home(serve: Serve, logged: list[Any]) -> None:
    app = flask.Flask(__name__)

    @app.post("/<name>")
    def view(name: str) -> flask.Response:
        return flask.jsonify(name=name, sent=flask.request.get_json(), by=flask.request.remote_addr)

    @app.get("/stream")
    def stream() -> flask.Response:
        return flask.Response(flask.stream_with_context(flask.request.path[n] for n in range(7)))

    json = "Content-Type: application/json"
    with Wire(serve(app)).post(b'{"a": 1}', "/%C3%A9", json) as wire:
        assert wire.got().body == b'{"by":"127.0.0.1","name":"\\u00e9","sent":{"a":1}}\n'
        wire.get("/%C3%A9", "Transfer-Encoding: chunked", json, method="POST").send(b"2\r\n{}\r\n0\r\n\r\n")
        assert wire.got().status == 200
        assert wire.get("/stream").got().body == b"/stream"
        assert wire.get("/stream", method="HEAD").head().status == 200
        assert wire.get("/nowhere").got().status == 405
    assert logged == []


@pytest.mark.parametrize("path", ["/", "/slow"])
def test_an_app_that_fails_is_an_error_and_not_the_end(serve: Serve, path: str, logged: list[Any]) -> None:
    def app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        raise LookupError("broken")

    with Wire(serve(app)).get(path).get(path) as wire:
        assert [wire.got().status, wire.got().status] == [500, 500]
    assert [type(error) for _, error in logged] == [LookupError, LookupError]


@pytest.mark.parametrize(
    ("status", "fields"),
    [
        ("200 OK\r\nX-Forged: 1", []),
        ("200 OK", [("X-A", "1\r\nX-Forged: 1")]),
        ("200 OK", [("X-A\r\nX-Forged", "1")]),
        ("200 OK", [("X-A", "1\rX-Forged: 1")]),
        ("200 OK", [("X-A", "1\nX-Forged: 1")]),
        ("200 OK", [("X-A", "\u20ac")]),
    ],
)
@pytest.mark.parametrize("lazy", [True, False])
def test_a_head_that_cannot_be_sent_is_an_error(
    serve: Serve, status: str, fields: list[tuple[str, str]], lazy: bool
) -> None:
    def app(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        start_response(status, fields)
        return iter([b"x" * 300_000]) if lazy else []

    with Wire(serve(app)).get("/") as wire:
        got = wire.got()
        assert (got.status, got.fields.get("x-forged")) == (500, None)


def test_a_refusal_that_cannot_be_sent_breaks_the_line(serve: Serve) -> None:
    def app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        start_response("200 \n", [])
        return []

    server = serve(app, refuse=lambda status, reason, limit: (status, [("X-A", "\n")], b""))
    with Wire(server).get("/") as wire, pytest.raises(ConnectionResetError):
        wire.rest()


# The call alone.


def test_the_body_is_gathered_and_closed() -> None:
    lazy = Lazy(b"a", b"", b"b")

    def app(environ: dict[str, Any], start_response: Any) -> Lazy:
        start_response("201 Created", [("content-length", "2")])
        return lazy

    reply = called(app)
    assert (reply.status, reply.body, reply.source, lazy.closed) == ("201 Created", b"ab", None, 1)


def test_a_body_is_closed_even_if_it_fails() -> None:
    lazy = Lazy(b"a", None)  # type: ignore[arg-type]  # wrong on purpose

    def app(environ: dict[str, Any], start_response: Any) -> Lazy:
        start_response("200 OK", [("Content-Length", "1")])
        return lazy

    with pytest.raises(TypeError):
        called(app)
    assert lazy.closed == 1


@pytest.mark.parametrize(
    ("method", "status", "fields", "stays_lazy"),
    [
        ("GET", "200 OK", [], True),
        ("GET", "200 OK", [("Content-Length", str(GATHERED_BODY))], False),
        ("GET", "200 OK", [("Content-Length", str(GATHERED_BODY + 1))], True),
        ("GET", "200 OK", [("Content-Length", "many")], True),
        ("GET", "204 No Content", [], False),
        ("GET", "304 Not Modified", [], False),
        ("HEAD", "200 OK", [], False),
    ],
)
def test_which_bodies_stay_lazy(method: str, status: str, fields: list[tuple[str, str]], stays_lazy: bool) -> None:
    def app(environ: dict[str, Any], start_response: Any) -> Lazy:
        start_response(status, fields)
        return Lazy(b"x")

    assert (called(app, method).source is not None) is stays_lazy


def test_bytes_can_be_written_the_old_way() -> None:
    def app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        write = start_response("200 OK", [])
        write(b"a")
        write(b"b")
        return [b"c"]

    assert called(app).body == b"abc"


def test_the_status_can_be_changed_with_the_reason() -> None:
    def app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        start_response("200 OK", [])
        try:
            raise LookupError
        except LookupError:
            start_response("500 Oops", [("X-A", "1")], sys.exc_info())
        return []

    reply = called(app)
    assert (reply.status, reply.fields) == ("500 Oops", [("X-A", "1")])


def test_the_status_cannot_be_changed_once_it_is_sent() -> None:
    reply = AppReply()
    reply("200 OK", [])
    reply.is_begun = True
    error = LookupError("too late")
    with pytest.raises(LookupError, match="too late"):
        reply("500 Oops", [], (LookupError, error, error.__traceback__))  # type: ignore[arg-type]  # wrong on purpose


def test_the_app_must_answer_once() -> None:
    def twice(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        start_response("200 OK", [])
        start_response("200 OK", [])
        return []

    def never(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        return []

    for app in (twice, never):
        with pytest.raises(AssertionError, match="start_response"):
            called(app)


def test_calls_share_no_context() -> None:
    seen: ContextVar[str] = ContextVar("seen", default="nothing")

    def app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        start_response("200 OK", [])
        before = seen.get()
        seen.set("something")
        return [before.encode()]

    assert [called(app).body, called(app).body] == [b"nothing", b"nothing"]
