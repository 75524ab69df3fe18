"""Every rule that looks at a path sees one form of it, however it is written; what could be read twice is refused."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from random import Random
from typing import Any, Final, NamedTuple
from urllib.parse import unquote_to_bytes

import pytest

from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.operations import OPERATIONS
from mock_server.domain.faults import PassOn
from mock_server.front import serve
from mock_server.pages.links import ROUTES
from mock_server.sandbox import Sandbox, build
from mock_server.server import Server
from mock_server.settings import Settings
from tests.counts import times
from tests.http.spellings import REFUSED, SAME, Spell
from tests.sockets import exchanged
from tests.wire import KEY, Wire, wire

ROUNDS: Final = times(2, soak=10)
"""How often each rule meets each spelling; every route meets one of each as often."""
CARD: Final = "4242424242424242"
FOREIGN: Final = "evil.example"
OWN: Final = "localhost"
PAGE: Final = {"Origin": f"http://{FOREIGN}"}
VOLATILE: Final = frozenset({"date", "x-request-id", "x-ratelimit-remaining", "x-ratelimit-reset", "connection"})
Answered = tuple[int, str, tuple[str, ...]]
"""Status, code of the error, names of headers."""


class Rule(NamedTuple):
    """A rule that looks at paths, and a call to which it applies."""

    about: str
    method: str
    path: str
    status: int
    host: str = OWN
    headers: dict[str, str] = {}  # noqa: RUF012 - never changed
    body: bytes = b""
    needs_server: bool = False


RULES: Final = (
    Rule("guard of the control API", "GET", "/_sandbox/journal", 403, FOREIGN),
    Rule("guard of the document", "GET", "/_sandbox/openapi.json", 403, FOREIGN),
    Rule("guard of the dashboard", "GET", "/_sandbox/ui", 403, FOREIGN),
    Rule("guard of what no route has", "GET", "/_sandbox/nowhere", 403, FOREIGN),
    Rule("health is for every name", "GET", "/_sandbox/livez", 200, FOREIGN),
    Rule("guard of the API, from a page", "GET", "/health", 403, FOREIGN, PAGE),
    Rule("origin of a control call", "POST", "/_sandbox/reset", 403, headers=PAGE),
    Rule("origin of a button", "POST", "/_sandbox/ui", 403),
    Rule("preflight", "OPTIONS", "/payments/pay_1", 204, headers={**PAGE, "Access-Control-Request-Method": "PUT"}),
    Rule("no preflight of the control API", "OPTIONS", "/_sandbox/clock", 405, headers={
        **PAGE, "Access-Control-Request-Method": "GET"}),
    Rule("a fixed path before an id", "GET", "/payments/list", 200),
    Rule("a method that a route has not", "PATCH", "/payments", 405),
    Rule("a feature that is not offered", "GET", "/payouts/x", 501),
    Rule("a path that no route has", "GET", "/nowhere/else", 404),
    Rule("upper case", "GET", "/Payments/list", 404),
    Rule("the configuration of a script", "GET", "/v1/sdk/configs/web/sdk_config.json", 200),
    Rule("size of a body", "POST", "/payments", 413, body=b" " * 3_000, needs_server=True),
    Rule("size of an upload", "POST", "/files", 413, body=b" " * 90_000, needs_server=True),
    Rule("size of a scenario", "PUT", "/_sandbox/scenarios/a", 413, body=b" " * 9_000, needs_server=True),
    Rule("size of a snapshot", "PUT", "/_sandbox/snapshots/a", 413, body=b" " * 17_000, needs_server=True),
    Rule("size of a form", "POST", "/_sandbox/ui/x/scenarios/new", 413, body=b" " * 9_000, needs_server=True),
)  # fmt: skip


class Door:
    """How calls come in: from a target in a request line, to an answer."""

    name = "the server"

    def __init__(self, sandbox: Sandbox, server: Server) -> None:
        self.sandbox, self._server = sandbox, server

    def ask(self, rule: Rule, target: str) -> Answered:
        sent = {"Host": rule.host, "api-key": KEY, "Connection": "close", "Content-Type": "application/json",
                "Content-Length": str(len(rule.body)), **rule.headers}  # fmt: skip
        head = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        request = f"{rule.method} {target} HTTP/1.1\r\n{head}\r\n".encode("latin-1")
        reply = exchanged(self._server.port, request + rule.body)
        return seen(reply.status, reply.headers, reply.raw)


class ForeignDoor:
    """Another WSGI server: it decodes the path by itself, and mostly says what it was."""

    def __init__(self, api: Wire, name: str) -> None:
        self.sandbox, self.name = api.sandbox, name
        self._app: Any = api.app.wsgi_app

    def ask(self, rule: Rule, target: str) -> Answered:
        host, path = rule.host, target
        if not target.startswith("/"):
            host, slash, path = target.split("://", 1)[1].partition("/")
            path = slash + path
        environ: dict[str, Any] = {
            "REQUEST_METHOD": rule.method, "PATH_INFO": unquote_to_bytes(path).decode("latin-1"), "SCRIPT_NAME": "",
            "QUERY_STRING": "", "HTTP_HOST": host, "HTTP_API_KEY": KEY, "CONTENT_TYPE": "application/json",
            "SERVER_NAME": "x", "SERVER_PORT": "80", "SERVER_PROTOCOL": "HTTP/1.1", "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(rule.body), "CONTENT_LENGTH": str(len(rule.body)), "wsgi.errors": io.StringIO(),
            **{f"HTTP_{name.upper().replace('-', '_')}": value for name, value in rule.headers.items()},
            **({} if self.name == "nothing" else {self.name: target}),
        }  # fmt: skip
        begun: list[Any] = []
        body = b"".join(self._app(environ, lambda status, headers, *_: begun.extend((status, headers))))
        return seen(int(begun[0].split()[0]), dict(begun[1]), body)


def seen(status: int, headers: dict[str, str], body: bytes) -> Answered:
    try:
        found = json.loads(body)
        code = found["error"]["code"] if "error" in found else ""
    except (ValueError, TypeError, KeyError):
        code = ""
    allowed = headers.get("Access-Control-Allow-Methods", "")
    return status, code + allowed, tuple(sorted({name.lower() for name in headers} - VOLATILE))


LIMITS: Final[dict[str, Any]] = {
    "max_body": 2_048,
    "max_evidence_body": 4_096,
    "max_control_body": 8_192,
    "max_snapshot": 16_384,
}


@pytest.fixture(scope="module")
def doors() -> Iterator[dict[str, Door | ForeignDoor]]:
    with ExitStack() as held:
        sandbox = build(Settings(**LIMITS, seed="tests", rate_limit=0))
        server = held.enter_context(serve(sandbox, "127.0.0.1", 0))
        yield {
            "server": Door(sandbox, server),
            **{name: ForeignDoor(wire(**LIMITS), name) for name in ("RAW_URI", "REQUEST_URI", "nothing")},
        }


DOORS: Final = ("server", "RAW_URI", "REQUEST_URI", "nothing")


def spelled(spell: Spell, path: str, host: str, seed: str) -> Iterator[str]:
    for number in range(ROUNDS):
        yield spell(path, Random(f"{seed} {number}")).replace("HOST", host)


def wrong_with(door: Door | ForeignDoor, rules: tuple[Rule, ...]) -> list[str]:
    """Every target that is not answered as the plain path is, or that is not refused."""
    found: list[str] = []
    for rule in rules:
        if rule.needs_server and not isinstance(door, Door):
            continue
        door.ask(rule, rule.path)  # what was there before may be gone now, as a snapshot is
        expected = door.ask(rule, rule.path)
        if rule.status and expected[0] != rule.status:
            found.append(f"{rule.about}: {rule.path} itself gives {expected[:2]}")
        for name, spell in SAME.items():
            found += _wrong(door, rule, name, spell, expected)
        for name, spell in REFUSED.items():
            if name == "encoded slashes" and door.name == "nothing":
                continue  # such a server has made plain ones of them, for everything that looks
            found += _wrong(door, rule, name, spell, (400, "IR_06"))
    return found


def _wrong(
    door: Door | ForeignDoor, rule: Rule, name: str, spell: Spell, expected: tuple[object, ...]
) -> Iterator[str]:
    for target in spelled(spell, rule.path, rule.host, f"{rule.about} {name}"):
        if (came := door.ask(rule, target))[: len(expected)] != expected:
            yield f"{rule.about}, {name}: {rule.method} {target} gives {came[:2]}, not {expected[:2]}"


@pytest.mark.parametrize("door", DOORS)
def test_every_rule_sees_one_form_of_a_path(doors: dict[str, Door | ForeignDoor], door: str) -> None:
    found = wrong_with(doors[door], RULES)
    assert not found, f"{len(found)}:\n" + "\n".join(found[:20])


EVERY: Final = tuple(
    Rule(row.name, row.method, "/".join("x_1" if part.startswith("<") else part for part in row.path.split("/")), 0)
    for row in (*OPERATIONS, *CONTROL_OPERATIONS, *ROUTES)
)


@pytest.mark.parametrize("door", ["server", "RAW_URI"])
def test_every_route_answers_to_every_spelling_alike(doors: dict[str, Door | ForeignDoor], door: str) -> None:
    draw = Random(door)
    rules = EVERY if ROUNDS > 2 else tuple(draw.sample(EVERY, 25))
    found = wrong_with(doors[door], rules)
    assert not found, f"{len(found)}:\n" + "\n".join(found[:20])


# what is not in the answer


def ways(path: str, about: str) -> Iterator[str]:
    for name, spell in SAME.items():
        yield from spelled(spell, path, OWN, f"{about} {name}")


@pytest.mark.parametrize(
    "path",
    ["/_sandbox/workspaces", "/_sandbox/ui", "/analytics/v1/metrics/payments", "/accounts/x", "/api_keys/x/list"],
)
def test_what_may_block_is_on_the_pool(path: str) -> None:
    """With a pool that takes nobody: what is not on it would be answered. The registry blocks with replicas."""
    sandbox = build(Settings())
    sandbox.is_alone = False
    with serve(sandbox, "127.0.0.1", 0, max_working=0) as server:
        door = Door(sandbox, server)
        found = [target for target in ways(path, path) if door.ask(Rule("", "GET", path, 0), target)[0] != 503]
        healthy = [door.ask(Rule("", "GET", "", 0), target)[0] for target in ways("/_sandbox/livez", path)]
    assert (found, set(healthy)) == ([], {200})


def test_the_journal_has_the_one_form_without_card_numbers() -> None:
    api = wire(journal=100_000)
    door, path = ForeignDoor(api, "RAW_URI"), f"/payments/{CARD}/capture"
    for target in ways(path, "journal"):
        door.ask(Rule("", "POST", path, 0), target)
    lines = api.get("/_sandbox/journal?limit=100")["data"]
    assert {line["path"] for line in lines} == {"/payments/[hidden]/capture"}


def test_a_repeated_call_is_one_however_its_path_is_written() -> None:
    api = wire()
    rule = Rule("", "POST", "/customers", 200, headers={"X-Idempotency-Key": "once"}, body=b'{"name": "A"}')
    for target in ways(rule.path, "idempotency"):
        assert ForeignDoor(api, "RAW_URI").ask(rule, target)[0] == 200
    assert api.get("/customers/list")["total_count"] == 1


def test_the_owner_sees_what_the_replica_saw() -> None:
    heard: list[str] = []

    def owner(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        heard.append(environ["PATH_INFO"])
        start_response("200 OK", [])
        return [b"{}"]

    def replica(url: str, environ: dict[str, Any], start_response: Any) -> list[bytes]:
        heard.append(environ["PATH_INFO"])
        raise PassOn(url)

    with Server(owner) as owns, Server(partial(replica, owns.address)) as passes:
        door = Door(build(Settings()), passes)
        for target in ways("/payments/pay_1", "pass on"):
            assert door.ask(Rule("", "GET", "", 0), target)[0] == 200
    assert set(heard) == {"/payments/pay_1"}
    assert len(heard) == 2 * len(SAME) * ROUNDS
