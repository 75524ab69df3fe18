"""Each address that the fixture takes can be written without `http://`, and one that is none is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from mock_server.server import Server
from mock_server.testing import ControlRefused, Sandbox

TOLD: Final = "payment_succeeded"


class Receiver:
    """A receiver on a port; `seen` has what was asked of it."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        environ["wsgi.input"].read()
        self.seen.append(f"{environ['PATH_INFO']}?{environ['QUERY_STRING']}")
        start_response("200 OK", [])
        return [b""]


@pytest.fixture(scope="module")
def port() -> Iterator[tuple[Receiver, int]]:
    receiver = Receiver()
    server = Server(receiver, "127.0.0.1")
    server.start()
    yield receiver, server.port
    server.shutdown(0.01)


def sent(it: Sandbox, address: str) -> None:
    it.webhooks.send_to(address)
    it.webhooks.resend(it.webhooks.all()[-1])


def delivered(it: Sandbox, address: str) -> None:
    assert it.webhooks.deliver(to=address).status_code == 200


def probed(it: Sandbox, address: str) -> None:
    assert [one.state for one in it.probe(address, only=("valid",))] == ["passed"]


DOORS: Final = (sent, delivered, probed)


@pytest.mark.parametrize("door", DOORS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("form", ["127.0.0.1:{}", "http://127.0.0.1:{}", "localhost:{}", "127.1:{}"])
@pytest.mark.parametrize("path", ["/hook", "/a/b?x=1", "/"])
def test_an_event_comes_to_the_address(
    door: Any, form: str, path: str, port: tuple[Receiver, int], sandbox: Sandbox
) -> None:
    receiver, number = port
    receiver.seen.clear()
    sandbox.client.pay()
    door(sandbox, form.format(number) + path)
    assert receiver.seen == [path if "?" in path else f"{path}?"]


@pytest.mark.parametrize("door", DOORS, ids=lambda one: one.__name__)
@pytest.mark.parametrize(
    "address", ["", "/hook", "ftp://localhost/hook", "http://", "localhost:99999", "user@localhost"]
)
def test_what_is_no_address_is_refused(door: Any, address: str, sandbox: Sandbox) -> None:
    sandbox.client.pay()
    with pytest.raises((ValueError, ControlRefused), match=r"http or https|a host and a port"):
        door(sandbox, address)


def test_an_app_is_connected_under_such_an_address(sandbox: Sandbox) -> None:
    receiver = Receiver()
    assert sandbox.webhooks.connect(receiver, url="shop.test/hook").endswith("/hook")
    sandbox.client.pay()
    sandbox.webhooks.wait_for(TOLD, delivered=True)
    assert receiver.seen == ["/hook?"]
