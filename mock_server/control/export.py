"""A payment's story as a scenario that replays it: its calls, what was decided of them, how the clock moved (ours).

Each call carries a header of its own, and each decision that a scenario, the queue or chance took becomes a rule for
that header; so the replay depends on nothing but the file. Card numbers are not kept: cards stand by name.
"""

from __future__ import annotations

from typing import Any

from mock_server import jsontext
from mock_server.control.as_test import as_pytest
from mock_server.control.binding import Control
from mock_server.control.rehearsing import rehearse
from mock_server.control.replaying import Replay
from mock_server.domain.instants import iso
from mock_server.domain.payment import Payment
from mock_server.http.context import Answer, Call
from mock_server.http.errors import JSON
from mock_server.sandbox.workspace import JOURNAL, Workspace
from mock_server.settings import ROWS
from mock_server.store.protocol import Entry
from mock_server.story.payment_history import history_of, lines_of

views = Control()
PYTHON = ("Content-Type", "text/x-python; charset=utf-8")
YAML = ("Content-Type", "application/yaml; charset=utf-8")
NOT_REPLAYED = frozenset({"rate_limit", "before_response_timeout", "advance_delivery_timeout"})
"""Settings of a workspace that change nothing of a payment."""


@views.view("control.export")
def export(call: Call, payment_id: str) -> Answer:
    """The scenario as YAML; as JSON or as a pytest test where `Accept` asks for that."""
    wanted = call.environ.get("HTTP_ACCEPT", "")
    document = scenario_of(call.home, payment_id)
    said = rehearse(call.sandbox, document)
    if "python" in wanted:
        return Answer(200, as_pytest(document, said).encode(), (PYTHON,))
    if "json" in wanted:
        return Answer(200, jsontext.dump(document), (JSON, ("X-Sandbox-Verified", said)))
    import yaml  # late: a tenth of a second that only an export costs

    text = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=110)
    return Answer(200, f"# {said}\n{text}".encode(), (YAML,))


def scenario_of(workspace: Workspace, payment_id: str, until: int | None = None) -> dict[str, Any]:
    """The scenario as plain values, up to a line of the journal or to the end. Refused as `object_unknown`."""
    found = history_of(workspace.space, payment_id)
    payment = found.payment
    lines = [entry for entry in found.lines if until is None or entry.sequence <= until]
    is_made = any(entry.value["operation"] == "payments.create" for entry in lines)
    replay = Replay(payment, found.events, is_made)
    last = max((entry.sequence for entry in lines), default=0)
    changes = [entry for entry in lines_of(workspace.space, JOURNAL) if _is_of_profile(entry, payment, last)]
    for entry in sorted([*changes, *lines], key=lambda entry: entry.sequence):
        replay.add(entry.value)
    whole = until is None
    if whole:
        replay.end(found.events)
    document: dict[str, Any] = {
        "version": 1,
        "name": f"replay_{payment.payment_id}"[:64],
        "summary": f"What happened to {payment.payment_id} from {iso(payment.created_at)} on.",
    }
    parts = {
        "given": {} if is_made else _given(payment),
        "settings": _settings(workspace),
        "rules": replay.rules,
        "story": [*replay.steps, *([_at_last(payment)] if whole else [])],
        "expect": [{"payments": {"status": str(payment.status)}, "at_least": 1}] if whole else [],
    }
    return {**document, **{name: part for name, part in parts.items() if part}}


def _is_of_profile(entry: Entry, payment: Payment, last: int) -> bool:
    """Whether a line changed the profile that the payment is made with, before the last line of it."""
    line = entry.value
    if line["operation"] not in CHANGING or line["cause"] or entry.sequence > last or payment.profile_id is None:
        return False
    return payment.profile_id in line["path"] or payment.profile_id.encode() in bytes(line["response"])


CHANGING = frozenset(
    {"profiles.create", "profiles.update", "profiles.replace", "profiles.toggle_connector_agnostic_mit"}
)


def _given(payment: Payment) -> dict[str, Any]:
    """The payment as it stands, where no call that the journal still has made it."""
    row = {
        "payment_id": payment.payment_id,
        "amount": payment.amount,
        "currency": payment.currency,
        "status": str(payment.status),
    }
    return {"payments": [row]}


def _settings(workspace: Workspace) -> dict[str, Any]:
    """What the workspace's settings differ in from a fresh sandbox's, as scenarios write them."""
    from mock_server.scenario.schema.top import WORKSPACE_SETTINGS

    told: dict[str, Any] = {}
    for name in WORKSPACE_SETTINGS:
        row, value = ROWS[name], workspace.deciding.setting(name)
        if name not in NOT_REPLAYED and value != row.default:
            told[name] = str(row.kind.show(value))
    return told


def _at_last(payment: Payment) -> dict[str, Any]:
    """What must be seen in the end; a list does not count as a poll."""
    see = {"data.0.status": str(payment.status), "data.0.amount": payment.amount}
    return {"do": "payments.list", "with": {"limit": 1}, "see": see}
