"""A payment's history as a scenario that replays it, in YAML or as a pytest test (ours).

It has its calls, their decisions, and the changes of the clock. Each call gets its own header, and each decision
of a scenario, the queue or chaos becomes a rule for that header, so the replay depends only on the file. Cards are
written by name, without their numbers.
"""

from __future__ import annotations

import json as jsonlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from operator import attrgetter
from typing import Any, Final
from weakref import WeakKeyDictionary
from wsgiref.types import WSGIApplication

from mock_server import jsontext
from mock_server.contract.control_operations import PREFIX
from mock_server.contract.dialect import Dialect
from mock_server.contract.operation import PARTS
from mock_server.contract.operations import BY_NAME
from mock_server.control.replaying import BROKEN, Entry, Replay
from mock_server.control.stages import view
from mock_server.dialects.interface import INTERFACE
from mock_server.domain import masking
from mock_server.domain.api_keys import ApiKey, KeyKind
from mock_server.domain.hiding import HIDDEN
from mock_server.domain.instants import iso
from mock_server.domain.limits import LIST_MAX
from mock_server.domain.payment import Payment
from mock_server.domain.unseen import visible
from mock_server.http.running import JSON, Answer, Call
from mock_server.sandbox import Sandbox
from mock_server.sandbox.kept_answers import whole
from mock_server.sandbox.workspace import Workspace
from mock_server.scenario.conditions.on import RECORDS
from mock_server.scenario.model.mistakes import ScenarioErrors
from mock_server.scenario.story.player import LineBroken, StoryReply, play
from mock_server.scenario.story.requests import KEY_HEADER, OWNERS, REFERENCE, STEPS
from mock_server.server.faults import FAULTS
from mock_server.settings import ROWS
from mock_server.store import logs
from mock_server.story.payment_history import LineHead, PaymentHistory, history_of, lines_of

PYTHON = ("Content-Type", "text/x-python; charset=utf-8")
YAML = ("Content-Type", "application/yaml; charset=utf-8")
NOT_REPLAYED = frozenset({"rate_limit", "before_response_timeout", "advance_delivery_timeout"})
"""Settings of a workspace that do not affect a payment."""
CHANGING = frozenset(
    {"profiles.create", "profiles.update", "profiles.replace", "profiles.toggle_connector_agnostic_mit"}
)
_KEY: Final = ApiKey(KeyKind.SECRET, "rehearsal_of_an_export")
MASKED: Final = f"where it says {HIDDEN}, the text that was sent is not replayed"
MOST_S: Final = 10.0
"""How long a rehearsal can take (ours)."""
ENDED_BY: Final = {error[1]: name for fault, name in BROKEN.items() if (error := FAULTS[fault].error)}
"""A story's name for the end of a connection, by the error of the temporary server."""


@view("control.export")
def export(call: Call, payment_id: str) -> Answer:
    """The scenario as YAML, or as `Accept` says as JSON or a pytest test."""
    wanted = call.environ.get("HTTP_ACCEPT", "")
    document: Any = jsonlib.loads(masking.shown_json(jsontext.dump(scenario_of(call.workspace, payment_id))))
    said = rehearse(call.sandbox, document)
    if "python" in wanted:
        return Answer(200, as_pytest(document, said, call.workspace).encode(), (PYTHON,))
    if "json" in wanted:
        told = () if call.sandbox.settings.plain_headers else (("X-Sandbox-Verified", said),)
        return Answer(200, jsontext.dump(document), (JSON, *told))
    return Answer(200, f"# {said}\n{as_yaml(document)}".encode(), (YAML,))


