"""What the public API takes is taken here: every member of every body, at any depth, with each kind of its values.

The tables (public_requests.txt, public_api.txt) have the members. A refusal for another reason than its type is fine:
ids that name nothing, a state, features that are not offered. What could not be read would be an error of a client.
"""

from __future__ import annotations

from typing import Final

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from tests.counts import times
from tests.dialects.parameters import operation
from tests.dialects.public_values import ROUTES, SCHEMAS, kinds, parts, places, value, with_value
from tests.openapi.agreeing import Disagreement
from tests.routes.good import GOOD, caller
from tests.wire import wire

OTHERWISE: Final = {
    "refund_statuses_enabled": "said to be statuses of payments, as in answers (tests/dialects/public.py)",
    "primary_business_details": "an array on the public server, as in its update",
    "outgoing_webhook_custom_http_headers": "the values of headers are texts, which the type does not say",
    "intent_fulfillment_time": "no time at all would end each payment at once",
}
"""Members of another type than the document says, with the reason."""
NEEDED: Final = ("card_exp_month", "card_exp_year")
"""What `card_with_limited_data` can do without on the public server, and not here (docs/explanation/limits.md)."""
NAMES: Final = [route for route in ROUTES if operation(route).name in GOOD]


def test_there_are_many() -> None:
    assert len(NAMES) > 30
    assert sum(1 for route in NAMES for _ in places(SCHEMAS[ROUTES[route]])) > 4_000


@pytest.mark.parametrize("route", NAMES)
def test_a_member_takes_each_kind_of_its_values(route: str) -> None:
    row, schema, api = operation(route), SCHEMAS[ROUTES[route]], wire(dialect=HYPERSWITCH)
    good = GOOD[row.name](api)
    client, path = caller(api, row), good.path(row)
    cases = [
        (way, one)
        for way, member in places(schema)
        if OTHERWISE.keys().isdisjoint(way)
        for one in kinds(member, str(way[-1]))
    ]
    wrong = []
    for way, one in cases[:: times(9, soak=1)]:
        base = {**(good.body or {}), **value(schema)} if way[0] in parts(schema)[0] else None
        body = with_value(schema, way, one, base)
        try:
            reply = client.call(row.method, path, body, headers=dict(good.headers))
        except Disagreement:
            continue  # answers with values that were sent: test_public_echoes.py
        limited = "recurring_details" in way and any(f"missing field `{one}`" in reply.raw.decode() for one in NEEDED)
        if reply.status >= 400 and not limited and ("error_type" in reply.error or reply.status in (500, 502, 503)):
            wrong.append((way, one, reply.error["message"][:90]))
    assert not wrong, (len(wrong), wrong[:5])
