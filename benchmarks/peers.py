"""The servers that are measured in one run: the sandbox, Flask alone, and what others mock APIs with.

Peers are looked for in `build/peers` (`make bench-peers` fetches them); what is missing is skipped, and said.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.machine import BUILD, HERE, Ask, Running, free_port, once, start

PEERS: Final = HERE.parent / "build" / "peers"
NODE: Final = PEERS / "npm" / "node_modules" / ".bin"
KEY: Final = {"api-key": "snd_bench_0123456789abcdef"}
JSON: Final = {"Content-Type": "application/json"}
PAYMENT: Final = (HERE / "payment.json").read_bytes().strip()
CREATE: Final = Ask("POST", "/payments", {**JSON, **KEY}, PAYMENT)
RETRIEVE: Final = Ask("GET", "/payments/%I%", KEY)
PLAIN: Final = Ask("POST", "/payments", JSON, PAYMENT)
ANSWER: Final[dict[str, Any]] = {
    "payment_id": "pay_0123456789abcdefghij", "status": "succeeded", "amount": 6540, "currency": "USD",
    "client_secret": "pay_0123456789abcdefghij_secret_0123456789abcdefghij", "customer_id": "cus_1",
    "billing": {"address": {"line1": "1467 Harrison Street", "city": "San Francisco", "zip": "94122", "country": "US"}},
    "metadata": {"order_id": "1"}, "filler": "x" * 600,
}  # fmt: skip


class Server(NamedTuple):
    """One row: how it starts on a port, what "create" and "retrieve" are there, and what it does for them."""

    name: str
    does: str
    there: Path
    command: Callable[[int], list[str]]
    health: Ask
    create: Ask | None
    retrieve: Ask
    id_key: str | None = None
    prepare: Callable[[Running], None] = lambda running: None

    def run(self, *more: str) -> Running:
        """Starts it on a free port, and makes it ready."""
        BUILD.mkdir(parents=True, exist_ok=True)
        port = free_port()
        running = start([*self.command(port), *more], port, self.health, {"PYTHONPATH": str(HERE.parent)}, BUILD)
        self.prepare(running)
        return running


def create_body(number: int) -> bytes:
    """The body of a create, with its running number."""
    return PAYMENT.replace(b"%N%", b"%010d" % number)


def sandbox(port: int) -> list[str]:
    """The command of the sandbox; its limit stands far above what can be reached, so every call is counted."""
    command = str(Path(sys.executable).with_name("payment-sandbox"))
    return [command, "serve", "--port", str(port), "--rate-limit", "100000000"]


def _openapi() -> Path:
    """What Prism answers by."""
    taken = {"type": "object", "required": ["amount", "currency"], "properties": {
        "amount": {"type": "integer"}, "currency": {"type": "string"}, "confirm": {"type": "boolean"},
        "payment_method_data": {"type": "object"}, "billing": {"type": "object"}, "metadata": {"type": "object"},
    }}  # fmt: skip
    answers = {"200": {"description": "ok", "content": {"application/json": {"example": ANSWER}}}}
    body = {"required": True, "content": {"application/json": {"schema": taken}}}
    named = [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}]
    paths = {
        "/payments": {"post": {"requestBody": body, "responses": answers}},
        "/payments/{id}": {"get": {"parameters": named, "responses": answers}},
    }
    return _written("prism.json", {"openapi": "3.0.3", "info": {"title": "p", "version": "1"}, "paths": paths})


def _mockoon() -> Path:
    """What Mockoon answers by: a template with a made-up id."""
    made = json.dumps({**ANSWER, "payment_id": "{{uuid}}"})
    routes = [_route("1", "post", "payments", made), _route("2", "get", "payments/:id", json.dumps(ANSWER))]
    order = [{"type": "route", "uuid": one["uuid"]} for one in routes]
    more = {"uuid": "e", "lastMigration": 33, "name": "p", "port": 3000, "hostname": "", "rootChildren": order}
    return _written("mockoon.json", {**more, "routes": routes, "folders": [], "headers": [], "data": []})


def _route(uuid: str, method: str, path: str, body: str) -> dict[str, Any]:
    head = [{"key": "Content-Type", "value": "application/json"}]
    answer = {"uuid": f"r{uuid}", "body": body, "latency": 0, "statusCode": 200, "headers": head, "default": True,
              "bodyType": "INLINE", "rules": [], "rulesOperator": "OR", "label": ""}  # fmt: skip
    return {
        "uuid": uuid,
        "type": "http",
        "method": method,
        "endpoint": path,
        "responses": [answer],
        "documentation": "",
    }


def _written(name: str, value: object) -> Path:
    BUILD.mkdir(parents=True, exist_ok=True)
    path = BUILD / name
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def _imposter(running: Running) -> None:
    """mountebank's own port is for orders; what it mocks listens beside it."""
    answers = {"statusCode": 200, "headers": JSON, "body": json.dumps(ANSWER)}
    stubs = [
        {"predicates": [{"equals": {"method": method}}], "responses": [{"is": answers}]} for method in ("POST", "GET")
    ]
    order = json.dumps({"protocol": "http", "port": running.port + 1, "stubs": stubs}).encode()
    running.ask(Ask("POST", "/imposters", JSON, order))