def scenario_of(workspace: Workspace, payment_id: str, until: int | None = None) -> dict[str, Any]:
    """The scenario as plain values, up to a line of the journal or to the end. Refused as `object_unknown`."""
    found = history_of(workspace.space, payment_id, workspace.now())
    payment = found.payment
    lines = [entry for entry in found.lines if until is None or entry.sequence <= until]
    is_made = any(entry.value["operation"] == "payments.create" and not entry.value["cause"] for entry in lines)
    replay = Replay(payment, found.events, [one.dispute_id for one in found.inside.disputes], is_made)
    last = max((entry.sequence for entry in lines), default=0)
    changes = lines_of(workspace.space, 0, LineHead, lambda head: head.operation in CHANGING)
    lines += [one for line in changes if line[0] <= last and _is_of_profile((one := logs.entry(*line)).value, payment)]
    for one in sorted(lines, key=attrgetter("sequence")):
        replay.add(whole(one, INTERFACE))
    document: dict[str, Any] = {
        "version": 1,
        "name": f"replay_{payment.payment_id}"[:64],
        "summary": f"What happened to {payment.payment_id} from {iso(payment.created_at)} on.",
    }
    if not is_made:  # the journal no longer has the call that created it
        made = {"payment_id": payment.payment_id, "amount": payment.amount, "currency": payment.currency}
        document["given"] = {"payments": [{**made, "status": str(payment.status)}]}
    parts = {"settings": _settings(workspace), "rules": replay.rules, "story": replay.steps}
    if until is None:
        replay.end()
        parts["expect"] = [*_outcome(found)]
    return {**document, **{name: part for name, part in parts.items() if part}}


def _outcome(found: PaymentHistory) -> Iterator[dict[str, Any]]:
    """The payment's money, and its refunds and disputes, as assertions."""
    payment, inside = found.payment, found.inside
    shown = {"net_amount": payment.net_amount, "amount_capturable": payment.amount_capturable}
    shown |= {"amount_received": payment.captured_amount} if payment.captured_amount else {}
    yield {"payments": {"status": str(payment.status), **shown}, "at_least": 1}
    for what, name, every in (("refunds", "status", inside.refunds), ("disputes", "dispute_status", inside.disputes)):
        for (status, amount), many in Counter(map(attrgetter("status", "amount"), every)).items():
            bound = "exactly" if len(every) < LIST_MAX else "at_least"  # no more of them are shown
            yield {what: {name: str(status), "amount": amount}, bound: many}


def _is_of_profile(entry: Entry, payment: Payment) -> bool:
    """Whether a line changed the profile of the payment."""
    if entry["cause"] or payment.profile_id is None:
        return False
    return payment.profile_id in entry["path"] or payment.profile_id.encode() in bytes(entry["response"])


def _settings(workspace: Workspace) -> dict[str, Any]:
    """The workspace's settings that are not the default, as scenarios write them."""
    from mock_server.scenario.schema.top import WORKSPACE_SETTINGS

    values = {name: workspace.deciding.setting(name) for name in WORKSPACE_SETTINGS if name not in NOT_REPLAYED}
    return {name: str(ROWS[name].kind.show(value)) for name, value in values.items() if value != ROWS[name].default}


def rehearse(sandbox: Sandbox, document: Mapping[str, Any]) -> str:
    """Plays an export in a temporary server; returns one sentence that begins with `verified` or `not verified`.

    The exported workspace is not touched, nothing is sent to a receiver, and no step waits. An export that was
    verified once is not played again, because a page that shows it calls this each time.
    """
    known, digest = _VERIFIED.setdefault(sandbox, {}), sha256(jsontext.dump(document)).digest()
    said = known.get(digest) or _rehearsed(sandbox, document)
    if said.startswith("verified"):
        if len(known) >= MOST_KNOWN:
            known.clear()
        known[digest] = said
    return f"{said}; {MASKED}" if HIDDEN in str(document) and not said.endswith(MASKED) else said


_VERIFIED: Final = WeakKeyDictionary[Sandbox, dict[bytes, str]]()
MOST_KNOWN: Final = 1_000
"""Exports of a server that are known to be verified (ours)."""


