"""A call with a large body is worked on off the loop, however it is sent; others do not wait for it."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator

import pytest

from mock_server.server import Server
from mock_server.server.faults import LARGE


@pytest.fixture
def server() -> Iterator[Server]:
    """An app that answers whether it runs on the thread of the loop."""

    def app(environ, start_response):  # type: ignore[no-untyped-def]  # as in PEP 3333
        environ["wsgi.input"].read()
        name = threading.current_thread().name.encode()
        start_response("200 OK", [("Content-Length", str(len(name)))])
        return [name]

    with Server(app) as serving:
        yield serving


@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunked"])
@pytest.mark.parametrize(
    ("size", "thread"),
    [(1, "payment-sandbox-server"), (LARGE, "payment-sandbox-server"), (LARGE + 1, "payment-sandbox-pool")],
)
def test_a_large_body_is_served_on_another_thread(server: Server, size: int, thread: str, chunked: bool) -> None:
    client = http.client.HTTPConnection("127.0.0.1", server.port)
    body = iter([b"x" * size]) if chunked else b"x" * size
    client.request("POST", "/", body=body, encode_chunked=chunked)
    assert client.getresponse().read().decode() == thread
    client.close()
