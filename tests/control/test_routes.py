"""What all control calls share: a view for every row, who may call, what comes back, what is left untouched."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.operation import Needs, Operation
from mock_server.control import ENDPOINTS
from mock_server.domain.instants import HOUR_MS
from tests.dialects.nonsense import MARK, NONSENSE
from tests.wire import KEY, Wire, wire

ARGS = {
    "payment_id": "pay_1",
    "name": "base",
    "refund_id": "ref_1",
    "dispute_id": "dp_1",
    "event_id": "evt_1",
    "kind": "payments",
    "number": "1",
}
NAMED = [pytest.param(row, id=row.name) for row in CONTROL_OPERATIONS]


def path_of(row: Operation) -> str:
    path = row.path
    for name, value in ARGS.items():
        path = path.replace(f"<{name}>", value)
    assert "<" not in path
    return path


def test_every_row_has_a_view_and_every_view_a_row() -> None:
    rows = {row.name for row in CONTROL_OPERATIONS}
    assert len(rows) == len(CONTROL_OPERATIONS)
    ENDPOINTS.load()
    assert set(ENDPOINTS) == rows


@pytest.mark.parametrize("row", NAMED)
def test_a_row_says_what_it_is(row: Operation) -> None:
    assert row.name.startswith("control.")
    assert row.path.startswith("/_sandbox/")
    assert row.about.endswith(".")
    assert row.changes is (row.method != "GET")


KEYS = [
    (None, {Needs.KEY: 401, Needs.WORKSPACE: 401}),
    ("nonsense", {Needs.KEY: 401, Needs.WORKSPACE: 401, Needs.MAYBE: 401}),
    ("prd_0123456789", {Needs.KEY: 401, Needs.WORKSPACE: 401, Needs.MAYBE: 401}),
    ("pk_snd_test_0123456789", {Needs.KEY: 401, Needs.WORKSPACE: 401, Needs.MAYBE: 401}),
]


@pytest.mark.parametrize("row", NAMED)
@pytest.mark.parametrize(("key", "statuses"), KEYS)
def test_a_key_is_demanded_where_the_row_says(
    api: Wire, row: Operation, key: str | None, statuses: dict[Needs, int]
) -> None:
    reply = api.as_key(key).call(row.method, path_of(row), {} if row.method in ("POST", "PUT") else None)
    wanted = statuses.get(row.needs or Needs.NOTHING)
    assert reply.status == wanted if wanted else (reply.status != 401 or row.name == "control.take_snapshot")
    if key and key.startswith("prd_"):
        assert key.encode() not in reply.raw


@pytest.mark.parametrize("row", NAMED)
def test_nothing_is_counted_written_down_or_opened_to_other_sites(row: Operation) -> None:
    api = wire(rate_limit=1)
    api.get("/health")
    before = api.get("/_sandbox/journal")["total_count"]
    for _ in range(3):
        reply = api.call(row.method, path_of(row), {} if row.method in ("POST", "PUT") else None)
        assert reply.status != 429
        assert not [name for name in reply.headers if name.startswith(("X-RateLimit", "Access-Control"))]
        assert reply.headers["X-Request-Id"]
    if row.name not in ("control.reset", "control.end", "control.forget_journal", "control.restore_snapshot"):
        assert api.get("/_sandbox/journal")["total_count"] == before


@pytest.mark.parametrize("row", [param for param in NAMED if param.values[0].method == "GET"])  # type: ignore[union-attr]  # it is one
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_looking_changes_nothing(api: Wire, row: Operation, method: str) -> None:
    api.pay()
    space = workspace_of(api).space
    before = space.dump()
    api.call(method, path_of(row))
    assert space.dump() == before


def workspace_of(api: Wire) -> Any:
    from tests.api.places import workspace

    return workspace(api)


@pytest.mark.parametrize("method", ["OPTIONS", "PATCH", "DELETE"])
@pytest.mark.parametrize("path", ["/_sandbox/clock", "/_sandbox/reset", "/_sandbox/workspaces"])
def test_a_wrong_method_is_said_in_the_envelope(api: Wire, method: str, path: str) -> None:
    headers = {"Origin": "http://localhost", "Access-Control-Request-Method": "POST"}
    reply = api.call(method, path, headers=headers)
    assert (reply.status, reply.error["code"]) == (405, "IR_03")
    assert not [name for name in reply.headers if name.startswith(("X-RateLimit", "Access-Control"))]


@pytest.mark.parametrize("path", ["/_sandbox/nothing", "/_sandbox/payments/x", "/_sandbox/clock/x/y"])
def test_an_unknown_route_is_said_in_the_envelope(api: Wire, path: str) -> None:
    reply = api.get(path)
    assert (reply.status, reply.error["code"]) == (404, "IR_02")


BAD_BODIES: list[tuple[str, str, object, str]] = [
    ("/clock/advance", "by", {"by": 5.5}, "by"),
    ("/clock/advance", "neither", {}, "by"),
    ("/clock/advance", "both", {"by": "1s", "to": "2030-01-01"}, "by"),
    ("/clock/advance", "word", {"by": "soon"}, "by"),
    ("/clock/advance", "negative", {"by": "-1s"}, "by"),
    ("/clock/advance", "too far", {"by": "3651d"}, "by"),
    ("/clock/advance", "beyond", {"to": "9999-12-31"}, "to"),
    ("/clock/advance", "deliver", {"by": "1s", "deliver": 1}, "deliver"),
    ("/clock/freeze", "no instant", {"at": "tomorrow"}, "at"),
    ("/clock/freeze", "number", {"at": 5}, "at"),
    ("/clock/freeze", "before 1970", {"at": "1969-12-31"}, "at"),
    ("/payments/x/authenticate", "nothing", {}, "result"),
    ("/payments/x/authenticate", "word", {"result": "yes"}, "result"),
    ("/payments/x/settle", "nothing", {}, "as"),
    ("/payments/x/settle", "word", {"as": "won"}, "as"),
    ("/payments/x/settle", "amount", {"as": "succeeded", "amount": 0}, "amount"),
    ("/payments/x/settle", "decline", {"as": "failed", "decline": "no_such"}, "decline"),
    ("/payments/x/fail", "nothing", {}, "decline"),
    ("/payments/x/expire", "word", {"what": "all"}, "what"),
    ("/reset", "seed", {"seed": True}, "seed"),
    ("/reset", "name", {"name": 5}, "name"),
]


@pytest.mark.parametrize(("path", "what", "body", "field"), BAD_BODIES, ids=lambda value: str(value)[:40])
def test_a_wrong_value_is_named(api: Wire, path: str, what: str, body: object, field: str) -> None:
    reply = api.post(f"/_sandbox{path}", body)
    assert (reply.status, reply.error["code"]) == (400, "IR_04"), what
    assert [wrong["field"] for wrong in reply.error["fields"]] == [field]


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({}, "is required, unless `to` is given"),
        ({"by": "1s", "to": "2030-01-01"}, "cannot be sent together with `to`"),
    ],
    ids=["neither", "both"],
)
def test_an_advance_says_which_of_two_fields_is_wrong(api: Wire, body: dict[str, str], problem: str) -> None:
    fields = api.post("/_sandbox/clock/advance", body).error["fields"]
    assert fields == [{"field": "by", "message": problem}]


@pytest.mark.parametrize(
    ("raw", "content_type", "status"),
    [
        (b"", "", 200),
        (b"", "text/plain", 200),
        (b"{}", "application/json", 200),
        (b"null", "application/json", 200),
        (b" ", "application/json", 200),
        (b"{", "application/json", 400),
        (b"[]", "application/json", 400),
        (b"{}", "text/plain", 400),
        (b'{"unknown": 1}', "application/json", 400),
    ],
)
def test_a_call_with_nothing_to_say_needs_no_body(api: Wire, raw: bytes, content_type: str, status: int) -> None:
    reply = api.call("POST", "/_sandbox/clock/resume", raw=raw, headers={"Content-Type": content_type})
    assert reply.status == status, reply.raw


def test_the_largest_body_is_a_setting() -> None:
    api = wire(max_control_body=2048, max_body=300)
    text = b"# " + b"x" * 1000
    assert api.call("PUT", "/_sandbox/scenarios/a", raw=text).status != 413
    assert api.call("PUT", "/_sandbox/scenarios/a", raw=text * 3).status == 413
    assert api.post("/_sandbox/reset", {"name": "x" * 200}).status == 200
    assert api.post("/_sandbox/reset", {"name": "x" * 400}).status == 413  # the larger one is for who needs it


def test_every_word_is_the_interfaces_in_any_dialect() -> None:
    api = wire(dialect=NONSENSE)
    marked = MARK.encode()
    made = api.post("/payments", {"amount": 100, "currency": "EUR", "profile_id": "pro_shop"})
    paths = [path_of(row) for row in CONTROL_OPERATIONS if row.method == "GET" and row.name != "control.errors"]
    for path in paths:
        if "webhooks" in path or "journal" in path:
            continue  # these show what went over the wire
        reply = api.get(path.replace("pay_1", made["payment_id"]))
        assert marked not in reply.raw, path
    refused = api.get("/_sandbox/payments/pay_none/why")
    assert refused.error["code"] == "HE_02"
    assert marked in api.get("/_sandbox/errors").raw


def test_a_defect_is_an_answer_with_a_reference(api: Wire, clock: Any, caplog: pytest.LogCaptureFixture) -> None:
    workspace_of(api).space.transact(lambda tx: tx.schedule(0, "payment.settles", "x", "y"))
    workspace_of(api).space.transact(lambda tx: tx.set_fact("clock", {"no": "clock"}))
    reply = api.get("/_sandbox/clock")
    assert (reply.status, reply.error["code"]) == (500, "HE_00")
    assert reply.headers["X-Request-Id"] in reply.error["message"]
    assert reply.headers["X-Request-Id"] in caplog.text
    assert api.post("/_sandbox/reset").status == 200
    assert api.get("/_sandbox/clock").status == 200


def test_the_clock_over_http(api: Wire, clock: Any) -> None:
    assert api.get("/_sandbox/clock").json == {
        "now": "2026-01-01T00:00:00.000Z",
        "frozen": False,
        "advancing": False,
        "next_due": None,
    }
    assert api.post("/_sandbox/clock/freeze", {"at": "2026-02-01T00:00:00+01:00"})["now"] == "2026-01-31T23:00:00.000Z"
    clock.advance(HOUR_MS)
    payment = api.pay(capture_method="manual")
    head = api.get("/_sandbox/clock")["next_due"]
    assert head == {
        "at": "2026-02-07T23:00:00.000Z",
        "what": "payment.authorization_expires",
        "subject": payment["payment_id"],
    }
    assert api.post("/_sandbox/clock/advance", {"to": "2026-02-08"})["fired"] == [head]
    assert api.post("/_sandbox/clock/freeze", {"at": "2026-01-01"}).error["code"] == "IR_16"
    assert api.post("/_sandbox/clock/advance", {"to": "2026-01-01"}).error["code"] == "IR_16"
    assert api.post("/_sandbox/clock/resume")["now"] == "2026-02-08T00:00:00.000Z"
    clock.advance(1500)
    assert api.get("/_sandbox/clock")["now"] == "2026-02-08T00:00:01.500Z"
    assert api.post("/_sandbox/clock/advance", {"by": 90})["now"] == "2026-02-08T00:01:31.500Z"
    assert api.post("/_sandbox/clock/advance", {"by": "3650d"}).status == 200


def test_a_key_on_the_list_is_demanded_here_too() -> None:
    api = wire(keys=(KEY,))
    assert api.get("/_sandbox/clock").status == 200
    assert api.as_key("snd_other_0123456789").get("/_sandbox/clock").status == 401
    assert api.as_key("snd_other_0123456789").post("/_sandbox/reset").status == 401
