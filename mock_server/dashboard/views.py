"""Which view makes which page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mock_server.dashboard import calls, judged, payments, steering, told

if TYPE_CHECKING:
    from mock_server.dashboard.serving import View

VIEWS: Final[dict[str, View]] = {
    "payments": payments.payments,
    "payment": payments.payment,
    "journal": calls.journal,
    "line": calls.line,
    "webhooks": told.webhooks,
    "event": told.event,
    "verdict": judged.verdict,
    "clock": steering.clock,
    "scenarios": steering.scenarios,
    "scenario": steering.scenario,
    "new_scenario": steering.new_scenario,
    "queue": steering.queue,
    "cards": steering.cards,
    "snapshots": steering.snapshots,
}
