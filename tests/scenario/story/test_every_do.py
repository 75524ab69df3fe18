"""Every operation as the step of a story: `check` calls it valid if and only if a story can make the call succeed.

The calls are those of the table with one that succeeds for each operation; a step has their ids, body and query.
"""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import parse_qsl

import pytest

from mock_server.contract.operation import PARTS, Operation
from mock_server.contract.operations import BY_NAME, OPERATIONS
from mock_server.scenario.loading.load import load_mapping
from mock_server.scenario.story.requests import request_of
from tests.routes.good import GOOD, Good, as_client, caller
from tests.scenario.refusals import problems
from tests.wire import wire

MADE: Final = {"do": "payments.list", "as": "made"}


def story_of(row: Operation, good: Good) -> dict[str, Any]:
    """The same call, as a story says it: the ids are those of an earlier step's answer."""
    sent = {**dict(parse_qsl(good.query.removeprefix("?"))), **(good.body if isinstance(good.body, dict) else {})}
    step: dict[str, Any] = {"do": row.name, "bare": True} if row.name == "payments.create" else {"do": row.name}
    step |= {"of": "$made"} if PARTS.search(row.path) else {}
    return {"story": [MADE, {**step, "with": sent, "headers": dict(good.headers)}]}


@pytest.mark.parametrize("name", dict.fromkeys(row.name for row in OPERATIONS))
def test_a_step_is_valid_if_it_can_be_played(name: str) -> None:
    api = wire()
    row, good = BY_NAME[name], GOOD[name](api)
    client = caller(api, row)
    good = as_client(good, row) if row.wants_secret and client is not api and good.secret else good
    story = story_of(row, good)
    if found := problems(story):
        assert found == [f"{name} cannot be a step: it takes a form or a list, and a step sends an object"]
        told = Good(good.ids, story["story"][1]["with"], headers=good.headers)
        assert told.sent(client, row).status in (400, 415, 422)
        assert problems({"story": [MADE, {**story["story"][1], "see": {"error.type": "invalid_request"}}]}) == []
        return
    step = load_mapping(story).scenario.story[1]
    request = request_of(step, {"made": dict(good.ids)}, {})
    reply = client.call(request.method, request.path, request.json, headers=dict(request.headers))
    assert reply.status < 400, reply.json
    assert not good.form and isinstance(good.body, dict | None)


@pytest.mark.parametrize("name", dict.fromkeys(row.name for row in OPERATIONS if PARTS.search(row.path)))
def test_one_id_is_not_taken_for_two(name: str) -> None:
    parts = PARTS.findall(BY_NAME[name].path)
    found = problems({"story": [{"do": name, "of": "abc", "see": {"http": 200}}]})
    assert found == ([f"{name} needs of for its {' and '.join(parts)}, such as $pay"] if parts[1:] else [])
