"""What the store keeps of calls, decisions and events, as the control API shows it."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from mock_server import jsontext
from mock_server.contract.dialect import Dialect
from mock_server.domain.instants import iso
from mock_server.sandbox.kept_answers import whole
from mock_server.store.protocol import Entry

CUT: Final = ("request_bytes", "response_bytes", "response_sha256")
"""What is told besides where a body is kept in part."""


def line_shown(entry: Entry, dialect: Dialect) -> dict[str, Any]:
    """One line of the journal; a body that is JSON stands as JSON."""
    line = whole(entry, dialect)
    return {
        "number": entry.sequence,
        "at": iso(line["at"]),
        "request_id": line["request_id"],
        "operation": line["operation"],
        "method": line["method"],
        "path": line["path"],
        "query": line["query"],
        "status": line["status"],
        "cause": line["cause"],
        "key": line["key"],
        "payment_id": line["payment_id"],
        "replayed": line["replayed"],
        "idempotent": line["idempotent"],
        "fault": line["fault"],
        "took_ms": round(line["took_ms"], 3),
        "began_us": line.get("began_us", 0),
        "events": [number + 1 for number in line.get("events") or ()],
        "because": [because_shown(note) for note in line["notes"]],
        "request": body_shown(line["request"]),
        "response": body_shown(line["response"]),
        **dict(zip(CUT, line.get("cut") or (), strict=False)),
    }


def because_shown(note: dict[str, Any]) -> dict[str, Any]:
    """One reason: what decided, in which words, and what nearly did."""
    return {
        "by": note["by"],
        "text": note["text"],
        "rule": note["rule"],
        "inputs": note["inputs"],
        "near_misses": note["near_misses"],
    }


def body_shown(body: bytes) -> object:
    """A body: JSON as it stands, anything else as text, nothing as null."""
    if not body:
        return None
    text = body.decode("utf-8", "replace")
    try:
        msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return text
    return jsontext.raw(text)
