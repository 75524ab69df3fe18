"""What is said of a scenario that is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mock_server.scenario.loading.load import load_mapping
from mock_server.scenario.model.mistakes import ScenarioErrors


def problems(scenario: Mapping[str, Any]) -> list[str]:
    """The message of each mistake; none of a scenario that is valid."""
    try:
        load_mapping(scenario)
    except ScenarioErrors as found:
        return [one.message for one in found.mistakes]
    return []
