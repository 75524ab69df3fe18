"""What browsers may do: which names a page may call this server by, what its preflights and its answers say."""

from __future__ import annotations

from concurrent.futures import Future
from itertools import product
from typing import Any, Final

import pytest

from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.domain.faults import PARKED, Parked
from mock_server.http.browsers import SHOWN, Browsers
from mock_server.http.running import Answer
from mock_server.settings import Settings
from mock_server.settings.table import EVERYWHERE
from tests.http.from_pages import FROM_PAGE, ORIGIN, path_of
from tests.wire import KEY, PUBLISHABLE, Wire, card_payment, wire

ROWS: Final = [pytest.param(row, id=f"{row.method} {row.path}") for row in OPERATIONS]
ELSEWHERE: Final = ("/nowhere", "/payments/x/y/z", "/", "/payments/redirect/a/b/c", "/docs")
HEADERS: Final = "api-key, x-client-source, X-Anything-At-All, authorization"
READABLE: Final = "Access-Control-Allow-Origin"


@pytest.fixture(scope="module")
def api() -> Wire:
    made = wire()
    made.get("/payments/x_1")  # the key is in use
    return made


# preflights


def preflight(api: Wire, path: str, method: str, **headers: str) -> Any:
    asks = {"Access-Control-Request-Method": method, "Access-Control-Request-Headers": HEADERS, **headers}
    return api.as_key(None).call("OPTIONS", path, headers={**ORIGIN, **asks})


@pytest.mark.parametrize("row", ROWS)
def test_a_preflight_of_any_route_succeeds_for_any_header(api: Wire, row: Operation) -> None:
    reply = preflight(api, path_of(row), row.method)
    assert (reply.status, reply.raw, reply.headers[READABLE]) == (204, b"", "*")
    assert reply.headers["Access-Control-Allow-Headers"] == HEADERS
    assert reply.headers["Access-Control-Max-Age"] == "86400"
    assert row.method in reply.headers["Access-Control-Allow-Methods"].split(", ")
    assert "Access-Control-Allow-Credentials" not in reply.headers
    assert reply.headers.keys() >= set(SHOWN[:4])


def test_a_preflight_names_the_methods_of_its_route(api: Wire) -> None:
    assert preflight(api, "/payments", "DELETE").headers["Access-Control-Allow-Methods"] == "POST"
    assert preflight(api, "/payments/x_1", "GET").headers["Access-Control-Allow-Methods"] == "GET, POST, PUT"


@pytest.mark.parametrize("path", ELSEWHERE)
@pytest.mark.parametrize("method", ["GET", "PATCH"])
def test_a_preflight_of_an_unknown_path_succeeds_too(api: Wire, path: str, method: str) -> None:
    reply = preflight(api, path, method)
    assert (reply.status, reply.headers["Access-Control-Allow-Methods"]) == (204, method)
    assert api.as_key(None).call("GET", "/nowhere", headers=ORIGIN).headers[READABLE] == "*"


@pytest.mark.parametrize("path", ["/_sandbox", "/_sandbox/", "/_sandbox/clock", "/_sandbox/ui", "/_sandbox/docs"])
@pytest.mark.parametrize("asks", [{}, {"Access-Control-Request-Method": "GET"}])
def test_nothing_is_opened_under_sandbox(api: Wire, path: str, asks: dict[str, str]) -> None:
    for method in ("OPTIONS", "GET"):
        reply = api.as_key(None).call(method, path, headers={**ORIGIN, **asks})
        assert not [name for name in reply.headers if name.startswith("Access-Control")]
        assert method == "GET" or reply.status in (404, 405)


# answers


def told_pages(api: Wire, key: str | None) -> dict[str, dict[str, str]]:
    """What the answer of each operation says to browsers."""
    found = {}
    for row in OPERATIONS:
        reply = api.as_key(key).call(row.method, path_of(row), headers=ORIGIN)
        found[f"{row.method} {row.path}"] = {
            name: value for name, value in reply.headers.items() if name.startswith("Access-Control")
        }
    return found


