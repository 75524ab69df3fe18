"""A payment's export: as a scenario, as a test, as commands, as an archive of its calls."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from mock_server import __version__
from mock_server.control.as_test import as_pytest, as_yaml
from mock_server.control.export import rehearse, scenario_of
from mock_server.dashboard import calls, commands
from mock_server.dashboard.visit import PageContent, Visit
from mock_server.story.payment_history import history_of


def export(visit: Visit, payment_id: str) -> PageContent:
    """The scenario and the test, after a trial run, and each form as a file."""
    document = scenario_of(visit.workspace, payment_id)
    entries = history_of(visit.workspace.space, payment_id).lines
    shown = [calls.shown_line(visit, str(entry.sequence)) for entry in entries]
    lines = [line for line in shown if not line["operation"].startswith(("page.", "control."))]
    wanted = visit.wanted("as")
    if wanted in ("curl", "har"):
        commands_of = (commands.of_line(visit.base, line, calls.card_of(visit, line)) + "\n" for line in lines)
        text = "".join(commands_of) if wanted == "curl" else _har_of(visit.base, lines)
        return PageContent({}, file=(FILES[wanted], text))
    said = rehearse(visit.sandbox, document)
    texts = {"scenario": f"# {said}\n{as_yaml(document)}", "pytest": as_pytest(document, said)}
    if wanted in texts:
        return PageContent({}, file=(FILES[wanted], texts[wanted]))
    good = said.startswith("verified")
    values = {"payment_id": payment_id, "said": said, "is_good": good, "texts": texts, "files": FILES}
    return PageContent(values, f"Export of {payment_id}")


FILES: Final = {"scenario": "replay.yaml", "pytest": "test_replay.py", "curl": "replay.sh", "har": "calls.har"}
"""The forms, and the names of their files."""


def _har_of(base: str, lines: list[dict[str, Any]]) -> str:
    """The calls as an HTTP archive (HAR 1.2), redacted as the journal is."""
    creator = {"name": "payment-sandbox", "version": __version__}
    log = {"version": "1.2", "creator": creator, "entries": [_entry(base, line) for line in lines]}
    return json.dumps({"log": log}, indent=1, ensure_ascii=False)


def _entry(base: str, line: Mapping[str, Any]) -> dict[str, Any]:
    headers = [{"name": name, "value": value} for name, value in (line["headers"] or {}).items()]
    query = f"?{line['query']}" if line["query"] else ""
    sent, received = calls.pretty(line["request"]), calls.pretty(line["response"])
    kind = "application/json"
    common = {"httpVersion": "HTTP/1.1", "cookies": [], "headersSize": -1}
    request = {"method": line["method"], "url": f"{base}{line['path']}{query}", "headers": headers, "queryString": []}
    posted = {"postData": {"mimeType": kind, "text": sent}} if sent else {}
    content = {"size": len(received.encode()), "mimeType": kind, "text": received}
    status: dict[str, Any] = {"status": line["status"] or 0, "statusText": "", "redirectURL": ""}
    return {
        "startedDateTime": line["at"],
        "time": line["took_ms"],
        "request": {**request, **common, **posted, "bodySize": len(sent.encode())},
        "response": {**status, **common, "headers": [], "content": content, "bodySize": len(received.encode())},
        "cache": {},
        "timings": {"send": 0, "wait": line["took_ms"], "receive": 0},
    }
