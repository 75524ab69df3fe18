"""Events: waiting for them, and getting them into an app of the test's own."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import re
import socket
import threading
from typing import Any
from urllib.parse import urlsplit

import flask
import httpx
import pytest

from mock_server.testing import ControlRefused, RunningServer, Sandbox, SandboxServer


class Shop:
    """An app that receives, and checks who sent."""

    def __init__(self, secret: str = "") -> None:
        self.secret = secret
        self.seen: list[str] = []
        self.app = flask.Flask("shop")
        self.app.add_url_rule("/webhooks", view_func=self.receive, methods=["POST"])
        self.app.add_url_rule("/deep/hooks", "deep", view_func=self.receive, methods=["POST"])

    def receive(self) -> tuple[str, int]:
        body = flask.request.get_data()
        sent = flask.request.headers.get("X-Webhook-Signature-512", "")
        if not hmac.compare_digest(hmac.new(self.secret.encode(), body, hashlib.sha512).hexdigest(), sent):
            return "who are you?", 401
        self.seen.append(flask.request.get_json()["event_type"])
        return "", 200


class AsyncShop:
    """The least ASGI app."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, bytes]] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.seen.append((scope["path"], (await receive())["body"]))
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})


@pytest.mark.parametrize("path", ["webhooks", "/webhooks", "deep/hooks", "/deep/hooks"])
def test_a_path_needs_no_slash(sandbox: Sandbox, path: str) -> None:
    shop, other = Shop(secret_of_profile(sandbox)), AsyncShop()
    for app in (shop.app, other):
        sandbox.webhooks.connect(app, path=path)
        sandbox.client.pay()
        assert sandbox.webhooks.wait_for("payment_succeeded", delivered=True).is_delivered
    assert sandbox.webhooks.deliver("payment_succeeded", to=shop.app.test_client(), path=path).status_code == 200
    assert sandbox.webhooks.deliver("payment_succeeded", to=other, path=path).status == 204
    assert [one.state for one in sandbox.probe(other, path=path, only="valid")] == ["passed"]
    assert {told for told, _ in other.seen} == {f"/{path.removeprefix('/')}"}
    assert shop.seen == ["payment_succeeded"] * 2


NAMES = ("a b", "a%20b", "Bücher", "a#b", "..", "x" * 99, "a\nb", "<a>", "a&b", "a+b", '"')


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_the_server_refuses_is_said_to_be_wrong(sandbox: Sandbox, name: str) -> None:
    for call in (sandbox.snapshot, sandbox.restore, sandbox.scenarios.turn_off, sandbox.webhooks.get):
        with pytest.raises(ControlRefused):
            call(name)


def refused(call: Any, *arguments: Any, **more: Any) -> str:
    with pytest.raises(AssertionError) as problem:
        call(*arguments, **more)
    return str(problem.value)


# connect


def test_events_come_into_a_wsgi_app(sandbox: Sandbox) -> None:
    shop = Shop(secret_of_profile(sandbox))
    sandbox.webhooks.connect(shop.app)
    paid = sandbox.client.pay().json()
    told = sandbox.webhooks.wait_for("payment_succeeded", payment_id=paid)
    assert told.is_delivered, told.deliveries
    assert shop.seen == ["payment_succeeded"]
    assert told.object["payment_id"] == paid["payment_id"]


def secret_of_profile(sandbox: Sandbox) -> str:
    return sandbox.webhook_secret


def test_events_come_into_an_asgi_app(sandbox: Sandbox) -> None:
    shop = AsyncShop()
    sandbox.webhooks.connect(shop, path="/hooks/in")
    sandbox.client.pay()
    told = sandbox.webhooks.wait_for("payment_succeeded", delivered=True)
    assert shop.seen == [("/hooks/in", told.payload.encode())]


def test_an_app_is_connected_under_an_address_of_its_own(sandbox: Sandbox) -> None:
    shop = Shop(sandbox.webhook_secret)
    at = sandbox.webhooks.connect(shop.app, url="http://shop.test/deep/hooks")
    assert at.endswith("/deep/hooks")
    sandbox.client.pay()
    sandbox.webhooks.wait_for("payment_succeeded", delivered=True)
    assert shop.seen == ["payment_succeeded"]


def test_what_the_app_raised_is_kept(sandbox: Sandbox) -> None:
    def app(environ: Any, start_response: Any) -> Any:
        raise RuntimeError("no stock")

    sandbox.webhooks.connect(app)
    sandbox.client.pay()
    sandbox.webhooks.wait_for("payment_succeeded")
    assert [str(problem) for problem in sandbox.webhooks.raised] == ["no stock"]
    story = sandbox.report()
    assert "the connected app raised RuntimeError: no stock (" in story
    assert "test_webhooks.py" in story


def raises(environ: Any, start_response: Any) -> Any:
    raise RuntimeError("no stock")


def asserts(environ: Any, start_response: Any) -> Any:
    assert not environ, "no stock"


async def raises_too(scope: Any, receive: Any, send: Any) -> None:
    raise LookupError("no stock")


