"""Every call that changes a record with a date of its last change moves that date."""

from __future__ import annotations

from typing import Any, Final

import pytest

from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from tests.clocks import ManualClock
from tests.routes.good import caller
from tests.routes.test_repeated import good
from tests.wire import Wire, wire

DATE: Final = "modified_at"
LATER_MS: Final = 1000
COLLECTED: Final = {"disputes.attach_evidence", "disputes.delete_evidence"}
"""What these keep is not sent yet: the date is shown as that of the dispute's last change at the connector."""


def rows(api: Wire) -> dict[tuple[str, int], dict[str, Any]]:
    """The records that have such a date, by kind and number."""
    assert api.put("/_sandbox/snapshots/now").status == 200
    found = api.get("/_sandbox/snapshots/now").json["workspace"]["records"]
    return {(kind, row[0]): row[2] for kind, table in found.items() for row in table["rows"] if DATE in row[2]}


@pytest.mark.parametrize(
    "row", [row for row in OPERATIONS if row.changes and row.name not in COLLECTED], ids=lambda row: row.name
)
def test_a_change_moves_the_date(row: Operation) -> None:
    clock = ManualClock()
    api = wire(clock=clock)
    call, who = good(api, row), caller(api, row)
    before = rows(api)
    clock.advance(LATER_MS)
    assert call.sent(who, row).status == 200
    changed = {place: record for place, record in rows(api).items() if record != before.get(place)}
    assert {place: record[DATE] for place, record in changed.items()} == dict.fromkeys(changed, clock.now_ms())
