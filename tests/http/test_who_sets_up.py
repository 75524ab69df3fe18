"""Who may set up a merchant: every such call with every kind of key, under every limit, from programs and pages."""

from __future__ import annotations

from functools import cache
from itertools import count, product
from typing import Any, Final

import pytest

from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.domain.api_keys import KeyKind
from tests.counts import times
from tests.wire import Reply, Wire, wire

TOKEN: Final = "a-control-token"
OWN: Final = [f"snd_of_a_merchant_{number:04}" for number in range(10_000)]
OTHER, UNLISTED = "snd_of_another_merchant", "snd_not_on_the_list"
LIMITS: Final[dict[str, dict[str, Any]]] = {
    "no limit": {},
    "a list of keys": {"keys": frozenset({*OWN, OTHER})},
    "a control token": {"control_token": TOKEN},
    "both": {"keys": frozenset({*OWN, OTHER}), "control_token": TOKEN},
}
KEYS: Final = (
    "any text", "any text, token beside", "the token", "its own", "its own, issued", "its publishable",
    "another's", "one never seen", "one not listed",
)  # fmt: skip
BROWSER: Final = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64)"}
OURS: Final[dict[str, dict[str, str]]] = {
    "a program": {},
    "the docs": {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin", "Referer": "http://localhost/_sandbox/docs"},
    "a configured page": {"Origin": "http://tools.example", "Sec-Fetch-Site": "cross-site"},
}  # fmt: skip
FOREIGN: Final[dict[str, dict[str, str]]] = {
    "by cors": {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
    "over plain http": {"Origin": "http://evil.example", **BROWSER},
    "without cors": {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
    "a frame in a sandbox": {"Origin": "null"},
    "malformed": {"Origin": "http://["},
    "under a foreign name": {"Host": "evil.example", **BROWSER},
}
ROWS: Final = [row for row in OPERATIONS if KeyKind.ADMIN in row.keys]
BODIES: Final[dict[str, dict[str, str]]] = {
    "api_keys.create": {"name": "x"},
    "connectors.create": {"connector_name": "x"},
    "profiles.create": {"profile_name": "another"},
}
NUMBERS: Final = count()
SHARE: Final = times(5, soak=1)
"""Every how many-th combination is tried."""


@cache
def server(limit: str) -> Wire:
    return wire(control_origins=("http://tools.example",), **LIMITS[limit])


def asked(row: Operation, limit: str, which: str, headers: dict[str, str]) -> tuple[str, Reply]:
    """The merchant that a call is about, and its answer."""
    api = server(limit)
    own = api.as_key(OWN[next(NUMBERS)])
    merchant = own.post("/payments", {"amount": 1, "currency": "USD", "profile_id": "pro_x"})["merchant_id"]
    for used in (OTHER, UNLISTED):
        api.as_key(used).get("/payments/list")
    issued = own.post(f"/api_keys/{merchant}", {"name": "x"}) if which == "its own, issued" else {"api_key": None}
    key = {
        "any text": "whatever", "any text, token beside": "whatever", "the token": TOKEN, "its own": own.key,
        "its own, issued": issued["api_key"], "its publishable": own.page().key, "another's": OTHER,
        "one never seen": OWN[next(NUMBERS)], "one not listed": UNLISTED,
    }[which]  # fmt: skip
    beside = {"X-Sandbox-Token": TOKEN} if "beside" in which else {}
    path = row.path.replace("<merchant_id>", merchant).replace("<", "").replace(">", "")
    body = BODIES.get(row.name, {}) if row.reads_body(row.method) else None
    return merchant, api.as_key(key).call(row.method, path, body, headers={**headers, **beside})


def right(row: Operation, limit: str, which: str, page: str) -> str:
    """Whether such a key reaches the merchant: `yes`, `no` or `unknown`, as for a merchant that is not there."""
    would_make = "<merchant_id>" not in row.path or which == "one never seen"
    if which == "its publishable" or (would_make and page == "a configured page"):
        return "no"
    if "<merchant_id>" not in row.path:
        return "yes"
    if which in ("another's", "one never seen", "one not listed"):
        return "no" if which == "one not listed" and "keys" in LIMITS[limit] else "unknown"
    return "no" if which == "any text" and "control_token" in LIMITS[limit] else "yes"


def found(merchant: str, reply: Reply) -> str:
    if reply.status in (401, 403):
        return "no"
    is_unknown = reply.status == 404 and merchant in reply.error["message"]
    assert is_unknown or reply.status in (200, 404), reply.raw
    return "unknown" if is_unknown else "yes"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.route)
def test_a_merchant_is_set_up_by_its_own_key_or_the_token_alone_where_one_is_set(row: Operation) -> None:
    tried = list(product(LIMITS, KEYS, OURS))[ROWS.index(row) % SHARE :: SHARE]
    wrong = [
        (limit, which, page, reply)
        for limit, which, page in tried
        for merchant, reply in [asked(row, limit, which, OURS[page])]
        if found(merchant, reply) != right(row, limit, which, page)
    ]
    assert not wrong


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.route)
def test_no_foreign_page_sets_up_a_merchant(row: Operation) -> None:
    tried = list(product(LIMITS, KEYS, FOREIGN))[ROWS.index(row) % SHARE :: SHARE]
    wrong = [
        (limit, which, page, reply)
        for limit, which, page in tried
        for _, reply in [asked(row, limit, which, FOREIGN[page])]
        if reply.status != 403 or reply.error["code"] != "IR_22"
    ]
    assert not wrong


NO_OTHER: Final = [row for row in ROWS if "<merchant_id>" in row.path and KeyKind.SECRET not in row.keys]
"""Other calls take a secret key for what it is, and only in its own workspace."""


@pytest.mark.parametrize("row", NO_OTHER, ids=lambda row: row.route)
@pytest.mark.parametrize("limit", LIMITS)
def test_one_key_makes_a_merchant_and_sets_it_up(row: Operation, limit: str) -> None:
    api = server(limit).as_key(OWN[next(NUMBERS)])
    made = api.post("/accounts", {"merchant_id": f"shop_{next(NUMBERS)}"})
    path = row.path.replace("<merchant_id>", made["merchant_id"]).replace("<", "").replace(">", "")
    reply = api.call(row.method, path, BODIES.get(row.name, {}) if row.reads_body(row.method) else None)
    assert found(made["merchant_id"], reply) == ("no" if "control_token" in LIMITS[limit] else "yes")
