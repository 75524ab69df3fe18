"""What is asked by a query is asked as JSON says it, in a story and by the fixture: `None` is no word of it."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import parse_qsl

import pytest

from mock_server.contract.operation import PARTS, Operation
from mock_server.contract.operations import BY_NAME
from mock_server.dialects.interface import INTERFACE
from mock_server.scenario.loading.load import load_mapping
from mock_server.scenario.story.requests import request_of
from mock_server.testing import Sandbox
from tests.scenario.refusals import problems

ASKING: Final = [row for row in BY_NAME.values() if (row.method == "GET" or not row.body) and row.query]
MADE: Final = {"do": "payments.create", "as": "made"}
VALUES: Final[dict[str, tuple[Any, str | None]]] = {
    "nothing": (None, None),
    "a flag": (True, "true"),
    "another flag": (False, "false"),
    "a list": (["one", "a b", 5], "one,a b,5"),
    "a text": ("None", "None"),
    "a number": (5, "5"),
}


@pytest.mark.parametrize("row", ASKING, ids=lambda row: row.name)
@pytest.mark.parametrize("what", VALUES)
def test_a_step_asks_as_json_says_it(row: Operation, what: str) -> None:
    value, wanted = VALUES[what]
    taken: Any = row.takes[1]
    step: dict[str, Any] = {"do": row.name, **({"of": "$made"} if PARTS.search(row.path) else {})}
    known = taken.of(INTERFACE).schema.load_fields
    fields = [name for name in known if not problems({"story": [MADE, {**step, "with": {name: value}}]})]
    assert what == "a list" or fields == list(known)
    step["with"] = dict.fromkeys(fields, value)
    made = {"made": dict.fromkeys(PARTS.findall(row.path), "abc")}
    sent = request_of(load_mapping({"story": [MADE, step]}).scenario.story[1], made, {})
    query = sent.path.partition("?")[2]
    assert parse_qsl(query) == [] if wanted is None else parse_qsl(query) == [(name, wanted) for name in fields]


def test_the_fixture_asks_in_the_same_way() -> None:
    with Sandbox() as sandbox:
        paid = sandbox.client.pay()["payment_id"]
        asked = {"expand_attempts": True, "expand_captures": None}
        assert sandbox.client.get(f"/payments/{paid}", asked)["attempts"]
        sandbox.trigger.dispute(paid)
        found = sandbox.client.get(
            "/disputes/list", {"dispute_status": ["dispute_opened", "dispute_won"], "limit": None}
        )
        assert found["total_count"] == 1
