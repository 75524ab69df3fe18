"""Server, client and receiver over real sockets: what comes first, and what a receiver with single worker meets."""

from __future__ import annotations

import http.client
import http.server
import json
import logging
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Final

import pytest

from mock_server.front import serve
from mock_server.sandbox import Sandbox, build
from mock_server.server.pool import AT_ONCE
from mock_server.settings import Settings
from tests.counts import SOAK
from tests.running import until
from tests.webhooks import receivers
from tests.webhooks.receivers import OK, Line, Receiver, answers, unused_port
from tests.wire import KEY, card_payment

REPEATS: Final = 200 if SOAK else 3
PATIENCE_S: Final = None  # the suite's own limit for a test is the only one


class Server:
    """A sandbox behind a real socket, with its threads."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self.server = serve(sandbox, "127.0.0.1", 0)

    @property
    def port(self) -> int:
        port: int = self.server.port
        return port

    def call(self, method: str, path: str, body: object = None, **headers: str) -> Any:
        """One call on a connection of its own; the parsed answer, with its headers under `headers`."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        try:
            sent = {"api-key": KEY, "Content-Type": "application/json", **headers}
            connection.request(method, path, json.dumps(body) if body is not None else None, sent)
            answer = connection.getresponse()
            raw = answer.read()
            return {"http": answer.status, "headers": dict(answer.getheaders()), **(json.loads(raw) if raw else {})}
        finally:
            connection.close()

    def scenario(self, *rules: dict[str, Any]) -> None:
        document = {"version": 1, "name": "trouble", "rules": list(rules)}
        assert self.call("PUT", "/_sandbox/scenarios/trouble", document)["http"] == 200
        assert self.call("POST", "/_sandbox/scenarios/trouble/activate")["http"] == 200

    def target(self, url: str) -> None:
        assert self.call("PUT", "/_sandbox/webhooks/target", {"url": url})["http"] == 200


@contextmanager
def serving(**settings: Any) -> Iterator[Server]:
    sandbox = build(Settings(**{"seed": "tests", "rate_limit": 0, **settings}))
    made = Server(sandbox)
    thread = threading.Thread(target=made.server.serve_forever, daemon=True)
    thread.start()
    sandbox.start()
    try:
        yield made
    finally:
        sandbox.stop()
        made.server.shutdown(0.5)
        thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as made:
        yield made


BEFORE = {"on": "webhook.payment_succeeded", "then": {"deliver": "before_response"}}
PAY = json.dumps({**card_payment(), "confirm": True}).encode()
HEAD = b"POST /payments HTTP/1.1\r\nHost: x\r\napi-key: %b\r\nContent-Type: application/json\r\n"
CALL = HEAD + b"Content-Length: %d\r\n\r\n%b"


def test_the_receiver_has_answered_before_the_first_byte(server: Server) -> None:
    """While it handles the event it may call the API on the same payment."""
    order: list[str] = []

    def behave(line: Line) -> None:
        while request := line.request():
            envelope = json.loads(request.partition(b"\r\n\r\n")[2])
            if envelope["event_type"] == "payment_succeeded":
                payment_id = envelope["content"]["object"]["payment_id"]
                found = server.call("GET", f"/payments/{payment_id}")
                refund = server.call("POST", "/refunds", {"payment_id": payment_id, "amount": 100})
                assert select.select([client], [], [], 0) == ([], [], [])
                order.append(f"{found['status']}, refund {refund['status']}, webhook answered")
            line.send(OK)

    with Receiver(behave) as receiver:
        server.target(receiver.url)
        server.scenario(BEFORE)
        for _ in range(REPEATS):
            with socket.create_connection(("127.0.0.1", server.port)) as client:
                client.sendall(CALL % (KEY.encode(), len(PAY), PAY))
                assert client.recv(1)
                order.append("first byte")
    assert order == ["succeeded, refund succeeded, webhook answered", "first byte"] * REPEATS