@pytest.mark.parametrize("app", [raises, asserts, raises_too])
@pytest.mark.parametrize("asked", [{"delivered": True}, {"times": 2}, {"payment_id": "order-42"}], ids=repr)
def test_a_wait_in_vain_names_what_the_app_raised(sandbox: Sandbox, app: Any, asked: dict[str, Any]) -> None:
    sandbox.webhooks.connect(app)
    sandbox.client.pay()
    sandbox.webhooks.wait_for("payment_succeeded")
    said = refused(sandbox.webhooks.wait_for, "payment_succeeded", timeout=0.05, **asked)
    assert re.search(r"(?s)\n *the connected app raised \w+: no stock.*\(.*test_webhooks\.py:\d+\)", said)


def test_what_is_no_app_is_refused(sandbox: Sandbox) -> None:
    with pytest.raises(TypeError, match="expected a WSGI or ASGI app, not int"):
        sandbox.webhooks.connect(1)


def test_a_scenarios_webhook_trouble_reaches_the_app(sandbox: Sandbox) -> None:
    shop = AsyncShop()
    sandbox.webhooks.connect(shop)
    sandbox.scenario({"name": "twice", "rules": [{"on": "webhook.*", "then": {"copies": 3}}]})
    sandbox.client.pay()
    sandbox.webhooks.wait_for("payment_succeeded", delivered=True)
    sandbox.clock.advance(seconds=1)
    assert len(shop.seen) == 3


def test_the_app_may_call_back_on_the_same_payment(sandbox: Sandbox) -> None:
    seen: list[str] = []

    def app(environ: Any, start_response: Any) -> list[bytes]:
        found = sandbox.client.get("/payments/list").json()
        seen.append(found["data"][0]["status"])
        start_response("200 OK", [])
        return [b""]

    sandbox.webhooks.connect(app)
    sandbox.scenario({"name": "first", "rules": [{"on": "webhook.*", "then": {"deliver": "before_response"}}]})
    sandbox.client.pay()
    assert seen == ["succeeded"]


# waiting


def test_waiting_in_vain_shows_what_was_told_instead(sandbox: Sandbox) -> None:
    assert "no events were created" in refused(sandbox.webhooks.wait_for, "payment_succeeded", timeout=0.05)
    paid = sandbox.client.pay("insufficient_funds").json()
    said = refused(sandbox.webhooks.wait_for, "payment_succeeded", payment_id=paid, timeout=0.05)
    assert said.startswith(f"payment_succeeded of {paid['payment_id']} was not created within 0.05 s\nnear misses:")
    assert f"payment_failed of {paid['payment_id']} (evt_" in said
    assert "no endpoint configured" in said
    said = refused(sandbox.webhooks.wait_for, "payment_failed", timeout=0.05, delivered=True)
    assert "payment_failed was not delivered within" in said
    said = refused(sandbox.webhooks.wait_for, "payment_failed", times=2, timeout=0.05)
    assert "payment_failed was not created 2 times, but 1 within" in said


def test_an_answer_that_is_no_success_is_seen(sandbox: Sandbox) -> None:
    sandbox.webhooks.connect(Shop("another secret").app)
    sandbox.client.pay()
    told = sandbox.webhooks.wait_for("payment_succeeded")
    assert told.deliveries[0]["status"] == 401
    said = refused(sandbox.webhooks.wait_for, "payment_succeeded", delivered=True, timeout=0.05)
    assert "attempt 1 answered 401" in said


def test_that_nothing_was_told(sandbox: Sandbox) -> None:
    sandbox.webhooks.none(within=0.02)
    paid = sandbox.client.pay().json()
    sandbox.webhooks.none("refund_succeeded", within=0.02)
    said = refused(sandbox.webhooks.none, "payment_succeeded", payment_id=paid, within=0.02)
    assert "but found 1:\n  payment_succeeded of pay_" in said
    for _ in range(100):  # more than a page
        sandbox.client.pay()
    assert "but found 101:" in refused(sandbox.webhooks.none, within=0.02)


def test_all_events_in_order(sandbox: Sandbox) -> None:
    first = sandbox.client.pay().json()
    sandbox.client.pay("insufficient_funds")
    assert [one.type for one in sandbox.webhooks.all()] == ["payment_succeeded", "payment_failed"]
    assert [one.payment_id for one in sandbox.webhooks.all("payment_succeeded")] == [first["payment_id"]]
    assert sandbox.webhooks.all(delivered=True) == []


# deliver


def test_one_event_goes_into_a_flask_client(sandbox: Sandbox) -> None:
    shop = Shop(sandbox.webhook_secret)
    sandbox.client.pay()
    answer = sandbox.webhooks.deliver("payment_succeeded", to=shop.app.test_client())
    assert (answer.status_code, shop.seen) == (200, ["payment_succeeded"])


