"""Bad input of every kind gets a clear error in the envelope, and never a 500; the largest legal request is taken."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.clocks import ManualClock
from tests.contract.requests.bodies import GONE, NOW_MS, spoiled
from tests.contract.requests.test_malformed import MISSING, UNKNOWN, WRONG_VALUES
from tests.wire import KEY, Reply, Wire, card_payment, wire

DEEP = b"[" * 5_000 + b"]" * 5_000
GOOD = json.dumps(card_payment()).encode()


def with_text(text: bytes) -> bytes:
    """The good body with one more field, spelled as given."""
    return GOOD[:-1] + b", " + text + b"}"


RAW: list[tuple[str, bytes, int, str]] = [
    ("no JSON", b"amount=1", 400, "IR_06"),
    ("cut off", GOOD[:-1], 400, "IR_06"),
    ("two values", GOOD + GOOD, 400, "IR_06"),
    ("trailing comma", b'{"amount": 1,}', 400, "IR_06"),
    ("single quotes", b"{'amount': 1}", 400, "IR_06"),
    ("comment", b'{"amount": 1} // one', 400, "IR_06"),
    ("not UTF-8", with_text(b'"description": "\xff\xfe"'), 400, "IR_06"),
    ("Latin-1", with_text('"description": "é"'.encode("latin-1")), 400, "IR_06"),
    ("UTF-16", GOOD.decode().encode("utf-16"), 400, "IR_06"),
    ("byte order mark", b"\xef\xbb\xbf" + GOOD, 400, "IR_06"),
    ("NUL byte", b"\x00" + GOOD, 400, "IR_06"),
    ("control sign in a text", with_text(b'"description": "a\nb"'), 400, "IR_06"),
    ("NaN", with_text(b'"metadata": {"n": NaN}'), 400, "IR_06"),
    ("Infinity", with_text(b'"metadata": {"n": Infinity}'), 400, "IR_06"),
    ("-Infinity", with_text(b'"metadata": {"n": -Infinity}'), 400, "IR_06"),
    ("a float without end", with_text(b'"metadata": {"n": 1e999}'), 400, "IR_06"),
    ("an integer over 2^53 - 1", with_text(b'"metadata": {"n": 9007199254740992}'), 400, "IR_06"),
    ("an integer under -2^53 + 1", with_text(b'"metadata": {"n": -9007199254740992}'), 400, "IR_06"),
    ("a huge number", with_text(b'"metadata": {"n": ' + b"9" * 5_000 + b"}"), 400, "IR_06"),
    ("a leading nought", with_text(b'"metadata": {"n": 01}'), 400, "IR_06"),
    ("a lone surrogate", with_text(b'"description": "\\ud800"'), 400, "IR_06"),
    ("a lone low surrogate", with_text(b'"description": "\\udc00"'), 400, "IR_06"),
    ("surrogates the wrong way round", with_text(b'"description": "\\udc00\\ud800"'), 400, "IR_06"),
    ("a bad escape", with_text(b'"description": "\\x41"'), 400, "IR_06"),
    ("a key twice", with_text(b'"amount": 2'), 400, "IR_06"),
    ("a key twice inside", with_text(b'"metadata": {"a": 1, "a": 2}'), 400, "IR_06"),
    ("a key twice, once escaped", with_text(b'"metadata": {"a": 1, "\\u0061": 2}'), 400, "IR_06"),
    ("deep arrays", DEEP, 400, "IR_06"),
    ("deep objects", b'{"a":' * 3_000 + b"1" + b"}" * 3_000, 400, "IR_06"),
    ("deep metadata", with_text(b'"metadata": {"a": ' + b"[" * 200 + b"]" * 200 + b"}"), 400, "IR_06"),
    ("an array", b"[]", 400, "IR_06"),
    ("a text", b'"amount"', 400, "IR_06"),
    ("a number", b"1", 400, "IR_06"),
    ("true", b"true", 400, "IR_06"),
    ("nothing", b"", 400, "IR_04"),
    ("blanks", b"   \n", 400, "IR_04"),
    ("null", b"null", 400, "IR_04"),
    ("an empty object", b"{}", 400, "IR_04"),
    ("1.0 for an integer", GOOD.replace(b"6540", b"6540.0"), 400, "IR_04"),
    ("1e3 for an integer", GOOD.replace(b"6540", b"1e3"), 400, "IR_04"),
    ("oversized", with_text(b'"description": "' + b"x" * (1 << 20) + b'"'), 413, "IR_06"),
]

HEADERS: list[tuple[str, dict[str, str], int, str]] = [
    ("no content type", {"Content-Type": ""}, 400, "IR_06"),
    ("a form", {"Content-Type": "application/x-www-form-urlencoded"}, 400, "IR_06"),
    ("plain text", {"Content-Type": "text/plain"}, 400, "IR_06"),
    ("XML", {"Content-Type": "application/xml"}, 400, "IR_06"),
    ("JSON in another charset", {"Content-Type": "application/json; charset=latin-1"}, 400, "IR_06"),
    ("multipart", {"Content-Type": "multipart/form-data; boundary=x"}, 400, "IR_06"),
    ("no key", {"api-key": ""}, 401, "IR_01"),
    ("a short key", {"api-key": "snd_short"}, 401, "IR_01"),
    ("a long key", {"api-key": "snd_" + "x" * 129}, 401, "IR_01"),
    ("a key with blanks", {"api-key": "snd_with a blank in it"}, 401, "IR_01"),
    ("a key of no kind", {"api-key": "sk_test_123456789"}, 401, "IR_01"),
    ("a production key", {"api-key": "prd_0123456789abcdef"}, 401, "IR_01"),
    ("a production publishable key", {"api-key": "pk_prd_0123456789abcdef"}, 401, "IR_01"),
    ("a publishable key", {"api-key": "pk_snd_test_0123456789"}, 401, "IR_01"),
    ("another key's bearer", {"api-key": f"Bearer {KEY}"}, 401, "IR_01"),
    ("an empty idempotency key", {"X-Idempotency-Key": ""}, 400, "IR_04"),
    ("a long idempotency key", {"X-Idempotency-Key": "k" * 256}, 400, "IR_04"),
    ("a wish nobody knows", {"X-Sandbox-Outcome": "perhaps"}, 400, "IR_04"),
    ("a scenario nobody knows", {"X-Sandbox-Scenario": "nowhere"}, 400, "IR_04"),
]

CALLS: list[tuple[str, str, int, str]] = [
    ("GET", "/nowhere", 404, "IR_02"),
    ("GET", "/nowhere/", 404, "IR_02"),
    ("GET", "/payments/a/b/c", 404, "IR_02"),
    ("GET", "/nowhere//payments", 404, "IR_02"),
    ("PATCH", "/payments", 405, "IR_03"),
    ("DELETE", "/payments", 405, "IR_03"),
    ("GET", "/payments", 405, "IR_03"),
    ("PUT", "/payments/pay_1/confirm", 405, "IR_03"),
    ("DELETE", "/payments/pay_1", 405, "IR_03"),
    ("GET", "/payments/pay_1/confirm", 405, "IR_03"),
    ("POST", "/health", 405, "IR_03"),
    ("GET", "/payments/pay_nobody", 404, "HE_02"),
    ("GET", "/payments/%20", 404, "HE_02"),
    ("GET", "/payments/list?limit=0", 400, "IR_04"),
    ("GET", "/payments/list?limit=101", 400, "IR_04"),
    ("GET", "/payments/list?limit=ten", 400, "IR_04"),
    ("GET", "/payments/list?offset=-1", 400, "IR_04"),
    ("GET", "/payments/list?created_gte=yesterday", 400, "IR_04"),
    ("GET", "/payments/list?created_gte=2026-02-30", 400, "IR_04"),
    ("GET", "/payments/list?created_lte=2026-01-01T00:00:00", 400, "IR_04"),
    ("GET", "/payments/list?status=done", 400, "IR_04"),
    ("GET", "/payments/list?currency=XYZ", 400, "IR_04"),
    ("GET", "/payments/list?colour=red", 400, "IR_06"),
    ("GET", "/payments/list?statuss=succeeded", 400, "IR_06"),
    ("GET", "/payments/pay_1?expand_attempts=maybe", 400, "IR_04"),
    ("GET", "/payments/pay_1?colour=red", 400, "IR_06"),
]


@pytest.fixture(scope="module")
def api() -> Wire:
    """One server for all of them: none may leave a trace that changes the next answer."""
    return wire(clock=ManualClock(NOW_MS))


def refused(reply: Reply, status: int, code: str) -> dict[str, Any]:
    """The error of a refusal, in the envelope and nothing else."""
    assert (reply.status, reply.error["code"]) == (status, code), reply.raw
    assert set(reply.json) == {"error"}
    assert reply.headers["Content-Type"] == "application/json"
    assert reply.error["type"] == "invalid_request"
    assert reply.error["message"].strip()
    assert reply.headers["X-RateLimit-Limit"]
    return reply.error


@pytest.mark.parametrize(("raw", "status", "code"), [pytest.param(*row[1:], id=row[0]) for row in RAW])
def test_a_bad_body(api: Wire, raw: bytes, status: int, code: str) -> None:
    refused(api.call("POST", "/payments", raw=raw), status, code)


@pytest.mark.parametrize(("headers", "status", "code"), [pytest.param(*row[1:], id=row[0]) for row in HEADERS])
def test_a_bad_header(api: Wire, headers: dict[str, str], status: int, code: str) -> None:
    reply = api.call("POST", "/payments", raw=GOOD, headers=headers)
    if status == 200:
        assert reply.status == 200
    else:
        refused(reply, status, code)


@pytest.mark.parametrize(("method", "path", "status", "code"), CALLS)
def test_a_bad_call(api: Wire, method: str, path: str, status: int, code: str) -> None:
    refused(api.call(method, path), status, code)


def bodies() -> Iterator[tuple[str, object, str]]:
    """Every way of the shapes' own tables to be wrong: the path, the body, the code."""
    for path, value in WRONG_VALUES:
        yield path, spoiled(path, value), "IR_04"
    for path in MISSING:
        yield path, spoiled(path, GONE), "IR_04"
        yield path, spoiled(path, None), "IR_04"
    for path, _ in UNKNOWN:
        yield path, spoiled(path, "x"), "IR_06"