@pytest.mark.parametrize("key", [PUBLISHABLE, None, "epk_0123456789", "prd_0123456789", "pk_snd_nobody_used_it"])
def test_pages_read_any_answer_to_a_key_that_is_for_pages(api: Wire, key: str | None) -> None:
    for route, told in told_pages(api, key).items():
        assert told[READABLE] == "*", route
        assert set(told["Access-Control-Expose-Headers"].split(", ")) == set(SHOWN), route


@pytest.mark.parametrize("key", [KEY, "snd_nobody_used_it", "an_admin"])
def test_pages_read_no_answer_to_a_secret_or_an_admins_key(api: Wire, key: str) -> None:
    assert {route: told for route, told in told_pages(api, key).items() if told} == {}


def test_a_program_is_told_nothing_of_it(api: Wire) -> None:
    reply = api.as_key(PUBLISHABLE).get("/payments/x_1")
    assert not [name for name in reply.headers if name.startswith("Access-Control")]


def test_a_browser_sdk_reads_an_answer_that_waited_for_a_webhook(api: Wire) -> None:
    assert api.post("/_sandbox/scenarios/webhook_before_response/activate").status == 200
    api.put("/_sandbox/webhooks/target", {"url": "http://127.0.0.1:9/nobody"})
    made = api.post("/payments", card_payment())
    path, body = f"/payments/{made['payment_id']}/confirm", {"client_secret": made["client_secret"]}
    reply = api.as_key(PUBLISHABLE).call("POST", path, body, headers=ORIGIN)
    api.post("/_sandbox/scenarios/webhook_before_response/deactivate")
    assert (reply.status, reply.headers[READABLE]) == (200, "*")


# workspaces


def test_an_answer_that_nobody_waits_for_any_more_is_cancelled_where_it_is_made() -> None:
    ready: Future[Answer] = Future()

    def app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        environ[PARKED] = Parked(ready, 1.0, lambda: Answer(200, b"late"))
        start_response("200 OK", [])
        return []

    environ: dict[str, Any] = {"PATH_INFO": "/payments", "REQUEST_METHOD": "POST", **FROM_PAGE}
    Browsers(app, Settings(), lambda path: [], lambda *_: [], "/none", tuple)(environ, lambda *_: None)
    environ[PARKED].ready.cancel()
    assert ready.cancelled()


def test_a_publishable_key_makes_nothing() -> None:
    api = wire()
    for key, path in product(("pk_snd_nobody_used_it", "pk_snd_other_one"), ("/payments/x_1", "/payments", "/health")):
        for headers in ({}, ORIGIN):
            reply = api.as_key(key).call("GET" if path != "/payments" else "POST", path, headers=headers)
            assert (reply.status, reply.error["code"]) == (401, "IR_01")
            assert reply.error["message"].startswith("This key is publishable")
    assert not api.sandbox.workspaces()
    api.as_key("snd_nobody_used_it").get("/payments/x_1")
    assert api.as_key("pk_snd_nobody_used_it").get("/payments/x_1?client_secret=x").status == 404


def test_a_publishable_key_is_known_once_its_secret_key_was_issued() -> None:
    api = wire()
    admin = api.as_key("an_admin")
    admin.post("/accounts", {"merchant_id": "shop_1"})
    issued = admin.post("/api_keys/shop_1", {"name": "first", "expiration": "never"})["api_key"]
    assert api.as_key(f"pk_{issued}").get("/payments/x_1?client_secret=x").status == 404
    listed = wire(keys=("snd_listed_key",))
    assert listed.as_key("pk_snd_listed_key").get("/payments/x_1?client_secret=x").status == 404
    assert listed.as_key("pk_snd_other_key").get("/payments/x_1?client_secret=x").status == 401


