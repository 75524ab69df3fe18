"""The public server reads body and query before it looks at the key (facts §1.0: order of checks).

Every route, with each thing that can be wrong before an operation begins, and each pair of them: the answer is that of
the first one in the order of the facts.
"""

from __future__ import annotations

import re
from itertools import product
from typing import Final

import pytest

from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.domain.api_keys import KeyKind
from tests.api.canaries import sent
from tests.counts import times
from tests.wire import KEY, PUBLISHABLE, Reply, Wire, wire

ADMIN: Final = "an admin's"
KEYS: Final[dict[str, str | None]] = {
    "no key": None,
    "empty key": "",
    "of no form": "nonsense",
    "unknown page": "pk_snd_never_used_0123456789",
    "page": PUBLISHABLE,
    "secret": KEY,
    "customer": "epk_00000000-0000-4000-8000-000000000000",
    "production": "prd_0123456789abcdef",
}
SENT: Final[dict[str, tuple[str, bytes]]] = {
    "nothing": ("application/json", b""),
    "no JSON": ("application/json", b'{"a": '),
    "no JSON type": ("text/plain", b'{"a": 1}'),
    "a list": ("application/json", b"[1]"),
    "unknown field": ("application/json", b'{"unheard_of": 1}'),
}
QUERIES: Final = {"none": "", "unknown parameter": "?unheard_of=1", "wrong type": "?limit=x&force_sync=x"}
ROUTES: Final = [row for row in OPERATIONS if row.name != "health.check" and not row.multipart]
"""`GET /health` is for everybody, and files are no JSON."""
STRICT: Final = frozenset(
    [
        "payments.create",
        "payments.replace",
        "payments.update",
        "payments.confirm",
        "payments.update_metadata",
        "payments.list",
        "refunds.create",
        "refunds.update",
        "refunds.replace",
        "profiles.create",
        "profiles.update",
        "profiles.replace",
        "payment_methods.create",
    ]
)
"""Whose bodies may have no unknown field (facts §8)."""
STRICT_QUERIES: Final = ("GET /payments/list", "GET /disputes/list")
STEP: Final = times(13, soak=1)
CASES: Final = list(product(ROUTES, SENT, QUERIES))


@pytest.fixture(scope="module")
def api() -> Wire:
    made = wire(dialect=HYPERSWITCH)
    made.get("/payments/list")
    return made


def _sent(api: Wire, row: Operation, key: str | None, body: str, query: str) -> Reply:
    kind, raw = SENT[body]
    headers = {"Content-Type": kind} if key is None else {"Content-Type": kind, "api-key": key}
    path = re.sub(r"<(\w+)>", lambda found: "payments" if found[1] in ("domain", "report") else "x_1", row.path)
    return sent(api.as_key(None), row.method, path + QUERIES[query], raw, headers)


def _is_unreadable(reply: Reply) -> bool:
    if reply.raw.startswith(b"Query deserialize error: "):
        return True
    return reply.raw.startswith(b'{"error":{"error_type":"invalid_request","code":"IR_06","message":"Json deserialize')


def _is_as_facts_say(row: Operation, body: str, query: str) -> bool:
    """Whether the facts say that body or query cannot be read."""
    if row.reads_body(row.method):
        return body in ("no JSON", "no JSON type") or (body == "unknown field" and row.name in STRICT)
    return query == "unknown parameter" and row.route in STRICT_QUERIES


def _expected(row: Operation, key: str) -> tuple[int, str] | None:
    """Status and code of a key that is not taken; None for one that is."""
    if key == "no key":
        clients = row.keys - {KeyKind.ADMIN}
        return (400, "IR_04") if len(clients) > 1 else (401, "IR_01")
    kind = _KINDS.get(key)
    if kind in row.keys or (key in ("of no form", "secret") and KeyKind.ADMIN in row.keys):
        return None
    return (401, "IR_15") if kind is KeyKind.EPHEMERAL else (401, "IR_01")


_KINDS: Final = {"page": KeyKind.PUBLISHABLE, "secret": KeyKind.SECRET, "customer": KeyKind.EPHEMERAL}


@pytest.mark.parametrize("key", KEYS)
def test_what_comes_first_speaks(api: Wire, key: str) -> None:
    wrong, unreadable = [], 0
    for row, body, query in CASES[::STEP]:
        good = ADMIN if KeyKind.ADMIN in row.keys else KEY if KeyKind.SECRET in row.keys else PUBLISHABLE
        known, reply = _sent(api, row, good, body, query), _sent(api, row, KEYS[key], body, query)
        case = f"{row.route}, {body}, {query}: {reply.status} {reply.raw[:120]!r}"
        if _is_as_facts_say(row, body, query) and not _is_unreadable(known):
            wrong.append(f"with a good key: {case}")
        if _is_unreadable(known):
            unreadable += 1
            wrong += [] if (reply.status, reply.raw) == (400, known.raw) else [case]
        elif expected := _expected(row, key):
            wrong += [] if (reply.status, reply.error["code"]) == expected else [case]
            if expected[0] == 400:
                assert reply.error["message"] == "Missing required param: api_key"
    assert unreadable > len(CASES) / STEP / 4
    assert wrong == []


@pytest.mark.parametrize("key", ["secret", "page"])
@pytest.mark.parametrize(
    "path", ["/refunds", "/payments/pay_nobody", "/payments/pay_nobody/confirm", "/customers/nobody"]
)
def test_the_journal_has_the_body_of_a_refused_call(api: Wire, path: str, key: str) -> None:
    body = {"payment_id": "pay_nobody"} if path == "/refunds" else {"description": f"of {path}"}
    assert api.as_key(KEYS[key]).post(path, body).status in (400, 401, 404)
    assert api.get("/_sandbox/journal?limit=1")["data"][0]["request"] == body


def test_the_other_dialect_looks_at_the_key_first() -> None:
    api = wire()
    for row, body, query in CASES[::STEP]:
        reply = _sent(api, row, None, body, query)
        assert (reply.status, reply.error["code"]) == (401, "IR_01")


def test_the_authorization_of_a_payment_is_refused_as_its_key_is(api: Wire) -> None:
    """It carries a `client_secret`, which its sender never typed and could not take out of a query."""
    paid = api.post("/payments", {"amount": 6540, "currency": "EUR"})
    wrong = []
    for row, body, query in CASES[:: times(14, soak=1)]:
        if KeyKind.PUBLISHABLE not in row.keys:
            kind, raw = SENT[body]
            path, headers = re.sub(r"<\w+>", "x_1", row.path) + QUERIES[query], {"Content-Type": kind}
            said = [
                sent(api.as_key(None), row.method, path, raw, {**headers, **key})
                for key in ({"Authorization": paid["sdk_authorization"]}, {"api-key": PUBLISHABLE})
            ]
            wrong += [row.route] * (said[0].raw != said[1].raw)
    assert wrong == []
