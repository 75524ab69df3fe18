"""An answer that a rule never gives is warned of, by the file alone; whether it is given, many calls say."""

from __future__ import annotations

import json
from itertools import product
from typing import Any, Final

import pytest

from mock_server.scenario.loading.load import load_text
from tests.scenario.workspace import Workspace, charge

DECLINES: Final = ("lost_card", "stolen_card", "expired_card")
CALLS: Final = 12
"""As many as every answer of a list needs, with all that is skipped before."""
LIMITS: Final[dict[str, tuple[Any, ...]]] = {
    "times": (None, 1, 2, 3),
    "skip": (None, 2),
    "every": (None, 2),
    "probability": (None, 0, "0%", 1),
    "repeat": (None, "stop"),
}


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_rule_that_leaves_answers_out_is_warned_of(size: int) -> None:
    then = [{"decline": name} for name in DECLINES[:size]]
    for values in product(*LIMITS.values()):
        limits = {name: value for name, value in zip(LIMITS, values, strict=True) if value is not None}
        text = json.dumps({"name": "s", "rules": [{"on": "charge", "then": then, **limits}]})
        workspace, warnings = Workspace(text), load_text(text, "s.yaml").warnings
        given = {workspace.decide(charge()).outcome.decline for _ in range(CALLS)} - {None}
        assert bool(warnings) is (len(given) < size), (limits, given, warnings)