def test_one_event_goes_into_an_httpx_client(sandbox: Sandbox) -> None:
    shop = Shop(sandbox.webhook_secret)
    sandbox.client.pay()
    with httpx.Client(transport=httpx.WSGITransport(app=shop.app), base_url="http://shop") as client:
        answer = sandbox.webhooks.deliver(to=client, path="/deep/hooks")
    assert (answer.status_code, shop.seen) == (200, ["payment_succeeded"])


def test_one_event_goes_into_a_client_as_django_makes_it(sandbox: Sandbox) -> None:
    class Client:
        def post(self, path: str, data: bytes, content_type: str, **extra: str) -> tuple[str, str, bool]:
            return path, content_type, bool(extra["HTTP_X_WEBHOOK_SIGNATURE_512"])

    Client.__module__ = "django.test.client"
    sandbox.client.pay()
    assert sandbox.webhooks.deliver(to=Client()) == ("/webhooks", "application/json", True)


def test_one_event_goes_into_an_app_itself(sandbox: Sandbox) -> None:
    shop, async_shop = Shop(sandbox.webhook_secret), AsyncShop()
    sandbox.client.pay()
    (told,) = sandbox.webhooks.all()
    assert sandbox.webhooks.deliver(told, to=shop.app).status == 200
    assert sandbox.webhooks.deliver(told.event_id, to=async_shop).status == 204


def test_a_delivery_by_hand_is_sound_also_where_a_scenario_forges(sandbox: Sandbox) -> None:
    shop = Shop(sandbox.webhook_secret)
    sandbox.webhooks.connect(shop.app)
    sandbox.scenario("webhook_bad_signature")
    sandbox.client.pay()
    sandbox.webhooks.wait_for("payment_succeeded")
    assert sandbox.webhooks.deliver(to=shop.app.test_client()).status_code == 200


def test_there_must_be_an_event_to_deliver(sandbox: Sandbox) -> None:
    assert "there is no event to deliver yet" in refused(sandbox.webhooks.deliver, to=Shop().app.test_client())


def test_events_are_sent_again(sandbox: Sandbox) -> None:
    shop = AsyncShop()
    sandbox.client.pay()
    sandbox.webhooks.connect(shop)
    (told,) = sandbox.webhooks.all()
    assert sandbox.webhooks.resend(told).is_delivered
    assert sandbox.webhooks.resend_all("payment_succeeded") == [told.event_id]
    sandbox.clock.advance(seconds=1)
    assert len(shop.seen) == 2


def test_one_in_the_loop_that_waits_is_said_to_need_aio(sandbox: Sandbox) -> None:
    async def story() -> None:
        async with await asyncio.start_server(lambda reads, writes: writes.close(), "127.0.0.1", 0) as shop:
            sandbox.webhooks.send_to(f"127.0.0.1:{shop.sockets[0].getsockname()[1]}")
            sandbox.client.pay()
            assert "use `aio`" in refused(sandbox.webhooks.wait_for, "payment_succeeded", timeout=0.01)
            sandbox.webhooks.send_to(None)

    asyncio.run(story())


def test_a_receiver_that_does_not_answer_in_time_is_said(sandbox: Sandbox) -> None:
    may_answer = threading.Event()

    def slow(environ: Any, start_response: Any) -> list[bytes]:
        may_answer.wait()
        start_response("200 OK", [("Content-Length", "0")])
        return [b""]

    sandbox.webhooks.connect(slow)
    sandbox.client.pay()
    said = refused(sandbox.webhooks.wait_for, "payment_succeeded", timeout=0.2)
    assert "its first delivery was not answered within 0.2 s" in said
    assert sandbox.webhooks.wait_for("payment_succeeded", delivered=False).is_on_its_way
    may_answer.set()
    assert sandbox.webhooks.wait_for("payment_succeeded").is_delivered


def test_an_address_is_not_connected(sandbox: Sandbox) -> None:
    with pytest.raises(TypeError, match="send_to"):
        sandbox.webhooks.connect("http://127.0.0.1:8080/hook")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_only_this_machine_reaches_an_app_for_a_server_on_it(host: str, inside: SandboxServer) -> None:
    """Another address of this machine is refused, as other machines are."""
    with RunningServer(inside.url) as far, Sandbox(server=far) as sandbox:
        port = urlsplit(sandbox.webhooks.connect(AsyncShop(), host=host)).port
        socket.create_connection(("127.0.0.1", port)).close()
        with pytest.raises(OSError, match=r"refused|timed out|unreachable|assign"):
            socket.create_connection(("127.0.0.2", port))


def test_the_nearest_misses_are_told_first(sandbox: Sandbox) -> None:
    for number in range(10):
        sandbox.client.pay(payment_id=f"pay_{number}")
    sandbox.client.post("/refunds", {"payment_id": "pay_3", "amount": 1})
    with pytest.raises(AssertionError, match="refund_succeeded of pay_4 was not created") as told:
        sandbox.webhooks.wait_for("refund_succeeded", payment_id="pay_4", timeout=0)
    types = re.findall(r"^  (\w+) of pay_\d", str(told.value), re.MULTILINE)
    assert types == ["refund_succeeded", *["payment_succeeded"] * 9]
