"""What a caller sends cannot make an answer that the public API does not give: wrong words and types are refused.

For every operation with a body: each place of its answer, at any depth, that the request has too, with values that do
not belong there. The client of these tests holds every answer against the table (public.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest

from mock_server.contract.operation import Operation
from mock_server.contract.operations import BY_NAME
from mock_server.dialects.hyperswitch import HYPERSWITCH
from tests.counts import times
from tests.dialects.public import schema_of, table
from tests.openapi.agreeing import Disagreement
from tests.routes.good import GOOD, caller
from tests.wire import wire

FREE: Final = {
    *("acquirer_configs", "additional_merchant_data", "connector_metadata", "feature_metadata", "frm_configs"),
    *("frm_metadata", "frm_routing_algorithm", "payment_method_blocking", "payout_link_config", "pm_auth_config"),
    *("payout_routing_algorithm", "pm_collect_link_config", "routing_algorithm", "split_payments", "split_refunds"),
}
"""Fields without a function here, whose inside is stored and returned unread (decision 0028)."""
UNREAD: Final = {
    **dict.fromkeys(("sdk_ui_rules", "payment_link_ui_rules"), "styles by names of the shop's own"),
    **dict.fromkeys(("transaction_details", "background_image"), "looks of a link"),
    "custom_message_for_payment_method_types": "texts of a link",
    "number_of_installments": "a text in the public document, and an array on its server",
    "business_specific_configs": "configurations of links by names of the shop's own",
}
"""Inner fields that are returned unread, with the reason."""
ELSEWHERE: Final = {"api_keys.update", "connectors.update", "webhook_details.payout_statuses_enabled.[]"}
"""What is tried with the operation that creates, and what is about payouts."""
WRONG: Final = ("nope", 5, True, [5], {"nope": "nope"})
DEEP: Final = 6
Path = tuple[str, ...]


def places(schema: Any, path: Path = ()) -> Iterator[Path]:
    """Every place of a schema; `[]` is an item of an array."""
    if "$ref" in schema:
        schema = table()[1][schema["$ref"].rpartition("/")[2]]
    if path:
        yield path
    if len(path) < DEEP:
        for one in (*schema.get("anyOf", ()), *schema.get("allOf", ())):
            yield from places(one, path)
        if "items" in schema:
            yield from places(schema["items"], (*path, "[]"))
        for name, one in schema.get("properties", {}).items():
            yield from places(one, (*path, name))


def rows() -> Iterator[tuple[Operation, Path]]:
    for row in BY_NAME.values():
        found = schema_of(row.method, row.path.replace("<", "{").replace(">", "}"))
        if row.takes[0] is None or found not in table()[1] or row.multipart:
            continue
        shape: Any = row.takes[0].of(HYPERSWITCH)
        known = shape.schema.load_fields
        for path in dict.fromkeys(places(table()[1][found])):
            if UNREAD.keys() & set(path[1:]) or path[0] in FREE or path[0] not in known:
                continue
            if ELSEWHERE.isdisjoint((row.name, ".".join(path))):
                yield row, path


ROWS: Final = tuple(rows())
NAMES: Final = tuple(dict.fromkeys(row.name for row, _ in ROWS))


def body_with(path: Path, value: Any, base: Any) -> Any:
    """A body with a value at a place."""
    if not path:
        return value
    name, *rest = path
    if name == "[]":
        return [body_with(tuple(rest), value, None)]
    old = base if isinstance(base, dict) else {}
    return {**old, name: body_with(tuple(rest), value, old.get(name))}


def test_there_are_many() -> None:
    assert len(ROWS) > 400
    assert {"payments.create", "payments.confirm", "connectors.create", "profiles.create"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_no_answer_repeats_what_does_not_belong_there(name: str) -> None:
    wrong = []
    cases = [(row, path, value) for row, path in ROWS if row.name == name for value in WRONG]
    for row, path, value in cases[:: times(7, soak=1)]:
        api = wire(dialect=HYPERSWITCH)
        good = GOOD[name](api)
        body = body_with(path, value, good.body)
        try:
            reply = caller(api, row).call(row.method, good.path(row), body, headers=dict(good.headers))
        except Disagreement as found:
            wrong.append((".".join(path), value, str(found)[:200]))
        else:
            if reply.status >= 500 and reply.status != 501:
                wrong.append((".".join(path), value, reply.raw.decode()))
    assert not wrong, (len(wrong), wrong)