BODIES = list(bodies())


def test_there_are_enough_of_them() -> None:
    assert len(BODIES) + len(RAW) + len(HEADERS) + len(CALLS) >= 150


@pytest.mark.parametrize(("path", "body", "code"), BODIES, ids=lambda part: str(part)[:30])
def test_a_bad_field(api: Wire, path: str, body: object, code: str) -> None:
    error = refused(api.post("/payments", body), 400, code)
    told = [wrong["field"] for wrong in error["fields"]]
    assert any(path == field or field.startswith(path) or path.startswith(field) for field in told), (path, told)
    assert told[0] in error["message"]


def largest(sign: str) -> dict[str, Any]:
    """The largest legal request of the fields that have a limit in characters."""
    address = dict.fromkeys(("line1", "line2", "line3", "city", "state", "zip", "first_name", "last_name"), sign * 255)
    contact = {"address": {**address, "country": "US"}, "phone": {"number": sign * 255, "country_code": "+1"}}
    return card_payment(
        description=sign * 5_000,
        name=sign * 255,
        merchant_order_reference_id=sign * 255,
        statement_descriptor_name="x" + sign * 21,
        metadata={f"{number:02}" + sign * 38: sign * 500 for number in range(50)},
        billing=contact,
        shipping=contact,
    )


@pytest.mark.parametrize("sign", ["x", "é", "漢", "😀"])
@pytest.mark.parametrize("escaped", [False, True])
def test_the_largest_legal_request_is_taken(api: Wire, sign: str, escaped: bool) -> None:
    body = largest(sign)
    reply = api.call("POST", "/payments", raw=json.dumps(body, ensure_ascii=escaped).encode())
    assert reply.status == 200, reply.raw[:300]
    assert reply["metadata"] == body["metadata"]
    assert reply["description"] == body["description"]


def test_one_sign_more_is_too_many(api: Wire) -> None:
    body = largest("😀")
    body["metadata"] = {**body["metadata"], "one": "more"}
    refused(api.post("/payments", body), 400, "IR_04")
