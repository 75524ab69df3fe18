"""The question that scenarios are asked at each attempt."""

from __future__ import annotations

from mock_server.domain.events import EVENTS, Event, EventClass
from mock_server.domain.outcomes import DecisionRequest
from mock_server.engine.kinds import PAYMENTS
from mock_server.store.protocol import Transaction
from mock_server.webhooks.body import object_kind

_ROOTS = {EventClass.PAYMENTS: "payment", EventClass.REFUNDS: "refund", EventClass.DISPUTES: "dispute"}


def moment_of(
    tx: Transaction, event: Event, now: int, attempt: int, scenarios: tuple[str, ...] | None
) -> DecisionRequest:
    """Which attempt of which event, with the records that conditions can look at."""
    name = f"webhook.{event.type}"
    records: dict[str, object] = {"event": event}
    root = _ROOTS.get(EVENTS[event.type].about)
    if root is not None:
        records[root] = tx.get(object_kind(event), event.object_id)
    if event.payment_id and "payment" not in records:
        records["payment"] = tx.get(PAYMENTS, event.payment_id)
    payment = records.get("payment")
    return DecisionRequest(
        names=(name,),
        operation=name,
        now=now,
        records=records,
        attempt=attempt,
        scenarios=scenarios,
        payment_scenarios=getattr(payment, "scenarios", None),
        subject=event.object_id,
    )
