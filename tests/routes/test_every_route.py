"""Every route answers what its row says: a success, and each of its errors; each key only where it may (facts §1)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import pytest

from docs.tables import LEFT_OUT, LeftOut
from mock_server.contract.operation import Operation
from mock_server.contract.operations import BY_NAME, OPERATIONS
from mock_server.domain.api_keys import KeyKind
from mock_server.domain.errors import Cause as C
from tests.causes.by_calls import reads_as
from tests.causes.raising import ADMIN, by_client
from tests.clocks import ManualClock
from tests.routes.good import GOOD, Good, as_client, caller, good
from tests.routes.wrong import WRONG
from tests.wire import Wire, wire


def named(row: Operation) -> str:
    return f"{row.method} {row.path}"


by_route = pytest.mark.parametrize("row", OPERATIONS, ids=named)
UNKNOWN: Final = {C.OBJECT_UNKNOWN, C.DISPUTE_UNKNOWN, C.FILE_UNKNOWN}
WITH_IDS = [row for row in OPERATIONS if "_id>" in row.path and UNKNOWN & set(row.errors)]
READS_BODY = [
    row for row in OPERATIONS if row.method in ("POST", "PUT") and not row.multipart and row.name != "blocklist.toggle"
]
KEYS: Final[dict[KeyKind, Callable[[Wire], Wire]]] = {
    KeyKind.SECRET: lambda api: api,
    KeyKind.PUBLISHABLE: by_client,
    KeyKind.ADMIN: lambda api: api.as_key(ADMIN),
}


def test_every_operation_has_a_row_and_a_good_call() -> None:
    assert set(BY_NAME) == {row.name for row in OPERATIONS} == set(GOOD)


@by_route
def test_a_good_call_succeeds(api: Wire, row: Operation) -> None:
    reply = good(api, row).sent(caller(api, row), row)
    assert reply.status == 200, reply.raw


DECLARED = list(WRONG)


@pytest.mark.parametrize(("operation", "cause"), DECLARED, ids=[f"{name}-{cause}" for name, cause in DECLARED])
def test_each_error_of_its_own_is_raised(operation: str, cause: C) -> None:
    clock = ManualClock()
    api = wire(clock=clock)
    reply = WRONG[operation, cause](api, clock)
    reads_as(cause, reply.status, reply.error)
    assert any(found == (operation, cause) for found in lines(api)) or operation.startswith(("accounts", "api_keys"))


def lines(api: Wire) -> list[tuple[str, str]]:
    found = api.get("/_sandbox/journal?limit=1000")["data"]
    return [(line["operation"], line["cause"]) for line in found]


@by_route
def test_what_a_deleted_customer_raises_is_declared(api: Wire, row: Operation) -> None:
    made = good(api, row)
    for mandate in api.get("/mandates/list?limit=100")["data"]:
        api.post(f"/mandates/revoke/{mandate['mandate_id']}")
    for customer in api.get("/customers/list?limit=100")["data"]:
        api.delete(f"/customers/{customer['customer_id']}")
    reply = made.sent(caller(api, row), row)  # the client compares each answer with the document
    assert reply.status in (200, 400, 401, 404, 422)


@pytest.mark.parametrize("row", WITH_IDS, ids=named)
def test_an_unknown_id_is_404(api: Wire, row: Operation) -> None:
    made = good(api, row)
    ids = re.findall("<([a-z_]+)>", row.path)
    changed = Good({**made.ids, ids[-1]: "unknown_id_1"}, made.body, made.query, made.form, headers=made.headers)
    reply = changed.sent(caller(api, row), row)
    unknown = UNKNOWN & set(row.errors)
    assert len(unknown) == 1
    reads_as(unknown.pop(), reply.status, reply.error)


@pytest.mark.parametrize("row", READS_BODY, ids=named)
def test_an_unknown_field_is_named(api: Wire, row: Operation) -> None:
    made = good(api, row)
    if isinstance(made.body, list):
        reply = Good(made.ids, [{**made.body[0], "unheard_of": 1}], headers=made.headers).sent(caller(api, row), row)
    else:
        reply = made.sent(caller(api, row), row, unheard_of=1)
    assert (reply.status, reply.error["code"]) == (400, "IR_06")
    assert reply.error["fields"][0]["field"].endswith("unheard_of")


@pytest.mark.parametrize("row", READS_BODY, ids=named)
def test_a_field_of_the_wrong_type_is_named(api: Wire, row: Operation) -> None:
    made = good(api, row)
    if isinstance(made.body, dict):
        for name in made.body:
            reply = made.sent(caller(api, row), row, **{name: [[{}]]})
            assert (reply.status, reply.error["code"]) == (400, "IR_04"), name
            assert any(wrong["field"].startswith(name) for wrong in reply.error["fields"]), name


@pytest.mark.parametrize("row", READS_BODY, ids=named)
def test_a_body_that_is_none_is_refused(api: Wire, row: Operation) -> None:
    made, client = good(api, row), caller(api, row)
    # a browser's call is asked for it before its fields are
    no_object = C.CLIENT_SECRET_MISSING if row.wants_secret and KeyKind.SECRET not in row.keys else C.BODY_NOT_OBJECT
    for raw, kind, cause in (
        (b"{", "application/json", C.JSON_MALFORMED),
        (b'"text"', "application/json", no_object),
        (b"{}", "text/plain", C.CONTENT_TYPE_WRONG),
    ):
        reply = client.call(row.method, made.path(row), raw=raw, headers={**made.headers, "Content-Type": kind})
        reads_as(cause, reply.status, reply.error)


@pytest.mark.parametrize(
    "row", [row for row in OPERATIONS if row.name.endswith(".list") and row.method == "GET"], ids=named
)
def test_an_unknown_parameter_of_a_list_is_named(api: Wire, row: Operation) -> None:
    made = good(api, row)
    if row.name == "payment_methods.list":
        return  # the public API's own shape: it has no filters
    reply = caller(api, row).get(made.path(row) + "?unheard_of=1")
    reads_as(C.UNKNOWN_PARAMETER, reply.status, reply.error)


@pytest.mark.parametrize(
    "row", [row for row in OPERATIONS if None not in row.takes and row.method == "POST"], ids=named
)
@pytest.mark.parametrize("asked", ["limit=1", "unheard_of=1"])
def test_a_query_beside_a_body_is_refused(api: Wire, row: Operation, asked: str) -> None:
    """It was passed over: the list was another than was asked for."""
    made = good(api, row)
    reply = caller(api, row).post(f"{made.path(row)}?{asked}", made.body)
    reads_as(C.UNKNOWN_PARAMETER, reply.status, reply.error)
    assert asked.partition("=")[0] in reply.raw.decode()


@by_route
def test_no_key_is_401(api: Wire, row: Operation) -> None:
    made = good(api, row)
    reply = made.sent(api.as_key(None), row)
    reads_as(C.KEY_MISSING, reply.status, reply.error)


@by_route
def test_a_key_of_another_kind_is_401(api: Wire, row: Operation) -> None:
    made = good(api, row)
    for kind, with_key in KEYS.items():
        if kind in row.keys or (kind is KeyKind.SECRET and KeyKind.ADMIN in row.keys):
            continue  # taken; on set-up routes any text is an admin's
        reply = made.sent(with_key(api), row)
        assert (reply.status, reply.error["code"]) == (401, "IR_01"), (kind, reply.raw)


PUBLISHABLE = [row for row in OPERATIONS if row.wants_secret]


@pytest.mark.parametrize("row", [row for row in PUBLISHABLE if row.name != "payment_methods.update"], ids=named)
def test_a_browser_works_with_its_client_secret(api: Wire, row: Operation) -> None:
    made = as_client(GOOD[row.name](api), row)
    reply = made.sent(by_client(api), row)
    assert reply.status == 200, reply.raw
    stranger = api.as_key("snd_somebody_else").page()
    again = made.sent(stranger, row)
    reads_as(C.OBJECT_UNKNOWN, again.status, again.error)


def test_a_browser_changes_the_method_that_it_saved(api: Wire) -> None:
    (row,) = (row for row in PUBLISHABLE if row.name == "payment_methods.update")
    (save,) = (row for row in PUBLISHABLE if row.name == "payment_methods.save")
    made = as_client(GOOD["payment_methods.save"](api), save)
    assert made.sent(by_client(api), save).status == 200
    changed = Good(made.ids, {"client_secret": made.secret, "metadata": {}})
    assert changed.sent(by_client(api), row).status == 200
    reply = changed.sent(api.as_key("snd_somebody_else").page(), row)
    reads_as(C.OBJECT_UNKNOWN, reply.status, reply.error)


@pytest.mark.parametrize("row", [row for row in WITH_IDS if KeyKind.SECRET in row.keys], ids=named)
def test_another_merchants_key_finds_nothing(api: Wire, row: Operation) -> None:
    made = good(api, row)
    reply = made.sent(api.as_key("snd_somebody_else"), row)
    assert reply.status == 404, reply.raw


@pytest.mark.parametrize("row", LEFT_OUT, ids=lambda row: row.route)
def test_what_is_left_out_says_why(api: Wire, row: LeftOut) -> None:
    found = re.match(r"^(GET|POST|PUT)\b[^/]*(/[^ ,…]+)", row.route)
    assert len(row.reason) > 15
    if found is not None and "…" not in found[0]:
        path = re.sub(r"\{[a-z_]+\}", "x_1", found[2])
        reply = api.call(found[1], path, {} if found[1] != "GET" else None)
        assert reply.status in (404, 405), (found[0], reply.raw)
