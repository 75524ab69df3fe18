"""The order in which a call is checked: each neighbouring pair, both wrong at once (decisions "Order of checks")."""

# ruff: noqa: E501 — one row, one line
from __future__ import annotations

from collections.abc import Callable

import pytest

from mock_server.domain.errors import Cause
from tests.wire import Reply, Wire, card_payment, wire

BAD_KEY = {"api-key": "nonsense"}
BIG = b'{"description":"' + b"x" * (1 << 20) + b'"}'


def over_the_limit() -> Wire:
    api = wire(rate_limit=1)
    api.get("/health")
    return api


PAIRS: list[tuple[str, Callable[[Wire], Reply], int, str]] = [
    ("path before key", lambda api: api.call("GET", "/nowhere", headers=BAD_KEY), 404, "IR_02"),
    ("method before key", lambda api: api.call("PATCH", "/payments", headers=BAD_KEY), 405, "IR_03"),
    ("key before JSON", lambda api: api.call("POST", "/payments", raw=b"{", headers=BAD_KEY), 401, "IR_01"),
    ("content type before JSON", lambda api: api.call("POST", "/payments", raw=b"{", headers={"Content-Type": "text/plain"}), 400, "IR_06"),
    ("JSON before idempotency", lambda api: api.call("POST", "/payments", raw=b"{", headers={"X-Idempotency-Key": ""}), 400, "IR_06"),
    ("idempotency before fields", lambda api: api.post("/payments", {"amount": "1"}, X_Idempotency_Key="x" * 256), 400, "IR_04"),
    ("fields before object", lambda api: api.post("/payments/pay_nobody", {"amount": "1"}), 400, "IR_04"),
    ("object before status", lambda api: api.post("/payments/pay_nobody/capture", {"amount_to_capture": 10**8}), 404, "HE_02"),
    ("status before amount", lambda api: api.post(f"/payments/{api.pay()['payment_id']}/capture", {"amount_to_capture": 10**8}), 400, "IR_14"),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "status", "code"), [pytest.param(*row[1:], id=row[0]) for row in PAIRS])
def test_the_earlier_check_speaks(api: Wire, ask: Callable[[Wire], Reply], status: int, code: str) -> None:
    reply = ask(api)
    assert (reply.status, reply.error["code"]) == (status, code), reply.raw


ORDER = (
    Cause.BODY_TOO_LARGE, Cause.ROUTE_UNKNOWN, Cause.METHOD_NOT_ALLOWED, Cause.KEY_MALFORMED, Cause.RATE_LIMITED,
    Cause.CONTENT_TYPE_WRONG, Cause.JSON_MALFORMED, Cause.VALUE_INVALID, Cause.OBJECT_UNKNOWN, Cause.STATUS_FORBIDS,
    Cause.AMOUNT_OVER_CAPTURABLE,
)  # fmt: skip
"""What these tests see, in the order in which a call is checked."""


def test_the_catalogue_has_that_order() -> None:
    """The reference says so of its rows."""
    assert [cause for cause in Cause if cause in ORDER] == list(ORDER)


def test_the_key_is_checked_before_the_rate() -> None:
    assert over_the_limit().as_key("nonsense").get("/health").status == 401


def test_the_rate_is_checked_before_the_body() -> None:
    assert over_the_limit().call("POST", "/payments", raw=b"{").status == 429


def test_the_path_is_checked_before_the_rate() -> None:
    assert over_the_limit().get("/nowhere").status == 404


def test_idempotency_names_its_header_and_not_the_fields(api: Wire) -> None:
    reply = api.post("/payments", {"amount": "1"}, X_Idempotency_Key="x" * 256)
    assert [wrong["field"] for wrong in reply.error["fields"]] == ["X-Idempotency-Key"]


def test_a_replay_comes_before_the_fields(api: Wire) -> None:
    first = api.post("/payments", card_payment(), X_Idempotency_Key="k")
    assert first.status == 200
    assert api.post("/payments", {"amount": "1"}, X_Idempotency_Key="k").status == 422


def test_the_body_is_refused_for_its_size(api: Wire) -> None:
    reply = api.call("POST", "/payments", raw=BIG)
    assert (reply.status, reply.error["code"]) == (413, "IR_06")
