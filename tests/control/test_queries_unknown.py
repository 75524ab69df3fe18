"""No control call passes over what it does not know: parameters of its query, and any field of an endpoint's body."""

from __future__ import annotations

from itertools import product

import pytest

from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.operation import Operation
from mock_server.contract.operations import HEALTH
from tests.wire import Wire, wire

STRICT = [row for row in CONTROL_OPERATIONS if row.path not in HEALTH]


@pytest.fixture(scope="module")
def one() -> Wire:
    return wire()


@pytest.mark.parametrize("row", STRICT, ids=lambda row: row.name)
def test_an_unknown_parameter_is_refused(one: Wire, row: Operation) -> None:
    path = row.path.replace("<kind>", "payments").replace("<number>", "1").replace("<", "").replace(">", "")
    reply = one.call(row.method, f"{path}?odd_one=1")
    assert (reply.status, reply.error["code"]) == (400, "IR_04" if row.name == "control.search" else "IR_06")
    assert b"odd_one" in reply.raw, "also where a needed one is missing"


@pytest.mark.parametrize("path", sorted(HEALTH))
def test_a_health_check_may_have_any(one: Wire, path: str) -> None:
    assert one.get(f"{path}?verbose").status == 200


def test_two_ways_to_leave_events_out_do_not_go_together(one: Wire) -> None:
    assert one.get("/_sandbox/webhooks?after=1&offset=1").error["code"] == "IR_04"


Body = dict[str, str | None]
URLS: list[Body] = [{}, {"url": None}, {"url": "http://localhost:8/own"}]
SECRETS: list[Body] = [{}, {"secret": None}, {"secret": "mine"}]
BODIES = [{**url, **secret} for url, secret in product(URLS, SECRETS)]


@pytest.mark.parametrize("server", [None, "http://localhost:9/server"])
@pytest.mark.parametrize("before", [{}, {"url": "http://localhost:7/before", "secret": "before"}], ids=["new", "set"])
@pytest.mark.parametrize("body", BODIES, ids=str)
def test_an_endpoint_is_what_was_put(body: Body, before: dict[str, str], server: str | None) -> None:
    api = wire(webhook_url=server, webhook_secret="of the server")
    if before:
        api.put("/_sandbox/webhooks/target", before)
    shown = {"url": body.get("url"), "secret": body.get("secret") or "of the server"}
    for reply in (api.put("/_sandbox/webhooks/target", body), api.get("/_sandbox/webhooks/target")):
        assert reply.json == {**shown, "profile_id": None, "set_by": "workspace"}
    api.pay()
    assert (api.get("/_sandbox/webhooks")["data"][-1]["fate"] is None) == bool(shown["url"])


@pytest.mark.parametrize("body", BODIES, ids=str)
def test_so_is_that_of_a_profile(one: Wire, body: Body) -> None:
    """Without a URL of its own, its events go where those of all profiles go; its key is kept."""
    others = {**one.get("/_sandbox/webhooks/target").json, "profile_id": "pro_a"}
    own = {"url": "http://localhost:8/own", "profile_id": "pro_a"}
    old = one.put("/_sandbox/webhooks/target", own)["secret"]
    reply = one.put("/_sandbox/webhooks/target", {**body, "profile_id": "pro_a"})
    secret = body.get("secret") or old
    assert reply.json == ({**own, "secret": secret, "set_by": "profile"} if body.get("url") else others)
    assert one.put("/_sandbox/webhooks/target", own)["secret"] == secret


def test_a_snapshot_of_an_endpoint_without_a_url_is_restored() -> None:
    api = wire(webhook_url="http://localhost:9/server")
    stopped = api.put("/_sandbox/webhooks/target", {"secret": "mine"}).json
    api.put("/_sandbox/snapshots/stopped")
    api.put("/_sandbox/webhooks/target", {"url": "http://localhost:8/own"})
    assert api.post("/_sandbox/snapshots/stopped/restore").status == 200
    assert api.get("/_sandbox/webhooks/target").json == stopped
