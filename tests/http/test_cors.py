"""What a page of any site may call: the routes of a publishable key, and nothing else."""

from __future__ import annotations

import pytest

from mock_server.domain.api_keys import KeyKind
from mock_server.domain.operations import OPERATIONS, Operation
from mock_server.http.cors import SHOWN, TAKEN
from tests.wire import PUBLISHABLE, Wire, wire

ORIGIN = {"Origin": "https://shop.example.test"}
ROWS = [pytest.param(row, id=f"{row.method} {row.path}") for row in OPERATIONS]


@pytest.fixture(scope="module")
def api() -> Wire:
    return wire()


def path_of(row: Operation) -> str:
    return "/".join("x_1" if part.startswith("<") else part for part in row.path.split("/"))


def is_open(row: Operation) -> bool:
    return KeyKind.PUBLISHABLE in row.keys


@pytest.mark.parametrize("row", ROWS)
def test_preflights_are_answered_for_the_browsers_routes_alone(api: Wire, row: Operation) -> None:
    headers = {**ORIGIN, "Access-Control-Request-Method": row.method, "Access-Control-Request-Headers": "api-key"}
    reply = api.as_key(None).call("OPTIONS", path_of(row), headers=headers)
    allowed = reply.headers.get("Access-Control-Allow-Methods", "").split(", ")
    if is_open(row):
        assert (reply.status, reply.raw) == (204, b"")
        assert row.method in allowed
        assert reply.headers["Access-Control-Allow-Origin"] == "*"
        assert set(reply.headers["Access-Control-Allow-Headers"].split(", ")) == set(TAKEN)
    else:
        assert row.method not in allowed
    assert "Access-Control-Allow-Credentials" not in reply.headers


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("key", [PUBLISHABLE, None, "prd_0123456789"])
def test_any_answer_there_can_be_read_also_a_refusal(api: Wire, row: Operation, key: str | None) -> None:
    reply = api.as_key(key).call(row.method, path_of(row), headers=ORIGIN)
    assert (reply.headers.get("Access-Control-Allow-Origin") == "*") is is_open(row)
    if is_open(row):
        assert set(reply.headers["Access-Control-Expose-Headers"].split(", ")) == set(SHOWN)


def test_a_program_is_told_nothing_of_it(api: Wire) -> None:
    reply = api.get("/payments/x_1")
    assert not [name for name in reply.headers if name.startswith("Access-Control")]


@pytest.mark.parametrize("path", ["/payments", "/payments/list", "/health", "/nowhere", "/_sandbox/clock"])
@pytest.mark.parametrize("asks", [{}, {"Access-Control-Request-Method": "POST"}])
def test_other_questions_about_options_are_refused_in_the_envelope(api: Wire, path: str, asks: dict[str, str]) -> None:
    reply = api.call("OPTIONS", path, headers={**ORIGIN, **asks})
    assert reply.status in (404, 405)
    assert reply.error["code"] in ("IR_02", "IR_03")
    assert "Access-Control-Allow-Origin" not in reply.headers


def test_a_browser_sdk_confirms_a_payment(api: Wire) -> None:
    made = api.post("/payments", {"amount": 100, "currency": "EUR", "profile_id": "pro_shop"})
    path = f"/payments/{made['payment_id']}?client_secret={made['client_secret']}"
    reply = api.as_key(PUBLISHABLE).call("GET", path, headers=ORIGIN)
    assert (reply.status, reply.headers["Access-Control-Allow-Origin"]) == (200, "*")
