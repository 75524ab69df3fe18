"""Every operation with hostile texts in every kind of field: what is sent, and the processor time that it takes."""

from __future__ import annotations

import json
import time
from functools import cache
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from werkzeug.test import Client

from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.dialects.interface import INTERFACE
from tests.api.test_canaries import leaves, with_leaf
from tests.routes.good import GOOD, Good, caller
from tests.wire import Wire

SIZE: Final = 1_000_000
IN_LINES: Final = ("digits", "spaced", "dated")
MARK: Final = "\0hostile\0"
AS_TEXT: Final = json.dumps(MARK)
ROWS: Final[tuple[Operation, ...]] = (*OPERATIONS, *CONTROL_OPERATIONS)
LOOSE: Final = ("metadata", "connector_metadata", "frm_metadata", "feature_metadata", "browser_info", "order_details")
FAR: Final = frozenset({"control.resend_webhook", "control.trigger_webhook", "control.resend_webhooks"})
"""Calls that wait for others."""


@cache
def texts(size: int = SIZE) -> dict[str, str]:
    """The JSON text of each hostile value, of about so many bytes."""
    dated = " ".join(f"2026-{at % 12 + 1:02}-{at % 28 + 1:02}" for at in range(size // 11))
    line = '{"product_name":"x","quantity":1,"amount":1}'
    return {
        "digits": json.dumps("4" * size),
        "number": "4" * (size // 2),
        "over all floats": "9" * 400,
        "infinite": "1e999",
        "long time": '"' + "9" * 400 + 'd"',
        "spaced": json.dumps("6 " * (size // 2)),
        "dated": json.dumps(dated),
        "one string": json.dumps("x" * size),
        "escapes": '"' + "\\u0034" * (size // 6) + '"',
        "colons": json.dumps("://:" * (size // 4)),
        "at signs": json.dumps("a@" * (size // 2)),
        "dots": json.dumps("a." * (size // 2)),
        "nested": '{"a":' * 100 + "1" + "}" * 100,
        "keys": "{" + ",".join(f'"key_{at}":1' for at in range(min(70_000, size // 13))) + "}",
        "cards as keys": "{" + ",".join(f'"4539 5787 {at:08}":""' for at in range(size // 25)) + "}",
        "items": "[" + ",".join([line] * min(20_000, size // len(line))) + "]",
        "wrong items": "[" + ",".join(['{"x":1}'] * (size // 8)) + "]",
        "strings": "[" + ",".join(['"4539 5787 6362 1486"'] * (size // 22)) + "]",
        "small": "[" + ",".join("1" * (size // 2)) + "]",
        "lists": "[" + ",".join(["[[]]"] * (size // 5)) + "]",
    }


class Hostile(NamedTuple):
    """One call: `place` and `text` say what is hostile in it."""

    row: Operation
    place: str
    text: str
    path: str
    raw: bytes
    good: Good


def places(row: Operation, good: Good) -> dict[str, str]:
    """The JSON text of a good body with a mark in each of its fields, known or not, and as a whole."""
    body = good.body or {}
    made: dict[str, Any] = {"the body": MARK}
    if isinstance(body, dict):
        shape = row.takes[0]
        schema = getattr(getattr(shape and shape.of(INTERFACE), "schema", None), "load_fields", {})
        names = [*schema, "unheard_of"]
        made |= {f".{name}": {**body, name: MARK} for name in names}
        made |= {f".{name}.note": {**body, name: {"note": MARK}} for name in LOOSE if name in schema}
    made |= {f"leaf {path}": with_leaf(body, path, MARK) for path in leaves(body) if len(path) > 1}
    return {place: json.dumps(one) for place, one in made.items()}


def calls(api: Wire, row: Operation) -> tuple[Good, list[tuple[str, str]]]:
    """An operation's good call, and every place and text of its hostile ones."""
    good = GOOD[row.name](api) if row.name in GOOD else control(api, row)
    within = [(place, text) for place in places(row, good) for text in texts()] if row.reads_body(row.method) else []
    return good, [*within, *((place, text) for place in ("query", "path") for text in IN_LINES)]


def hostile(row: Operation, good: Good, place: str, text: str) -> Hostile:
    """One hostile call of an operation."""
    if place not in ("query", "path"):
        raw = places(row, good)[place].replace(AS_TEXT, texts()[text]).encode()
        return Hostile(row, place, text, good.path(row), raw, good)
    bare, note = row.path.replace("<", "").replace(">", ""), quote(json.loads(texts(50_000)[text]))[:50_000]
    if place == "path":
        return Hostile(row, place, text, bare + note, b"", good)
    names = "".join(f"&key_{at}=1" for at in range(2_000))
    return Hostile(row, place, text, f"{bare}?note={note}&limit={note[:99]}{names}", b"", good)


def control(api: Wire, row: Operation) -> Good:
    """A call of the control API about objects that exist, where one is easily had."""
    ids = {
        "name": "hostile",
        "kind": "payments",
        "number": "1",
        "event_id": "evt_none",
        "refund_id": "ref_none",
        "dispute_id": "dp_none",
    }
    if "payment_id" in row.path:
        ids["payment_id"] = api.pay()["payment_id"]
    return Good(ids, {} if row.reads_body(row.method) else None)


def made(api: Wire, call: Hostile) -> tuple[int, float]:
    """The status of a call, and the processor time of the server's side in seconds."""
    took: list[float] = []
    app = api.app.wsgi_app

    def timed(environ: Any, start_response: Any) -> Any:
        began = time.process_time()
        try:
            return app(environ, start_response)
        finally:
            took.append(time.process_time() - began)

    client = caller(api, call.row) if call.row.name in GOOD else api
    key = {"api-key": client.key} if client.key else {}
    headers = {"Content-Type": "application/json", **key, **call.good.headers}
    reply = Client(timed).open(call.path, method=call.row.method, data=call.raw, headers=headers)
    return reply.status_code, sum(took)
