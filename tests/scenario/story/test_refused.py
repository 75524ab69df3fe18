"""A step whose call was refused says what the API said: a code has many causes, so alone it lets one guess."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.contract.dialect import ErrorRow
from mock_server.dialects.interface.errors import ERRORS
from mock_server.scenario.story.player import StoryReply
from tests.scenario.story.test_story import played


@pytest.mark.parametrize("row", ERRORS, ids=lambda row: row.cause.name.lower())
def test_a_step_says_why_its_call_was_refused(row: ErrorRow) -> None:
    error = {"type": row.type, "code": row.code, "message": row.message}
    for see, holds in ((f"{{http: {row.status}}}", True), ("{http: 201}", False), ("{}", row.status < 400)):
        (step,), _ = played(f"- {{do: payments.create, see: {see}}}", StoryReply(row.status, {}, {"error": error}))
        assert step.holds == holds
        assert str(step).count(row.message) == 1
        assert step.got == f"{row.status} {row.code}: {row.message}"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"error": {"message": "no code"}}, "400 no code"),
        ({"error": {"code": "XX_1"}}, "400 XX_1"),
        ({"error": {}}, "400"),
        ({"error": "a scenario's own"}, "400"),
        ({"status": "failed", "error": {"code": "XX_1"}}, "400 failed"),
        (["no object"], "400"),
        (None, "400"),
    ],
)
def test_an_answer_of_a_scenarios_own_needs_no_code(body: Any, said: str) -> None:
    (step,), _ = played("- {do: payments.create, see: {http: 400}}", StoryReply(400, {}, body))
    assert step.got == said