def _stubs(running: Running) -> None:
    answers = {"status": 200, "headers": JSON, "jsonBody": ANSWER}
    for method in ("POST", "GET"):
        stub = {"request": {"method": method, "urlPathPattern": "/payments.*"}, "response": answers}
        running.ask(Ask("POST", "/__admin/mappings", JSON, json.dumps(stub).encode()))


_FORM: Final = {"Content-Type": "application/x-www-form-urlencoded", "Authorization": "Bearer sk_test_12345"}
_CUSTOMER: Final = b"email=jane.doe%40example.com&description=Order+%N%&name=Jane+Doe&metadata%5Border_id%5D=%N%"
SANDBOX: Final = Server(
    "payment-sandbox", "checks, decides, stores, journals, counts", Path(sys.executable), sandbox,
    Ask("GET", "/_sandbox/livez"), CREATE, RETRIEVE, "payment_id",
)  # fmt: skip
FLASK: Final = Server(
    "Flask alone", "a constant view on our server", Path(sys.executable),
    lambda port: [sys.executable, "-m", "benchmarks.reference", str(port)],
    Ask("GET", "/payments/x"), None, Ask("GET", "/payments/x"),
)  # fmt: skip
OTHERS: Final = (
    Server(
        "localstripe", "stores a customer, pickles everything", PEERS / "venv" / "bin" / "localstripe",
        lambda port: [str(PEERS / "venv" / "bin" / "localstripe"), "--port", str(port), "--from-scratch"],
        Ask("GET", "/v1/customers", _FORM), Ask("POST", "/v1/customers", _FORM, _CUSTOMER),
        Ask("GET", "/v1/customers/%I%", _FORM), "id",
    ),
    Server(
        "Prism", "validates against OpenAPI, fixed answer", NODE / "prism",
        lambda port: [str(NODE / "prism"), "mock", "-p", str(port), "-v", "error", str(_openapi())],
        Ask("GET", "/payments/x"), PLAIN, Ask("GET", "/payments/x"),
    ),
    Server(
        "mountebank", "matches a stub", NODE / "mb",
        lambda port: [str(NODE / "mb"), "--port", str(port), "--nologfile", "--pidfile", str(BUILD / "mb.pid")],
        Ask("GET", "/"), PLAIN, Ask("GET", "/payments/x"), prepare=_imposter,
    ),
    Server(
        "Mockoon", "fills a template", NODE / "mockoon-cli",
        lambda port: [str(NODE / "mockoon-cli"), "start", "-X", "--data", str(_mockoon()), "--port", str(port)],
        Ask("GET", "/payments/x"), PLAIN, Ask("GET", "/payments/x"),
    ),
    Server(
        "WireMock", "matches a stub, journal on", NODE / "wiremock",
        lambda port: [str(NODE / "wiremock"), "--port", str(port), "--disable-banner"],
        Ask("GET", "/__admin/mappings"), PLAIN, Ask("GET", "/payments/x"), prepare=_stubs,
    ),
)  # fmt: skip


def driven(row: Server, running: Running) -> Running:
    """The server as the generator reaches it."""
    return running._replace(port=running.port + 1) if row.prepare is _imposter else running


def ids_of(row: Server, running: Running, many: int = 100) -> list[str]:
    """Objects made to be retrieved."""
    if row.id_key is None or row.create is None:
        return []
    found = []
    for number in range(many):
        body = (row.create.body or b"").replace(b"%N%", b"%010d" % (900_000_000 + number))
        found.append(str(once(running.port, row.create._replace(body=body)).json[row.id_key]))
    return found
