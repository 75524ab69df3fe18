"""A payment's story as a scenario that replays it: its calls, what was decided of them, how the clock moved (ours).

Each call carries a header of its own, and each decision that a scenario, the queue or chance took becomes a rule for
that header; so the replay depends on nothing but the file. Card numbers are not kept: cards stand by name.
"""

from __future__ import annotations

import json as jsonlib
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from werkzeug.test import Client

from mock_server import jsontext
from mock_server.control.as_test import as_pytest, as_yaml
from mock_server.control.replay_lines import BROKEN
from mock_server.control.replaying import Replay
from mock_server.control.stages import view
from mock_server.domain.api_keys import ApiKey, parse
from mock_server.domain.instants import iso
from mock_server.domain.payment import Payment
from mock_server.http.context import Answer, Call
from mock_server.http.errors import JSON
from mock_server.sandbox import Sandbox
from mock_server.sandbox.workspace import Workspace
from mock_server.scenario.model.mistakes import ScenarioErrors
from mock_server.scenario.story.client import LineBroken, StoryReply
from mock_server.scenario.story.requests import CONTROL
from mock_server.server.faults import FAULTS
from mock_server.settings import ROWS
from mock_server.store.protocol import LogEntry
from mock_server.story.payment_history import LineHead, history_of, lines_of

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication


PYTHON = ("Content-Type", "text/x-python; charset=utf-8")
YAML = ("Content-Type", "application/yaml; charset=utf-8")
NOT_REPLAYED = frozenset({"rate_limit", "before_response_timeout", "advance_delivery_timeout"})
"""Settings of a workspace that change nothing of a payment."""
CHANGING = frozenset(
    {"profiles.create", "profiles.update", "profiles.replace", "profiles.toggle_connector_agnostic_mit"}
)
KEY: Final = "snd_rehearsal_of_an_export"
MOST_S: Final = 10.0
"""How long a rehearsal may take before it is given up (ours)."""
ENDED_BY: Final = {error[1]: name for fault, name in BROKEN.items() if (error := FAULTS[fault].error)}
"""What a story calls the end of a connection, by what the scratch server says of it."""


@view("control.export")
def export(call: Call, payment_id: str) -> Answer:
    """The scenario as YAML; as JSON or as a pytest test where `Accept` asks for that."""
    wanted = call.environ.get("HTTP_ACCEPT", "")
    document = scenario_of(call.home, payment_id)
    said = rehearse(call.sandbox, document)
    if "python" in wanted:
        return Answer(200, as_pytest(document, said).encode(), (PYTHON,))
    if "json" in wanted:
        return Answer(200, jsontext.dump(document), (JSON, ("X-Sandbox-Verified", said)))
    return Answer(200, f"# {said}\n{as_yaml(document)}".encode(), (YAML,))


def scenario_of(workspace: Workspace, payment_id: str, until: int | None = None) -> dict[str, Any]:
    """The scenario as plain values, up to a line of the journal or to the end. NotTaken as `object_unknown`."""
    found = history_of(workspace.space, payment_id)
    payment = found.payment
    lines = [entry for entry in found.lines if until is None or entry.sequence <= until]
    is_made = any(entry.value["operation"] == "payments.create" for entry in lines)
    replay = Replay(payment, found.events, is_made)
    last = max((entry.sequence for entry in lines), default=0)
    entries = lines_of(workspace.space, 0, LineHead, lambda head: head.operation in CHANGING)
    changes = [entry for entry in entries if _is_of_profile(entry, payment, last)]
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


def _is_of_profile(entry: LogEntry, payment: Payment, last: int) -> bool:
    """Whether a line changed the profile that the payment is made with, before the last line of it."""
    line = entry.value
    if line["cause"] or entry.sequence > last or payment.profile_id is None:
        return False
    return payment.profile_id in line["path"] or payment.profile_id.encode() in bytes(line["response"])


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