def _rehearsed(sandbox: Sandbox, document: Mapping[str, Any]) -> str:
    from mock_server.scenario.loading.load import load_mapping

    until = sandbox.clock.monotonic() + MOST_S
    try:
        scenario = load_mapping(document).scenario
        client = InProcess(sandbox.scratch())
        client.control("PUT", f"scenarios/{scenario.name}", document)
        client.control("POST", f"scenarios/{scenario.name}/activate", None)
        for step in play(scenario, client):
            if wrong := "; ".join(step.problems):
                return _one_line(f"not verified: step {step.step.number}, {step.did}: {step.got}; {wrong}")
            if sandbox.clock.monotonic() > until:
                return f"not verified: the replay took more than {MOST_S:g} seconds"
        found = client.control("POST", f"scenarios/{scenario.name}/check", None)
    except (ScenarioErrors, NotTaken) as wrong:
        return _one_line(f"not verified: {wrong}")
    failed = [f"{result['expect']}: {result['because']}" for result in found["expect"] if not result["holds"]]
    if failed:
        return _one_line(f"not verified: {'; '.join(failed)}")
    return f"verified: replayed in a fresh workspace, with the same results in all steps ({len(scenario.story)})"


def _one_line(text: str) -> str:
    return " ".join(text.replace("…", "...").split()).encode("ascii", "replace").decode()[:500]


class NotTaken(Exception):
    """The temporary server refused a call."""


class InProcess:
    """A story's client of an app in this process."""

    publishable_key: Final = _KEY.twin().text

    def __init__(self, app: WSGIApplication) -> None:
        from werkzeug import Client  # late: only a rehearsal calls an app so

        self._ask: Callable[..., Any] = Client(app, use_cookies=False).open

    def control(self, method: str, path: str, body: object) -> Any:
        """The answer of a control call; a body of text is YAML. Raises NotTaken."""
        reply = self.request(method, PREFIX + path, body, {})
        if reply.status != 200:
            raise NotTaken(f"{path}: {reply.body['error']['message']}")
        return reply.body

    def request(self, method: str, path: str, json: object, headers: Mapping[str, str]) -> StoryReply:
        sent = {"api-key": _KEY.text, **headers}
        kind = {} if json is None else {"data": jsonlib.dumps(json), "content_type": "application/json"}
        if isinstance(json, str):
            kind = {"data": json, "content_type": "application/yaml"}
        try:
            answer = self._ask(path, method=method, headers=sent, **kind)
            raw = answer.get_data()
        except ConnectionError as wrong:
            raise LineBroken(ENDED_BY.get(str(wrong), "reset")) from None
        lowered = {name.lower(): value for name, value in answer.headers}
        try:
            return StoryReply(answer.status_code, lowered, jsonlib.loads(raw) if raw else None)
        except (ValueError, RecursionError):
            raise LineBroken("malformed") from None


Step = Mapping[str, Any]


def as_yaml(document: Mapping[str, Any]) -> str:
    """A scenario's file."""
    import yaml  # late: a tenth of a second that only an export costs

    text = str(yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=110))
    return text if visible(text) == text else str(yaml.safe_dump(document, sort_keys=False, width=110))


def mark_of(workspace: Workspace, dialect: Dialect) -> str:
    """The marker of a test in a dialect; none in a workspace of the dialect that tests have."""
    return "" if workspace.dialect is INTERFACE else f'@pytest.mark.payment_sandbox(dialect="{dialect.name}")\n'


def as_pytest(document: Mapping[str, Any], said: str, workspace: Workspace, name: str = "") -> str:
    """The test's text; `said` is the result of playing it."""
    mark = mark_of(workspace, INTERFACE)
    name = re.sub(r"[^A-Za-z0-9_]", "_", name or str(document["name"]))
    scenario = {key: document[key] for key in ("given", "settings", "rules") if key in document}
    about = f"{said[0].upper()}{said[1:]}.".replace("\\", "/").replace('"', "'")
    lines = [f'"""{document["summary"]}', "", about, '"""', ""]
    breaks = any("connection" in step.get("see", {}) for step in document["story"])
    lines += ["from http.client import HTTPException", ""] if breaks else []
    lines += ["import pytest", ""] if breaks or mark else []
    lines += ["", f"{mark}def test_{name}(payment_sandbox):"]
    lines.append("    client, control = payment_sandbox.client, payment_sandbox.control")
    if scenario:
        lines.append(f"    payment_sandbox.scenario({set_out({'name': document['name'], **scenario}, '    ')})")
    for step in document["story"]:
        lines += [f"    {line}" for line in _step(step)]
    return "\n".join(lines) + "\n"