def test_a_page_of_another_site_makes_no_workspace_with_any_key() -> None:
    api = wire()
    for number in range(5):
        reply = api.as_key(f"snd_guessed_{number}").call("GET", "/payments/x_1", headers=ORIGIN)
        assert (reply.status, reply.error["code"]) == (403, "IR_22")
        assert api.as_key("any").call("POST", "/accounts", {}, headers=ORIGIN).status == 403
    assert not api.sandbox.workspaces()
    own = {"Origin": "http://localhost", "Referer": "http://localhost/_sandbox/docs"}
    assert api.as_key("snd_own_page").call("GET", "/payments/x_1", headers=own).status == 404
    assert api.as_key("snd_own_page").call("GET", "/payments/x_1", headers=ORIGIN).status == 404


# names


OWN_HOSTS: Final = (
    "localhost", "localhost:12190", "LOCALHOST:1", "127.0.0.1:8080", "127.8.8.8", "[::1]:12190", "10.1.2.3",
    "192.168.0.7:80", "8.8.8.8", "[2606:4700::1111]", "[fd00::1]", "[::ffff:127.0.0.1]:80", "localhost.",
    "shop.localhost:80", "sandbox:12190", "host.docker.internal", "sandbox.internal:12190", "allowed.example",
    "Allowed.Example:80", "pay.example.test", "",
)  # fmt: skip
FOREIGN_HOSTS: Final = (
    "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "evil.example:127", "localhost@evil.example",
    "127.1", "256.0.0.1", "allowed.example.evil.example", "evil.", "[::1].evil.example", "evillocalhost.test",
)  # fmt: skip
STEERED: Final = (
    "/_sandbox", "/_sandbox/version", "/_sandbox/workspaces", "/_sandbox/metrics", "/_sandbox/docs",
    "/_sandbox/openapi.json", "/_sandbox/ui", "/_sandbox/nowhere", "/_sandbox/downloads/m/r.csv",
)  # fmt: skip
BROWSERS: Final = (
    {"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "same-origin"},
    {"Sec-Fetch-Dest": "empty"}, {"Sec-Fetch-User": "?1"}, {"Sec-Fetch-Storage-Access": "none"},
)  # fmt: skip


@pytest.fixture(scope="module")
def named() -> Wire:
    settings: dict[str, Any] = {
        "host": "sandbox.internal",
        "public_url": "https://pay.example.test",
        "allowed_hosts": ("allowed.example",),
    }
    made = wire(**settings)
    made.get("/health")  # the key is in use, whichever of these tests is first
    return made


@pytest.mark.parametrize("host", OWN_HOSTS)
@pytest.mark.parametrize("headers", [{}, {"Sec-Fetch-Site": "same-origin"}], ids=["a program", "a browser"])
def test_the_server_is_called_by_names_of_its_own(named: Wire, host: str, headers: dict[str, str]) -> None:
    assert named.call("GET", "/_sandbox/version", headers={"Host": host, **headers}).status == 200
    assert named.call("GET", "/health", headers={"Host": host, **headers}).status == 200


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
def test_the_control_api_is_not_called_by_a_foreign_name(named: Wire, host: str) -> None:
    for path in STEERED:
        reply = named.call("GET", path, headers={"Host": host})
        assert reply.status == 403
        assert "allowed_hosts" in reply.raw.decode()
    for path in ("/_sandbox/livez", "/_sandbox/readyz"):
        assert named.call("GET", path, headers={"Host": host}).status == 200


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
def test_a_browser_does_not_call_the_api_by_a_foreign_name(named: Wire, host: str) -> None:
    assert named.call("GET", "/health", headers={"Host": host}).status == 200
    for headers in BROWSERS:
        for path in ("/health", "/payments/redirect/a/b/c", "/nowhere"):
            reply = named.call("GET", path, headers={"Host": host, **headers})
            assert (reply.status, reply.error["code"]) == (403, "IR_22")
            assert READABLE not in reply.headers


def test_the_forwarded_host_counts_only_behind_a_proxy_that_is_trusted() -> None:
    headers = {"Host": "localhost", "X-Forwarded-Host": "evil.example"}
    assert wire().call("GET", "/_sandbox/version", headers=headers).status == 200
    assert wire(trust_proxy=EVERYWHERE).call("GET", "/_sandbox/version", headers=headers).status == 403
