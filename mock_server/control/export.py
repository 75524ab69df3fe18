"""A payment's story as a scenario that replays it: its calls, what was decided of them, how the clock moved (ours).

Each call carries a header of its own, and each decision that a scenario, the queue or chance took becomes a rule for
that header; so the replay depends on nothing but the file. Card numbers are not kept: cards stand by name.
"""

from __future__ import annotations

from typing import Any

from mock_server.control.binding import Control
from mock_server.control.replaying import Replay
from mock_server.domain.instants import iso
from mock_server.domain.payment import Payment
from mock_server.http.context import Answer, Call
from mock_server.sandbox.world import World
from mock_server.settings import ROWS
from mock_server.story.kept import kept_of

views = Control()
YAML = ("Content-Type", "application/yaml; charset=utf-8")
NOT_REPLAYED = frozenset({"rate_limit", "before_response_timeout", "advance_delivery_timeout"})
"""Settings of a world that change nothing of a payment."""


@views.view("control.export")
def export(call: Call, payment_id: str) -> Answer:
    import yaml  # late: a tenth of a second that only an export costs

    document = scenario_of(call.home, payment_id)
    text = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=110)
    return Answer(200, text.encode(), (YAML,))


def scenario_of(world: World, payment_id: str) -> dict[str, Any]:
    """The scenario as plain values. Refused as `object_unknown`."""
    found = kept_of(world.space, payment_id)
    payment = found.payment
    is_made = any(entry.value["operation"] == "payments.create" for entry in found.lines)
    replay = Replay(payment, found.events, is_made)
    for entry in found.lines:
        replay.add(entry.value)
    replay.end(found.events)
    document: dict[str, Any] = {
        "version": 1,
        "name": f"replay_{payment.payment_id}"[:64],
        "summary": f"What happened to {payment.payment_id} from {iso(payment.created_at)} on.",
    }
    parts = {
        "given": {} if is_made else _given(payment),
        "settings": _settings(world),
        "rules": replay.rules,
        "story": [*replay.steps, _at_last(payment)],
        "expect": [{"payments": {"status": str(payment.status)}, "exactly": 1}],
    }
    return {**document, **{name: part for name, part in parts.items() if part}}


def _given(payment: Payment) -> dict[str, Any]:
    """The payment as it stands, where no call that the journal still has made it."""
    row = {
        "payment_id": payment.payment_id,
        "amount": payment.amount,
        "currency": payment.currency,
        "status": str(payment.status),
    }
    return {"payments": [row]}


def _settings(world: World) -> dict[str, Any]:
    """What the world's settings differ in from a fresh sandbox's, as scenarios write them."""
    from mock_server.scenario.schema.top import WORLD_SETTINGS

    told: dict[str, Any] = {}
    for name in WORLD_SETTINGS:
        row, value = ROWS[name], world.deciding.setting(name)
        if name not in NOT_REPLAYED and value != row.default:
            told[name] = str(row.kind.show(value))
    return told


def _at_last(payment: Payment) -> dict[str, Any]:
    """What must be seen in the end; a list does not count as a poll."""
    see = {"data.0.status": str(payment.status), "data.0.amount": payment.amount}
    return {"do": "payments.list", "with": {"limit": 1}, "see": see}
