"""A workspace that is replaced is freed at once: whatever was asked there, nothing in a cycle holds it.

Else only the garbage collector could free it, which looks at all objects of the process: in a test run, at everybody's.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from threading import Event
from typing import Any, Final
from weakref import finalize

import pytest

from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.domain.api_keys import ApiKey, parse
from mock_server.webhooks.transport import WsgiTransport
from tests.clocks import ManualClock
from tests.dashboard.test_forms import pages_of
from tests.dashboard.visitor import Visitor
from tests.routes.good import GOOD, as_client, caller
from tests.wire import Wire, wire


@pytest.fixture(scope="module")
def server() -> Wire:
    return wire(clock=ManualClock(), webhook_hosts=("127.0.0.1", "shop.test"))


@pytest.fixture(autouse=True)
def _no_collector() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


def assert_goes(api: Wire) -> None:
    """Resets the workspace, and waits until the one before is gone: threads may be about to let go of it."""
    key = parse(api.key)
    assert isinstance(key, ApiKey)
    gone = Event()
    finalize(api.sandbox.workspace(key).space, gone.set)
    assert api.post("/_sandbox/reset").status == 200
    gone.wait()


@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: row.name)
def test_after_every_operation(server: Wire, row: Operation) -> None:
    api = server.as_key(f"snd_goes_{OPERATIONS.index(row):09}")
    good, client = GOOD[row.name](api), caller(api, row)
    good = good if client is api or good.secret is None else as_client(good, row)
    assert good.sent(client, row).status < 400
    assert_goes(api)


def test_after_every_page(server: Wire) -> None:
    api = server.as_key("snd_goes_pages0000")
    visitor = Visitor(api)
    for path in pages_of(visitor):
        visitor.read(path)
    assert_goes(api)


def shop(environ: dict[str, Any], start_response: Callable[..., object]) -> list[bytes]:
    start_response("200 OK", [])
    return [b""]


def advanced(api: Wire) -> None:
    api.pay()
    assert api.post("/_sandbox/clock/advance", {"by": "1h"}).status == 200


def by_the_server(api: Wire) -> None:
    api.sandbox.start()
    api.pay()
    while not api.get("/_sandbox/webhooks?wait=100ms&count=1")["data"][0]["attempts"]:
        pass


def before_the_answer(api: Wire) -> None:
    assert api.post("/_sandbox/scenarios/webhook_before_response/activate").status == 200
    api.pay()


def in_copies(api: Wire) -> None:
    rule = {"on": "webhook.*", "then": {"copies": 3, "concurrently": True}}
    assert api.put("/_sandbox/scenarios/copies", {"rules": [rule]}).status == 200
    assert api.post("/_sandbox/scenarios/copies/activate").status == 200
    advanced(api)


SHOP: Final = "http://shop.test/hook"


@pytest.mark.parametrize("url", [SHOP, "http://127.0.0.1:9/x", "https://127.0.0.1:9/x"])
@pytest.mark.parametrize("happens", [advanced, by_the_server, before_the_answer, in_copies], ids=lambda it: it.__name__)
def test_after_webhooks(server: Wire, url: str, happens: Callable[[Wire], None]) -> None:
    """Nobody else sends one, so nothing later lets go of it."""
    api = server.as_key("snd_goes_webhooks0")
    assert api.put("/_sandbox/webhooks/target", {"url": url}).status == 200
    disconnect = api.sandbox.post.routing.connect(SHOP, WsgiTransport(shop))
    try:
        happens(api)
        assert_goes(api)
    finally:
        disconnect()
        api.sandbox.stop()


@pytest.mark.parametrize("path", ["webhooks", "journal"])
def test_after_a_call_that_waited(server: Wire, path: str) -> None:
    api = server.as_key("snd_goes_waiting00")
    assert api.get(f"/_sandbox/{path}?wait=1ms&count=1000").status == 200
    assert_goes(api)