# the rehearsal: the export is played in a scratch server before it is handed out, and says whether it leads to where it
# says. The scratch server is made for it and goes with it: nothing of the workspace that is exported is touched,
# nothing is sent to any receiver, and what would wait does not.


def rehearse(sandbox: Sandbox, document: Mapping[str, Any]) -> str:
    """What came of playing it, in one sentence that begins with `verified` or `not verified`.

    What was verified once is not played again: a page that shows it is made anew with every call.
    """
    known, digest = _VERIFIED.setdefault(sandbox, {}), sha256(jsontext.dump(document)).digest()
    said = known.get(digest) or _rehearsed(sandbox, document)
    if said.startswith("verified"):
        if len(known) >= MOST_KNOWN:
            known.clear()
        known[digest] = said
    return said


_VERIFIED: Final = WeakKeyDictionary[Sandbox, dict[bytes, str]]()
MOST_KNOWN: Final = 1_000
"""So many stories of a server are known to be verified (ours)."""


def _rehearsed(sandbox: Sandbox, document: Mapping[str, Any]) -> str:
    from mock_server.scenario.loading.load import load_mapping
    from mock_server.scenario.story.player import play

    if sandbox.scratch is None:
        return "not verified: this server cannot start a temporary one"
    until = sandbox.clock.monotonic() + MOST_S
    try:
        scenario = load_mapping(document).scenario
        client = InProcess(sandbox.scratch())
        client.control("PUT", f"scenarios/{scenario.name}", document)
        client.control("POST", f"scenarios/{scenario.name}/activate", None)
        for step in play(scenario, client):
            if not step.holds:
                return _one_line(f"not verified: step {step.step.number}, {step.did}: {'; '.join(step.problems)}")
            if sandbox.clock.monotonic() > until:
                return f"not verified: the replay took more than {MOST_S:g} seconds"
        found = client.control("POST", f"scenarios/{scenario.name}/check", None)
    except (ScenarioErrors, NotTaken) as wrong:
        return _one_line(f"not verified: {wrong}")
    failed = [f"{one['expect']}: {one['because']}" for one in found["expect"] if not one["holds"]]
    if failed:
        return _one_line(f"not verified: {'; '.join(failed)}")
    return f"verified: replayed in a fresh workspace, all {len(scenario.story)} steps gave the same results"


def _one_line(text: str) -> str:
    return " ".join(text.split()).encode("ascii", "replace").decode()[:500]


class NotTaken(Exception):
    """What the scratch server did not take."""


class InProcess:
    """A client of an app that is called where it is (see `playing.Client`)."""

    def __init__(self, app: WSGIApplication) -> None:
        self._ask: Callable[..., Any] = Client(app).open
        key = parse(KEY)
        assert isinstance(key, ApiKey)
        self._key = key

    @property
    def publishable_key(self) -> str:
        """The key that a browser would use."""
        return self._key.twin().text

    def control(self, method: str, path: str, body: object) -> Any:
        """The answer of a control call; a body of text is YAML. Raises NotTaken."""
        reply = self.request(method, CONTROL + path, body, {})
        if reply.status != 200:
            raise NotTaken(f"{path}: {reply.status} {reply.body}")
        return reply.body

    def request(self, method: str, path: str, json: object, headers: Mapping[str, str]) -> StoryReply:
        """Sends one request with JSON in it (None: no body). Raises LineBroken."""
        sent = {"api-key": self._key.text, **headers}
        kind = {} if json is None else {"data": jsonlib.dumps(json), "content_type": "application/json"}
        if isinstance(json, str):
            kind = {"data": json, "content_type": "application/yaml"}
        try:
            answer = self._ask(path, method=method, headers=sent, **kind)
            raw = answer.get_data()
        except ConnectionError as wrong:
            raise LineBroken(ENDED_BY.get(str(wrong), "reset")) from None
        return StoryReply(answer.status_code, {name.lower(): value for name, value in answer.headers}, _body(raw))


def _body(raw: bytes) -> Any:
    try:
        return jsonlib.loads(raw) if raw else None
    except ValueError:
        raise LineBroken("malformed") from None
