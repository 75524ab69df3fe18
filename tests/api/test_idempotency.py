"""One key, one operation (interface §8.3; decisions "Idempotency")."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from http.client import HTTPConnection

import pytest

from mock_server import jsontext
from mock_server.domain.instants import HOUR_MS
from mock_server.http.idempotency import slot_of
from tests.clocks import ManualClock
from tests.running import RunningSandbox
from tests.wire import KEY, PUBLISHABLE, Reply, Wire, card_payment, wire

PAY = card_payment(confirm=True)
THREADS = 50
OUR_HEADERS = ("X-Sandbox-Because", "Content-Type")


def keyed(api: Wire, key: str, body: object = None, path: str = "/payments", method: str = "POST") -> Reply:
    return api.call(method, path, PAY if body is None else body, headers={"X-Idempotency-Key": key})


def total(api: Wire) -> int:
    return int(api.get("/payments/list")["total_count"])


def test_a_repeat_gets_the_same_bytes_and_does_nothing(api: Wire) -> None:
    first, second = keyed(api, "k1"), keyed(api, "k1")
    assert (second.status, second.raw) == (first.status, first.raw) and total(api) == 1
    assert "X-Sandbox-Replayed" not in first.headers and second.headers["X-Sandbox-Replayed"] == "true"
    assert [second.headers[name] for name in OUR_HEADERS] == [first.headers[name] for name in OUR_HEADERS]
    assert second.headers["X-Request-Id"] != first.headers["X-Request-Id"]


def test_a_repeat_says_what_was_said_then(api: Wire) -> None:
    """Also when the payment has moved on since, and when the workspace came back from a snapshot."""
    held = card_payment(confirm=True, capture_method="manual")
    first = keyed(api, "k1", held)
    assert api.post(f"/payments/{first['payment_id']}/capture", {})["status"] == "succeeded"
    api.put("/_sandbox/snapshots/before")
    api.post("/_sandbox/reset")
    api.post("/_sandbox/snapshots/before/restore")
    again = keyed(api, "k1", held)
    assert again.headers["X-Sandbox-Replayed"] == "true"
    assert (again.raw, again["status"]) == (first.raw, "requires_capture")


def at_once(send: Callable[[], Reply]) -> list[Reply]:
    """What fifty callers get who send the same at the same moment."""
    gate = threading.Barrier(THREADS)
    replies: list[Reply] = []

    def one() -> None:
        gate.wait()
        replies.append(send())

    threads = [threading.Thread(target=one) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return replies


def one_made_the_rest_replayed_or_refused(replies: list[Reply]) -> bool:
    kinds = Counter(
        "made" if reply.status == 200 and "X-Sandbox-Replayed" not in reply.headers else str(reply.status)
        for reply in replies
    )
    bodies = {reply.raw for reply in replies if reply.status == 200}
    return kinds["made"] == 1 and kinds["200"] + kinds["409"] == THREADS - 1 and len(bodies) == 1


def test_fifty_at_once_make_one_payment(api: Wire) -> None:
    assert one_made_the_rest_replayed_or_refused(at_once(lambda: keyed(api, "same")))
    assert total(api) == 1


def test_fifty_connections_at_once_make_one_payment() -> None:
    with RunningSandbox(variables={"PAYMENT_SANDBOX_RATE_LIMIT": "0"}) as sandbox:
        assert one_made_the_rest_replayed_or_refused(
            at_once(lambda: by_wire(sandbox.base, "POST", "/payments", json.dumps(PAY), {"X-Idempotency-Key": "same"}))
        )
        assert by_wire(sandbox.base, "GET", "/payments/list")["total_count"] == 1


def by_wire(base: str, method: str, path: str, body: str | None = None, headers: dict[str, str] | None = None) -> Reply:
    """One call on a connection of its own."""
    with closing(HTTPConnection(base.removeprefix("http://"))) as line:
        line.request(method, path, body, {"api-key": KEY, "Content-Type": "application/json", **(headers or {})})
        answer = line.getresponse()
        return Reply(answer.status, answer.read(), dict(answer.headers))


def test_another_body_is_refused(api: Wire) -> None:
    keyed(api, "k1")
    reply = keyed(api, "k1", {**PAY, "amount": 6541})
    assert (reply.status, reply.error["code"]) == (422, "IR_06") and total(api) == 1


BODIES = [
    pytest.param(b'{"metadata":{"a":1}}', b'{ "metadata" : { "a" : 1 } }', True, id="white space"),
    pytest.param(b'{"metadata":{"b":2,"a":1}}', b'{"metadata":{"a":1,"b":2}}', True, id="order of keys"),
    pytest.param(b'{"metadata":{"a":1}}', b'{"metadata":{"a":1.0}}', False, id="1 and 1.0"),
    pytest.param(b'{"metadata":{"a":"1"}}', b'{"metadata":{"a":1}}', False, id="text and number"),
    pytest.param(b'{"metadata":{"a":[1,2]}}', b'{"metadata":{"a":[2,1]}}', False, id="order of items"),
]


@pytest.mark.parametrize(("first", "second", "same"), BODIES)
def test_bodies_are_compared_by_what_they_say(api: Wire, first: bytes, second: bytes, same: bool) -> None:
    path, headers = f"/payments/{api.pay()['payment_id']}/update_metadata", {"X-Idempotency-Key": "k"}
    assert api.call("POST", path, raw=first, headers=headers).status == 200
    again = api.call("POST", path, raw=second, headers=headers)
    assert again.status == (200 if same else 422)
    assert (again.headers.get("X-Sandbox-Replayed") == "true") is same


@pytest.mark.parametrize("first", [b"", b"{}", b"null"])
@pytest.mark.parametrize("second", [b"", b"{}", b"null"])
def test_no_body_an_empty_object_and_null_are_one(api: Wire, first: bytes, second: bytes) -> None:
    path, headers = f"/payments/{api.pay(capture_method='manual')['payment_id']}/cancel", {"X-Idempotency-Key": "k"}
    api.call("POST", path, raw=first, headers=headers)
    assert api.call("POST", path, raw=second, headers=headers).headers["X-Sandbox-Replayed"] == "true"


def test_a_key_is_free_again_after_24_hours_of_the_workspaces_clock(api: Wire, clock: ManualClock) -> None:
    first = keyed(api, "k1")
    clock.advance(24 * HOUR_MS - 1)
    assert keyed(api, "k1").raw == first.raw
    clock.advance(1)
    assert keyed(api, "k1").raw != first.raw and total(api) == 2


@pytest.mark.parametrize("status", ["refused by status", "refused by amount"])
def test_a_refusal_after_the_operation_began_is_kept(api: Wire, status: str) -> None:
    payment = api.pay()["payment_id"]
    path = f"/payments/{payment}/" + ("cancel" if "status" in status else "capture")
    first = keyed(api, "k", {}, path)
    assert first.status == 400
    again = keyed(api, "k", {}, path)
    assert again.raw == first.raw and again.headers["X-Sandbox-Replayed"] == "true"


def test_an_unknown_object_is_kept_too(api: Wire) -> None:
    first = keyed(api, "k", {}, "/payments/pay_later/cancel")
    assert first.status == 404
    api.post("/payments", {**card_payment(), "payment_id": "pay_later"})
    assert keyed(api, "k", {}, "/payments/pay_later/cancel").raw == first.raw


def test_a_validation_error_gives_the_key_back(api: Wire) -> None:
    assert keyed(api, "k", {**PAY, "amount": "1"}).status == 400
    assert keyed(api, "k").status == 200


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(lambda api: keyed(api.as_key("snd_another_merchant"), "k"), id="merchant"),
        pytest.param(lambda api: keyed(api, "k", path="/payments/pay_1", method="PUT"), id="path and method"),
    ],
)
def test_a_key_counts_within_its_scope(api: Wire, other: object) -> None:
    api.post("/payments", {**card_payment(), "payment_id": "pay_1"})
    keyed(api, "k")
    reply = other(api)  # type: ignore[operator]  # a function of the table
    assert reply.status == 200 and "X-Sandbox-Replayed" not in reply.headers


def test_the_key_of_a_browser_is_not_the_servers(api: Wire) -> None:
    made = api.post("/payments", card_payment())
    path, body = f"/payments/{made['payment_id']}/confirm", {"client_secret": made["client_secret"]}
    browser = keyed(api.as_key(PUBLISHABLE), "k", body, path)
    server = keyed(api.as_key(KEY), "k", {}, path)
    assert browser.status == 200 and server.status == 400


@pytest.mark.parametrize("key", ["", "x" * 256])
@pytest.mark.parametrize("path", ["/payments", "/payments/list"])
def test_a_key_of_wrong_form_is_refused_on_every_call(api: Wire, key: str, path: str) -> None:
    reply = keyed(api, key, {}, path)
    assert (reply.status, reply.error["code"]) == (400, "IR_04")
    assert reply.error["fields"][0]["field"] == "X-Idempotency-Key"


def test_reads_pass_the_key_over(api: Wire) -> None:
    first = keyed(api, "k", {}, "/payments/list")
    api.pay()
    assert keyed(api, "k", {}, "/payments/list").raw != first.raw


def test_a_key_in_flight_is_told_to_wait_and_free_once_its_owner_lets_go(api: Wire, clock: ManualClock) -> None:
    api.get("/health")
    space, slot, now = api.sandbox.workspaces()[0].space, slot_of("secret", "POST", "/payments", "k"), clock.now_ms()
    digest = api.sandbox.workspaces()[0].requests.digest(jsontext.same(PAY))
    assert space.claim(slot, "somebody", digest, now, now + HOUR_MS) is None
    reply = keyed(api, "k")
    assert (reply.status, reply.error["code"], reply.headers["Retry-After"]) == (409, "IR_16", "1")
    space.release_claim(slot, "somebody")
    assert keyed(api, "k").status == 200


def test_a_bounded_number_of_answers_is_kept() -> None:
    api = wire(idempotency=2)
    first = keyed(api, "k1")
    for key in ("k2", "k3", "k4"):
        keyed(api, key)
    assert keyed(api, "k1").raw != first.raw


def test_the_keys_of_two_admins_are_not_the_same(api: Wire) -> None:
    for number in range(2):
        admin = api.as_key(f"the_key_of_admin_{number}")
        reply = admin.post("/accounts", {"merchant_id": f"mer_{number}"}, X_Idempotency_Key="1")
        assert (reply.status, reply.headers.get("X-Sandbox-Replayed")) == (200, None)
