"""No call of a browser's page creates a workspace, whatever it calls and with whatever key; programs' calls do."""

from __future__ import annotations

import json
import shutil
import subprocess
from itertools import product
from typing import Final
from urllib.parse import urlencode

import pytest

from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.operations import OPERATIONS
from mock_server.domain.api_keys import ApiKey, parse
from tests.counts import times
from tests.http.from_pages import path_of
from tests.running import RunningSandbox
from tests.wire import Wire, wire

LISTED: Final = "snd_listed_key"
PAGES: Final[dict[str, dict[str, str]]] = {
    "another site's, by cors": {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
    "another site's, over plain http": {"Origin": "http://evil.example"},
    "a sandboxed frame's": {"Origin": "null", "Sec-Fetch-Site": "cross-site"},
    "another site's, without cors": {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
    "another port's, without cors": {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"},
    "the checkout frame's, a GET": {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"},
    "the checkout frame's, a POST": {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"},
    "a shop's that may use the control API": {"Origin": "http://shop.localhost", "Sec-Fetch-Site": "same-site"},
    "another site's that names the docs": {
        "Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site", "Referer": "http://localhost/_sandbox/docs"},
    "another site's under a path like ours": {
        "Origin": "https://evil.example", "Referer": "https://evil.example/_sandbox/docs"},
    "one under a foreign name, over plain http": {
        "Host": "evil.example", "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36"},
    "a customer page's": {"Sec-Fetch-Site": "same-origin", "Referer": "http://localhost/payment_link/pay_1/m"},
}  # fmt: skip
PROGRAMS: Final[dict[str, dict[str, str]]] = {
    "curl": {"User-Agent": "curl/8.5.0", "Accept": "*/*"},
    "Node's fetch": {
        "Accept": "*/*", "Accept-Language": "*", "Sec-Fetch-Mode": "cors", "User-Agent": "node",
        "Accept-Encoding": "gzip, deflate"},
    "undici's fetch": {"Accept": "*/*", "Accept-Language": "*", "Sec-Fetch-Mode": "cors", "User-Agent": "undici"},
    "undici's request": {},
    "axios": {"Accept": "application/json, text/plain, */*", "User-Agent": "axios/1.7.9", "Accept-Encoding": "gzip"},
    "Deno": {"Accept": "*/*", "Accept-Language": "*", "User-Agent": "Deno/2.1.4", "Accept-Encoding": "gzip,br"},
    "requests": {"User-Agent": "python-requests/2.32", "Accept": "*/*", "Connection": "keep-alive"},
    "a page opened by hand": {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"},
    "the docs, a GET": {"Sec-Fetch-Site": "same-origin", "Referer": "http://localhost/_sandbox/docs"},
    "the docs, a POST": {
        "Origin": "http://localhost", "Sec-Fetch-Site": "same-origin", "Referer": "http://localhost/_sandbox/docs"},
    "the docs, over plain http": {"Origin": "http://localhost", "Referer": "http://localhost/_sandbox/docs"},
}  # fmt: skip
"""The headers as these programs send them."""
ROWS: Final = (*OPERATIONS, *CONTROL_OPERATIONS)
SHARE: Final = times(11, soak=1)
"""Every how many-th combination is tried."""


@pytest.fixture
def api() -> Wire:
    return wire(keys=(LISTED, "snd_fresh_key"), control_origins=("http://shop.localhost",), workspaces=3)


def evicted(api: Wire) -> tuple[str, str]:
    """An issued key whose workspace was evicted, and its publishable twin, which stands on a shop's pages."""
    admin = api.as_key("an_admin")
    admin.post("/accounts", {"merchant_id": "shop_1"})
    secret = admin.post("/api_keys/shop_1", {"name": "first", "expiration": "2099-01-01T00:00:00Z"})["api_key"]
    for workspace in api.sandbox.workspaces():
        api.sandbox.end_in(workspace.space.name)
    key = parse(secret)
    assert isinstance(key, ApiKey)
    return secret, key.twin().text


def test_no_call_of_a_page_makes_a_workspace(api: Wire) -> None:
    issued = evicted(api)
    api.put("/_sandbox/snapshots/x_1", {})
    keys = (LISTED, "pk_snd_listed_key", *issued, "any_admin", "epk_01234567-89ab-4cde-8f01-23456789abcd")
    made = []
    for number, (row, (page, headers), key) in enumerate(product(ROWS, PAGES.items(), keys)):
        if number % SHARE:
            continue
        api.as_key(key).call(row.method, path_of(row), {} if row.method != "GET" else None, headers=headers)
        if found := api.sandbox.workspaces():
            made.append(f"{page}: {row.name} with {key}")
        for workspace in found:
            api.sandbox.end_in(workspace.space.name)
    assert not made, f"{len(made)}:\n" + "\n".join(made[:20])


@pytest.mark.parametrize("path", ["/HyperLoader.js", "/checkout/frame"])
def test_a_page_that_loads_the_checkout_makes_nothing(api: Wire, path: str) -> None:
    secret, public = evicted(api)
    for key, headers in product((public, "pk_snd_listed_key", secret), PAGES.values()):
        reply = api.as_key(None).call("GET", f"{path}?{urlencode({'key': key})}", headers=headers)
        assert reply.status == 200
        assert not api.sandbox.workspaces()


@pytest.mark.parametrize("headers", PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.parametrize("call", [("GET", "/payments/x_1", 404), ("POST", "/_sandbox/reset", 200)], ids=lambda c: c[1])
def test_a_program_with_a_new_key_makes_its_workspace(
    api: Wire, headers: dict[str, str], call: tuple[str, str, int]
) -> None:
    method, path, status = call
    assert api.as_key("snd_fresh_key").call(method, path, headers=headers).status == status
    assert len(api.sandbox.workspaces()) == 1


def test_a_page_is_told_what_to_do() -> None:
    reply = wire().call("GET", "/payments/x_1", headers=PAGES["the checkout frame's, a GET"])
    assert (reply.status, reply.error["code"]) == (403, "IR_22")
    assert "make the first call with this key from a server" in reply.error["message"]


def test_a_page_uses_a_workspace_that_is_there() -> None:
    api = wire()
    api.get("/payments/x_1")
    assert {api.call("GET", "/payments/x_1", headers=headers).status for headers in PAGES.values()} == {404}


NODE: Final = """
const [base, key] = process.argv.slice(1);
const call = async (headers, path, more) =>
  (await fetch(base + path, {headers: {"api-key": key, ...headers}, ...more})).status;
const body = JSON.stringify({amount: 100, currency: "USD", profile_id: "pro_shop"});
const made = await call({"Content-Type": "application/json"}, "/payments", {method: "POST", body});
console.log(JSON.stringify([made, await call({}, "/payments/x_1")]));
"""


def test_nodes_own_fetch_with_a_new_key() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not here")
    with RunningSandbox() as sandbox:
        command = [node, "--input-type=module", "-e", NODE, sandbox.base, "snd_fresh_of_node"]
        told = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(told.stdout) == [200, 404]
