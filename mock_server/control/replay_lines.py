"""The parts of a line of the journal, in a story's words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mock_server import jsontext
from mock_server.contract.operation import Operation
from mock_server.domain import cards
from mock_server.domain.card_brands import brand_named
from mock_server.domain.faults import LineFault

BROKEN: Final = {
    LineFault.CONNECTION_RESET: "reset",
    LineFault.EMPTY_RESPONSE: "empty",
    LineFault.TRUNCATED_BODY: "truncated",
    LineFault.MALFORMED_JSON: "malformed",
    LineFault.HANG: "timeout",
}
"""A story's names for the faults that leave the client without an answer."""
DEFAULT_CARD: Final = "visa_success"
Line = Mapping[str, Any]
Plain = dict[str, Any]


def seen(line: Line) -> Plain:
    """The result of a call, in a story's words."""
    fault = line["fault"]
    if fault in BROKEN:
        return {"connection": BROKEN[LineFault(fault)]}
    see: Plain = {"http": line["status"]}
    answer, left = parsed(line["response"]), line.get("left")
    if left is not None and isinstance(answer, dict) and "payment_id" in answer and "client_secret" in answer:
        see["status"] = left[0]
    return see


def parts_of(row: Operation, path: str) -> dict[str, str]:
    """The parts of a path, by their names in the operation's path."""
    pairs = zip(row.path.split("/"), path.split("/"), strict=False)
    return {name.strip("<>"): there for name, there in pairs if name.startswith("<")}


def parsed(raw: bytes | str) -> Any:
    """A body as JSON; None if it is not JSON."""
    data = raw.encode() if isinstance(raw, str) else bytes(raw)
    try:
        return jsontext.parse(data) if data else None
    except jsontext.JsonMistake:
        return None


def card_like(brand: str) -> str:
    """A card of the table that succeeds, of a brand if there is one."""
    row = brand_named(brand) if brand else None
    wanted = f"{row.slug}_success" if row is not None else DEFAULT_CARD
    return wanted if cards.by_name(wanted) else DEFAULT_CARD
