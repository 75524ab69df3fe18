"""A snapshot carries every record, byte for byte: restored under another key, every list and record is equal."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from mock_server.contract.operations import OPERATIONS
from tests.api.money_places import REFUNDS, attach, disputed, fine
from tests.api.places import PLACES
from tests.api.saving import CUSTOMER, mandate
from tests.causes.raising import ADMIN
from tests.money.reports import LONG_AGO, rows
from tests.money.test_ledger import lived
from tests.money.till import Till
from tests.wire import Wire, wire

OTHER: Final = "snd_restored_0123456789"
LISTS: Final = ("payments", "refunds", "disputes", "customers", "mandates")
RECORDS: Final = (
    ("payments", "payment_id", "/payments/{}?expand_attempts=true&expand_captures=true"),
    ("refunds", "refund_id", "/refunds/{}"),
    ("disputes", "dispute_id", "/disputes/{}"),
    ("disputes", "dispute_id", "/disputes/evidence/{}"),
    ("customers", "customer_id", "/customers/{}"),
    ("customers", "customer_id", "/customers/{}/mandates"),
    ("mandates", "mandate_id", "/mandates/{}"),
)
CHANGES_BY_BEING_READ: Final = {"payment_token"}
"""A customer's methods come with a new token at each call."""


def filled(api: Wire) -> Till:
    """A workspace with something of every kind in it."""
    till = lived(Till(api), 3, 120)
    for make in (*PLACES.values(), *REFUNDS.values()):
        make(api)
    fine(attach(api, disputed(api)))
    mandate(api)
    fine(api.post("/blocklist", {"type": "card_bin", "data": "411111"}))
    fine(api.post(f"/account/{till.merchant_id}/connectors", {"connector_name": "stripe_test"}))
    fine(api.post(f"/account/{till.merchant_id}/business_profile", {"profile_name": "second"}))
    return till


def shown(api: Wire, merchant_id: str) -> dict[str, bytes]:
    """Every list, every record of it, and every sum, as bytes."""
    found: dict[str, bytes] = {}
    for kind in LISTS:
        found |= pages(api, f"/{kind}/list")
    own = f"/account/{merchant_id}"
    for path in (f"{own}/business_profile", f"{own}/connectors", f"/events/{merchant_id}"):
        found |= pages(api, path)
    for path in ("/payments/aggregate", "/refunds/aggregate", "/disputes/aggregate", "/blocklist"):
        found[path] = fine(api.get(path)).raw
    for kind, key, path in RECORDS:
        for name in ids(found, kind, key):
            found[path.format(name)] = fine(api.get(path.format(name))).raw
    for name in ids(found, f"account/{merchant_id}/business_profile", "profile_id", listed=False):
        found[f"{own}/business_profile/{name}"] = fine(api.get(f"{own}/business_profile/{name}")).raw
    found["methods"] = without_tokens(fine(api.get(f"/customers/{CUSTOMER}/payment_methods")).raw)
    return found | files(api, found) | figures(api)


def pages(api: Wire, path: str) -> dict[str, bytes]:
    """A list, page by page; events are asked for by POST."""
    found: dict[str, bytes] = {}
    more, offset = True, 0
    while more:
        where = f"{path}?limit=100&offset={offset}"
        body = {"limit": 100, "offset": offset}
        reply = fine(api.post(path, body) if path.startswith("/events") else api.get(where))
        found[where] = reply.raw
        more, offset = reply["has_more"], offset + 100
    return found


def ids(found: dict[str, bytes], kind: str, key: str, *, listed: bool = True) -> list[str]:
    prefix = f"/{kind}/list?" if listed else f"/{kind}?"
    return [one[key] for path, raw in found.items() if path.startswith(prefix) for one in json.loads(raw)["data"]]


def files(api: Wire, found: dict[str, bytes]) -> dict[str, bytes]:
    """The files of all evidence, with their bytes."""
    evidence = (json.loads(raw) for path, raw in found.items() if path.startswith("/disputes/evidence/"))
    names = [one["file_metadata_response"]["file_id"] for some in evidence for one in some]
    assert names
    return {name: fine(api.get(f"/files/{name}")).raw for name in names}


def figures(api: Wire) -> dict[str, bytes]:
    """Metrics, and the rows of reports."""
    asked = {"timeRange": {"startTime": LONG_AGO, "endTime": "2030-01-01T00:00:00Z"}, "groupByNames": ["currency"]}
    metrics = fine(api.post("/analytics/v1/metrics/payments", [{**asked, "metrics": ["payment_processed_amount"]}]))
    return {"metrics": metrics.raw, **{kind: json.dumps(rows(api, kind)).encode() for kind in ("payments", "dispute")}}


def without_tokens(raw: bytes) -> bytes:
    told: Any = json.loads(raw)
    for one in told["customer_payment_methods"]:
        for name in CHANGES_BY_BEING_READ:
            del one[name]
    return json.dumps(told).encode()


def test_every_list_and_record_is_restored_to_the_byte() -> None:
    api = wire()
    till = filled(api)
    fine(api.post("/_sandbox/clock/freeze"))
    fine(api.put("/_sandbox/snapshots/all"))
    before = shown(api, till.merchant_id)
    other = api.as_key(OTHER)
    fine(other.post("/_sandbox/snapshots/all/restore"))
    after = shown(other, till.merchant_id)
    assert {path for path in before if before[path] != after.get(path)} == set()
    assert before.keys() == after.keys()
    assert len(before) > 60


def test_a_restored_workspace_is_not_the_one_it_was_taken_from() -> None:
    """What is done in the one is not seen in the other: the comparison could fail."""
    api = wire()
    till = filled(api)
    fine(api.post("/_sandbox/clock/freeze"))
    fine(api.put("/_sandbox/snapshots/all"))
    before = shown(api, till.merchant_id)
    other = api.as_key(OTHER)
    fine(other.post("/_sandbox/snapshots/all/restore"))
    fine(other.pay())
    after = shown(other, till.merchant_id)
    changed = {path.partition("?")[0] for path in before if before[path] != after.get(path)}
    assert changed >= {"/payments/list", "/payments/aggregate", "metrics", "payments"}


def test_every_list_of_the_api_is_compared_or_said_not_to_be() -> None:
    """Keys are of the server's registry, no workspace's; what a payment can be paid by is read with its own secret."""
    apart = {"api_keys.list", "payment_methods.list", "events.list_of_profile"}
    listed = {row.name for row in OPERATIONS if not row.changes and re.search(r"\.list", row.name)}
    compared = {f"{kind}.list" for kind in (*LISTS, "blocklist", "profiles", "connectors", "events")}
    assert listed - apart == compared
    assert ADMIN