def test_an_app_with_one_worker_learns_what_is_wrong(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    """Its only worker pays inside a request and would have to take the webhook meanwhile."""
    seen: list[tuple[str, Any]] = []

    class App(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            if self.path == "/order":
                seen.append(("paid", server.call("POST", "/payments", json.loads(PAY))))
            else:
                seen.append(("webhook", None))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            """Says nothing."""

    app = http.server.HTTPServer(("127.0.0.1", 0), App)
    threading.Thread(target=app.serve_forever, daemon=True).start()
    try:
        server.target(f"http://127.0.0.1:{app.server_port}/hook")
        server.scenario(BEFORE)
        with caplog.at_level(logging.WARNING):
            customer = http.client.HTTPConnection("127.0.0.1", app.server_port, timeout=PATIENCE_S)
            customer.request("POST", "/order", b"{}")
            assert customer.getresponse().status == 200
            customer.close()
        found = server.call("GET", "/_sandbox/webhooks?wait=10m&delivered=true")["data"]
    finally:
        app.shutdown()
        app.server_close()
    assert [what for what, _ in seen] == ["paid", "webhook"]
    paid = seen[0][1]
    assert (paid["http"], paid["status"]) == (200, "succeeded")
    because = paid["headers"]["X-Sandbox-Because"]
    assert because.startswith("the receiver did not answer the webhook within 3 s")
    assert "single worker" in because
    assert "single worker" in caplog.text
    line = server.call("GET", "/_sandbox/journal?operation=payments.create")["data"][0]
    assert any("single worker" in note["text"] for note in line["because"])
    assert (found[0]["is_delivered"], found[0]["attempts"]) == (True, 1)


def test_a_client_that_leaves_meanwhile_changes_nothing(server: Server) -> None:
    with Receiver(receivers.hangs) as receiver:
        server.target(receiver.url)
        server.scenario(BEFORE)
        with socket.create_connection(("127.0.0.1", server.port)) as client:
            client.sendall(CALL % (KEY.encode(), len(PAY), PAY))
            receiver.wait_for(1)
        receiver.release.set()
        assert server.call("GET", "/_sandbox/webhooks?wait=10m&delivered=true")["total_count"] == 1


ANSWER_WITHIN_S: Final = 1.5
"""How long receivers are waited for that never answer; the others as long as it takes."""


def test_the_api_answers_while_a_receiver_hangs() -> None:
    with Receiver(receivers.hangs) as receiver, serving(webhook_timeout=3600.0, webhook_url=receiver.url) as server:
        assert server.call("POST", "/payments", json.loads(PAY))["status"] == "succeeded"
        receiver.wait_for(1)
        receiver.release.set()


@pytest.mark.parametrize(
    ("behave", "status", "error"),
    [
        (answers(b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"), 500, None),
        (answers(b"HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n"), 302, None),
        (receivers.resets, None, "the connection was reset"),
        (receivers.leaves, None, "the connection was closed without an answer"),
        (receivers.hangs, None, f"no answer within {ANSWER_WITHIN_S} s"),
        (receivers.drips_its_head, None, f"no answer within {ANSWER_WITHIN_S} s"),
        (receivers.sends_a_gigabyte, 200, None),
    ],
    ids=["500", "302", "reset", "leaves", "hangs", "drips", "gigabyte"],
)
def test_whatever_a_receiver_does_the_api_does_not_feel_it(
    behave: receivers.Behave, status: int | None, error: str | None
) -> None:
    limit_s = ANSWER_WITHIN_S if error and "within" in error else 3600.0
    with Receiver(behave) as receiver, serving(webhook_timeout=limit_s, webhook_url=receiver.url) as server:
        paid = server.call("POST", "/payments", json.loads(PAY))
        assert (paid["http"], paid["status"]) == (200, "succeeded")
        delivered = "true" if status == 200 else "false"
        (event,) = server.call("GET", f"/_sandbox/webhooks?wait=10m&delivered={delivered}")["data"]
    (attempt,) = event["deliveries"]
    assert (attempt["status"], attempt["error"]) == (status, error)
    assert len(attempt["response_body"]) <= 2048


def test_nobody_there() -> None:
    with serving(webhook_url=f"http://127.0.0.1:{unused_port()}/") as server:
        assert server.call("POST", "/payments", json.loads(PAY))["http"] == 200
        (event,) = server.call("GET", "/_sandbox/webhooks?wait=10m&delivered=false")["data"]
    assert event["deliveries"][0]["error"] == "the connection was refused"


# presets, in the order in which things really come


def told(receiver: Receiver) -> list[str]:
    """What came, in its order."""
    return [json.loads(request.partition(b"\r\n\r\n")[2])["event_type"] for request in receiver.requests]


PRESETS: list[Any] = [
    ([{"on": "webhook.payment_authorized", "then": {"deliver": {"delay": "2s"}}}], ["captured", "authorized"]),
    (
        [{"on": "webhook.payment_authorized", "then": {"deliver": {"following": "payment_succeeded"}}}],
        ["captured", "authorized"],
    ),
    ([{"on": "webhook.payment_authorized", "then": {"drop": True}}], ["captured"]),
    ([{"on": "webhook.payment_authorized", "then": {"copies": 3}}], ["authorized"] * 3 + ["captured"]),
    ([{"on": "webhook.*", "then": {"copies": 2, "concurrently": True}}], ["authorized"] * 2 + ["captured"] * 2),
    ([], ["authorized", "captured"]),
]


@pytest.mark.parametrize(("rules", "order"), PRESETS, ids=["delay", "following", "drop", "copies", "together", "none"])
def test_each_preset_has_its_order(server: Server, rules: list[Any], order: list[str]) -> None:
    """The client captures at once, so both events are told before either has arrived; the clock brings the rest."""
    names = {"payment_authorized": "authorized", "payment_succeeded": "captured"}
    with Receiver() as receiver:
        server.target(receiver.url)
        server.scenario(*rules)
        for _ in range(REPEATS):
            receiver.requests.clear()
            made = server.call("POST", "/payments", {**json.loads(PAY), "capture_method": "manual"})["payment_id"]
            server.call("POST", f"/payments/{made}/capture", {"amount_to_capture": 6540})
            server.call("POST", "/_sandbox/clock/advance", {"by": "10s"})
            receiver.wait_for(len(order))
            assert [names[type] for type in told(receiver)] == order


def test_during_the_redirect_the_webhook_is_there_before_the_browser(server: Server) -> None:
    """The redirect leaves once the webhook's request has; the receiver may be at work when the browser comes."""
    rule = {"on": "webhook.payment_succeeded", "then": {"deliver": "during_redirect"}}
    order: list[str] = []

    def behave(line: Line) -> None:
        while request := line.request():
            if b"payment_succeeded" in request:
                order.append("webhook came")
                came.set()
                browser_came.wait()
                order.append("webhook answered")
            line.send(OK)

    with Receiver(behave) as receiver:
        server.target(receiver.url)
        server.scenario(rule)
        for _ in range(REPEATS):
            came, browser_came = threading.Event(), threading.Event()
            order.clear()
            made = server.call("POST", "/payments", {**CHALLENGED, "return_url": "http://shop.test/back"})
            page = made["next_action"]["redirect_to_url"].partition(str(server.port))[2]
            location = press(server, page, "approved")
            came.wait()
            order.append(f"browser at {location.partition('?')[0]}")
            browser_came.set()
            query = f"?wait=10m&delivered=true&payment_id={made['payment_id']}"
            assert server.call("GET", f"/_sandbox/webhooks{query}&type=payment_succeeded")["total_count"] == 1
            assert order == ["webhook came", "browser at http://shop.test/back", "webhook answered"]


CHALLENGED = {**card_payment("visa_3ds_required"), "confirm": True}


def press(server: Server, page: str, result: str) -> str:
    """Presses a button of a page; gives where the browser is sent."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
    try:
        connection.request("GET", page)
        shown = connection.getresponse().read().decode()
        token = shown.partition('name="token" value="')[2].partition('"')[0]
        form = f"token={token}&result={result}"
        connection.request("POST", page, form, {"Content-Type": "application/x-www-form-urlencoded"})
        answer = connection.getresponse()
        answer.read()
        return str(answer.headers["Location"])
    finally:
        connection.close()


def test_resends_that_hang_do_not_hold_up_their_caller() -> None:
    """More of them than its calls may compute at once."""
    with (
        ExitStack() as stack,
        Receiver(receivers.hangs) as receiver,
        serving(webhook_timeout=3600.0, webhook_url=receiver.url) as server,
    ):
        server.call("POST", "/payments", json.loads(PAY))
        receiver.wait_for(1)
        (event,) = server.call("GET", "/_sandbox/webhooks")["data"]
        path = f"/_sandbox/webhooks/{event['event_id']}/resend".encode()
        for number in range(2 * AT_ONCE):
            client = stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            client.sendall(CALL.replace(b"/payments", path) % (KEY.encode(), 0, b""))
            receiver.wait_for(2 + number)
        assert server.call("GET", "/_sandbox/clock")["http"] == 200
        receiver.release.set()


def test_a_caller_that_left_does_not_block_the_clock() -> None:
    """What it would have waited for takes minutes; the clock is free once the one on its way is over."""
    with Receiver(receivers.hangs) as receiver, serving(advance_delivery_timeout=1.0) as server:
        server.target(receiver.url)
        stood = server.call("POST", "/_sandbox/clock/freeze", {"at": "2030-01-01"})
        for _ in range(20):
            assert server.call("POST", "/payments", json.loads(PAY))["http"] == 200
        body = b'{"by": "20h"}'
        call = CALL.replace(b"/payments", b"/_sandbox/clock/advance") % (KEY.encode(), len(body), body)
        with socket.create_connection(("127.0.0.1", server.port)) as client:
            client.sendall(call)
            receiver.wait_for(1)  # which may be what was due before it
            until(lambda: server.call("GET", "/_sandbox/clock")["advancing"])
        until(lambda: not server.call("GET", "/_sandbox/clock")["advancing"])
        clock = server.call("GET", "/_sandbox/clock")
        assert (stood["now"], clock["now"]) == ("2030-01-01T00:00:00.000Z", "2030-01-01T20:00:00.000Z")


def test_an_advance_says_what_it_left_due() -> None:
    with Receiver(receivers.hangs) as receiver, serving(advance_timeout=0.4, advance_delivery_timeout=0.2) as server:
        server.target(receiver.url)
        server.call("POST", "/_sandbox/clock/freeze")
        for _ in range(5):
            server.call("POST", "/payments", json.loads(PAY))
        told = server.call("POST", "/_sandbox/clock/advance", {"by": "1s"})
        assert told["http"] == 200
        assert 0 < told["deliveries_left"] <= 5
