"""What holds of every answer: ids, types, and calls that no route takes."""

# ruff: noqa: E501 — one row, one line
from __future__ import annotations

from typing import Final

from mock_server.conformance.answer import Answer, Phrase
from mock_server.conformance.check import Check
from mock_server.conformance.client import Client

ANYTHING: Final = ("/health", "/payments/list", "/payments/pay_nowhere", "/nowhere")


def answers(api: Client) -> list[Answer]:
    """A good answer, and a few that are none."""
    good = [api.get(path) for path in ANYTHING]
    return [*good, api.delete("/payments"), api.post("/payments", {}), api.with_key(None).get("/health")]


def health(api: Client) -> None:
    api.get("/health").is_(200)
    api.with_key(None).get("/health").refused(401, "IR_01")


def request_id(api: Client) -> None:
    seen = [answer.header("X-Request-Id") for answer in answers(api)]
    api.get("/health").expect("request ids of different calls", Phrase("to differ"), seen, len(set(seen)) == len(seen))


def content_type(api: Client) -> None:
    for answer in answers(api):
        kind = answer.header("Content-Type").partition(";")[0]
        answer.expect("the content type", "application/json", kind)
        answer.expect("the body", Phrase("a JSON object"), answer.json, isinstance(answer.json, dict))


def unknown_route(api: Client) -> None:
    api.get("/nowhere").refused(404, "IR_02")
    api.post("/payments/pay_nowhere/teleport", {}).refused(404, "IR_02")


def method_not_allowed(api: Client) -> None:
    api.delete("/payments").refused(405, "IR_03")
    answer = api.put("/health", {}).refused(405, "IR_03")
    allowed = answer.header("Allow")
    answer.expect("the header Allow", Phrase("to name GET"), allowed, "GET" in allowed)


def bad_json(api: Client) -> None:
    for raw in (b"{", b'{"amount": 1,}', b"[1", b"\xff"):
        api.call("POST", "/payments", raw=raw).refused(400, "IR_06")
    api.call("POST", "/payments", raw=b"[]").refused(400, "IR_06")


def content_type_wrong(api: Client) -> None:
    body = b'{"amount": 1}'
    api.call("POST", "/payments", raw=body, headers={"Content-Type": "text/plain"}).refused(400, "IR_06")
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    api.call("POST", "/payments", raw=b"amount=1", headers=form).refused(400, "IR_06")


def large_body(api: Client) -> None:
    body = api.body(description="x" * (1 << 20))
    api.post("/payments", body).refused(413, "IR_06")


def empty_body(api: Client) -> None:
    for raw in (b"", b"{}", b"null"):
        made = api.create().id
        api.call("POST", f"/payments/{made}/cancel", raw=raw).has(status="cancelled")
    made = api.create().id
    api.call("POST", f"/payments/{made}/cancel", headers={"Content-Type": None}).has(status="cancelled")


def cross_origin(api: Client) -> None:
    made = api.create()
    shop = {"Origin": "https://shop.example", "api-key": api.browser.key}
    path = f"/payments/{made.id}"
    asks = {"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "api-key"}
    preflight = api.call("OPTIONS", path, headers={**shop, **asks, "api-key": None, "Content-Type": None})
    preflight.expect("the preflight", Phrase("2xx"), preflight.status, 200 <= preflight.status < 300)
    allowed = preflight.header("Access-Control-Allow-Headers").lower()
    preflight.expect("the allowed headers", Phrase("to name api-key"), allowed, "api-key" in allowed)
    found = api.call("GET", f"{path}?client_secret={made['client_secret']}", headers=shop).is_(200)
    found.header("Access-Control-Allow-Origin")


ROWS: Final = (
    Check("http.health", "/health answers 200 to a good key and 401 without one.", "interface §4.3", health),
    Check("http.request_id", "Every answer names itself in X-Request-Id.", "facts §1.0", request_id),
    Check("http.content_type", "Every answer is a JSON object, errors too.", "interface §1", content_type),
    Check("http.unknown_route", "A path that there is not is 404 IR_02.", "facts §4.1", unknown_route),
    Check("http.method_not_allowed", "A method that a path does not take is 405 IR_03, with Allow.", "facts §4.1", method_not_allowed),
    Check("http.bad_json", "What is not a JSON object is 400 IR_06.", "facts §4.1", bad_json),
    Check("http.content_type_wrong", "A body of another content type is 400 IR_06.", "facts §8", content_type_wrong),
    Check("http.large_body", "A body over 1 MiB is 413 IR_06.", "ours", large_body),
    Check("http.empty_body", "Calls with nothing to say take no body, {} or null.", "ours", empty_body),
    Check("http.cross_origin", "A browser's script of another origin may make the calls of publishable keys.", "ours", cross_origin),
)  # fmt: skip
