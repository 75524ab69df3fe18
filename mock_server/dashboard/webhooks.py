"""Webhooks: the inbox, and one event with its attempts and its signature."""

from __future__ import annotations

import json
import shlex
from typing import Any, Final

from mock_server.control.requests import TYPES
from mock_server.dashboard.verifying import VERIFY
from mock_server.dashboard.visit import PAGE, PageContent, Visit, content
from mock_server.domain.events import signature
from mock_server.webhooks.signing import HEADER

NAMES: Final = frozenset({"type", "payment_id", "delivered"})
NONE: Final[dict[str, Any]] = {"data": [], "total_count": 0, "dropped": 0}


def webhooks(visit: Visit) -> PageContent:
    """The last events that match, newest first, and the endpoint; or what is wrong with the filter."""
    asked = [(name, value) for name, value in dict(visit.query).items() if name in NAMES]
    at = visit.number("offset")
    sent = [*asked, ("limit", str(PAGE)), ("offset", str(at))]
    page, problems = visit.unless_refused(lambda: visit.ask("control.webhooks", sent), NONE)
    events = [{**event, "tone": tone_of(event), "went": went(event)} for event in reversed(page["data"])]
    return content(
        status=400 if problems else 200,
        events=events,
        total=page["total_count"],
        size=PAGE,
        offset=at,
        more=at + len(events) < page["total_count"],
        tried=visit.notice.sent if visit.notice and visit.notice.operation == VERIFY else {},
        dropped=page["dropped"],
        asked=dict(asked),
        problems=problems,
        is_empty=not page["total_count"] and not asked,
        target=visit.ask("control.webhook_target"),
        types=TYPES,
    )


def tone_of(event: dict[str, Any]) -> str:
    """The tone of an event's delivery."""
    if event["is_delivered"]:
        return "good"
    return "bad" if event["deliveries"] or event["fate"] == "given_up" else "plain" if event["fate"] else "wait"


def went(event: dict[str, Any]) -> str:
    """The result of an event's delivery."""
    if event["is_delivered"]:
        return "delivered"
    if event["deliveries"]:
        last = event["deliveries"][-1]
        return str(last["error"] or f"answered {last['status']}")
    return str(event["why"] or "on its way")


def event(visit: Visit, event_id: str) -> PageContent:
    """One event: its payload, signature and attempts, and the form to send it again."""
    found = visit.ask("control.webhook", event_id=event_id)
    sent, target = dict(found["headers"]).get(HEADER), visit.ask("control.webhook_target")
    return content(
        f"{found['event_type']} {found['event_id']}",
        event=found,
        tone=tone_of(found),
        went=went(found),
        payload=json.dumps(found["body"], indent=2, ensure_ascii=False),
        signature=sent,
        header=HEADER,
        is_right=sent == signature(target["secret"], found["payload"].encode()),
        bytes=len(found["payload"].encode()),
        curl_receiver=_delivery(found, target["url"]),
    )


def _delivery(found: dict[str, Any], url: str | None) -> str:
    """The command that delivers the event as the sandbox does."""
    parts = ["curl", "-X", "POST", shlex.quote(url or "http://localhost:8000/webhooks")]
    for name, value in found["headers"]:
        parts += ["-H", shlex.quote(f"{name}: {value}")]
    return " ".join([*parts, "--data-binary", shlex.quote(found["payload"])])
