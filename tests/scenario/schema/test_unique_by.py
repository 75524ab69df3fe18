"""`unique_by` can fail: it is refused for what no two records share, and taken for what two can."""

from __future__ import annotations

import pytest

from mock_server.scenario.conditions.on import RECORDS
from mock_server.scenario.loading.load import load_mapping
from mock_server.scenario.model.mistakes import ScenarioErrors


@pytest.mark.parametrize("subject", RECORDS)
@pytest.mark.parametrize("path", [*RECORDS.values(), "metadata.order"])
def test_the_id_of_the_records_themselves_is_refused(subject: str, path: str) -> None:
    def said() -> str:
        try:
            load_mapping({"expect": [{subject: {}, "unique_by": path}]})
        except ScenarioErrors as found:
            return str(found)
        return ""

    assert ("unique_by is always true" in said()) is (RECORDS[subject] == path)