def _step(step: Step) -> Iterator[str]:
    row = STEPS.get(step["do"])
    call = _control(step) if row is not None else _api(step)
    see = dict(step.get("see", {}))
    if "connection" in see:
        timeout = ", timeout=1.0" if see["connection"] == "timeout" else ""
        yield "with pytest.raises((OSError, HTTPException, ValueError)):"
        yield f"    {call[:-1]}{timeout}).json()"
        return
    if row is not None:
        yield f"{step['as']} = {call}" if "as" in step else call
        return
    name = step.get("as", "answer")
    yield f"{name} = {call}"
    for path, expected in see.items():
        if path == "http":
            yield f"assert {name}.status == {expected!r}"
        else:
            keys = "".join(f"[{int(key) if key.isdecimal() else key!r}]" for key in path.split("."))
            yield f"assert {name}{keys} == {set_out(_filled(expected), '    ')}"


def _control(step: Step) -> str:
    row = STEPS[step["do"]]
    ident = Code(_of(step["of"], RECORDS[row.path.split("/", 1)[0]])) if "of" in step else ""
    path = _path(f"/{row.path}", {"<id>": ident})
    by = {"by": step["by"]} if "by" in step else {}
    return f"control.post({path}, {set_out({**row.body, **by, **_filled(step.get('with', {}))}, '    ')})"


def _api(step: Step) -> str:
    row = BY_NAME[step["do"]]
    body = _filled(step.get("with", {}))
    parts = PARTS.findall(row.path)
    path = _path(row.path, {f"<{part}>": Code(_of(step["of"], part)) for part in parts})
    if "of" in step and not parts:
        owner = OWNERS.get(row.name.split(".", 1)[0], "payment_id")
        body[owner] = Code(_of(step["of"], owner))
    if "card" in body:
        card = {"card": Code(f"payment_sandbox.cards[{body.pop('card')!r}].as_data()")}
        body |= {"payment_method": "card", "payment_method_type": "credit", "payment_method_data": card}
    headers = {**_filled(step.get("headers", {})), **({KEY_HEADER: step["key"]} if "key" in step else {})}
    more = f", headers={set_out(headers, '    ')}" if headers else ""
    if row.method == "GET":
        return f"client.get({path}{', ' + set_out(body, '    ') if body else ''}{more})"
    return f"client.request({row.method!r}, {path}, {set_out(body, '    ')}{more})"


def _path(path: str, parts: Mapping[str, object]) -> str:
    for name, code in parts.items():
        path = path.replace(name, f"{{{code!r}}}" if code else "")
    return f'f"{path}"' if "{" in path else f'"{path}"'


def _of(text: str, part: str) -> str:
    """The code for the object in `of`: for an answer its id, for a path in it the value."""
    found = REFERENCE.fullmatch(text)
    if found is None:
        return repr(text)
    return f"{_code(found)}[{part!r}]" if not found[2] or found[2].split(".")[-1].isdecimal() else _code(found)


def _code(found: re.Match[str]) -> str:
    if found[1] == "publishable_key":
        return "payment_sandbox.publishable_key"
    return found[1] + "".join(f"[{int(key) if key.isdecimal() else key!r}]" for key in found[2].split(".")[1:])


def _filled(value: Any) -> Any:
    """A value with its references as code."""
    if isinstance(value, Mapping):
        return {key: _filled(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item) for item in value]
    found = REFERENCE.fullmatch(value) if isinstance(value, str) and not value.startswith("$$") else None
    if found is None:
        return value[1:] if isinstance(value, str) and value.startswith("$$") else value
    return Code(_code(found))


class Code(str):
    """A part of a value that is written as Python code."""

    __slots__ = ()
    __repr__ = str.__str__


def set_out(value: object, margin: str) -> str:
    """The value in the layout of a formatted call."""
    inner = f"{margin}    "
    if isinstance(value, dict) and value:
        parts = [f"{inner}{name!r}: {set_out(item, inner)},\n" for name, item in value.items()]
        return "{\n" + "".join(parts) + margin + "}"
    if isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        return "[\n" + "".join(f"{inner}{set_out(item, inner)},\n" for item in value) + margin + "]"
    return repr(value)
