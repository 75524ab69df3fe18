"""The server's own address: a page for people, a list for programs, and the way from there to everything."""

from __future__ import annotations

import re

import pytest

from tests.wire import Wire, wire

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
PLACES = ["/", "/_sandbox", "/_sandbox/"]


@pytest.fixture(scope="module")
def api() -> Wire:
    return wire().as_key(None)


@pytest.mark.parametrize("path", PLACES)
def test_a_person_gets_a_page_that_leads_on(api: Wire, path: str) -> None:
    reply = api.get(path, Accept=BROWSER)
    page = reply.raw.decode()
    assert (reply.status, reply.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert reply.headers["Vary"] == "Accept"
    assert {'href="/_sandbox/ui"', 'href="/_sandbox/docs"'} <= set(re.findall(r'href="[^"]+"', page))


@pytest.mark.parametrize("path", PLACES)
@pytest.mark.parametrize("accept", ["*/*", "application/json", "", "text/plain"])
def test_a_program_gets_a_list(api: Wire, path: str, accept: str) -> None:
    reply = api.get(path, Accept=accept, Host="sandbox:8080")
    assert (reply.status, reply.headers["Content-Type"]) == (200, "application/json")
    assert reply["name"] == "payment-sandbox"
    for name in ("dashboard", "docs", "openapi", "health"):
        at = reply[name].removeprefix("http://sandbox:8080")
        assert api.get(at).status == 200


def test_a_head_says_as_much(api: Wire) -> None:
    assert api.call("HEAD", "/").status == 200
    assert api.post("/").status == 405


@pytest.mark.parametrize("path", ["/docs", "/openapi.json"])
def test_addresses_that_are_often_tried_are_told_where_it_is(api: Wire, path: str) -> None:
    reply = api.get(path)
    assert (reply.status, reply.error["code"]) == (404, "IR_02")
    assert "/_sandbox/docs" in reply.error["message"]
    assert "/_sandbox/openapi.json" in reply.error["message"]


def test_dashboard_and_docs_lead_to_each_other() -> None:
    api = wire().as_key(None)
    assert 'href="/_sandbox/docs"' in api.get("/_sandbox/ui").raw.decode()
    assert 'href="/_sandbox/ui"' in api.get("/_sandbox/docs").raw.decode()
