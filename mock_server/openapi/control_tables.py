"""The tables that the control API shows: cards, refusals, states, scenarios, what expectations came to."""

from __future__ import annotations

from mock_server.contract.notation import FLAG, INSTANT, TEXT, WHOLE, Json, counted, many, maybe, record

_TEXT = maybe(TEXT)


def machine() -> Json:
    """The states of one sort of record, and the ways between them."""
    state = record({"status": TEXT, "final": FLAG, "asks": many(TEXT), "triggers": many(TEXT)})
    way = record({"from": _TEXT, "what": TEXT, "to": TEXT, "event": _TEXT, "source": TEXT})
    return record({"states": many(state), "transitions": many(way)})


def errors() -> Json:
    """Every reason for a refusal, and the public codes."""
    wire = {"status": WHOLE, "type": TEXT, "code": TEXT, "message": TEXT}
    return record(
        {
            "causes": many(record({"cause": TEXT, "about": TEXT, **wire, "source": TEXT})),
            "codes": many(record({"code": TEXT, "status": WHOLE, "type": TEXT, "message": TEXT, "never": _TEXT})),
            "declines": many(record({"name": TEXT, "error_code": TEXT, "error_message": TEXT, "unified_code": TEXT})),
        }
    )


def cards() -> Json:
    """The test cards."""
    names = ("number", "name", "brand", "type", "effect", "source")
    return counted(record(dict.fromkeys(names, TEXT)))


def scenarios() -> Json:
    """The scenarios within reach, and which are on."""
    row = {"name": TEXT, "origin": TEXT, "file": _TEXT, "stale": FLAG, "active": FLAG, "activated_at": maybe(INSTANT)}
    return record({"active": many(TEXT), "scenarios": many(record(row))})


def checked() -> Json:
    """What each expectation came to."""
    row = record({"expect": TEXT, "holds": FLAG, "because": _TEXT, "at": TEXT})
    return record({"holds": FLAG, "expect": many(row)})
