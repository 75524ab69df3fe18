"""How the answers of the commands that act are printed: one or two lines each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mock_server.cli.output import json_line
from mock_server.domain.money import format_amount

Answer = Any
Lines = Iterator[str]


def money(minor: object, code: str) -> str:
    """Return `65.40 USD (6540)`: for people, and in minor units."""
    amount = int(str(minor))
    return f"{format_amount(amount, code)} ({amount})"


def payment_lines(one: Answer) -> Lines:
    received = one.get("amount_received")
    part = f", {money(received, one['currency'])} received" if received and received != one["amount"] else ""
    yield f"{one['payment_id']} is {one['status']}: {money(one['amount'], one['currency'])}{part}"
    page = (one.get("next_action") or {}).get("redirect_to_url")
    if one.get("error_message"):
        yield f"  {one['error_message']} ({one['error_code']})"
    elif page:
        yield f"  the customer continues at {page}"


def refund_lines(one: Answer) -> Lines:
    yield f"{one['refund_id']} is {one['status']}: {money(one['amount'], one['currency'])} of {one['payment_id']}"
    if one["error_message"]:
        yield f"  {one['error_message']} ({one['error_code']})"


def dispute_lines(one: Answer) -> Lines:
    of = f"{money(one['amount'], one['currency'])} of {one['payment_id']}"
    yield f"{one['dispute_id']} is {one['dispute_status']}: {of}, {one['connector_reason']}"
    if one["challenge_required_by"]:
        yield f"  evidence is due by {one['challenge_required_by']}"


def mandate_lines(one: Answer) -> Lines:
    yield f"{one['mandate_id']} is {one['status']}"


def settled_lines(one: Answer) -> Lines:
    yield from refund_lines(one) if "refund_id" in one else payment_lines(one)


def clock_lines(one: Answer) -> Lines:
    count = len(one.get("fired", ()))
    fired = f"; {count} scheduled event{'' if count == 1 else 's'} happened" if "fired" in one else ""
    yield f"the clock is {'frozen' if one['frozen'] else 'running'} at {one['now']}{fired}"
    if due := one["next_due"]:
        yield f"  next scheduled event: {due['what']} of {due['subject']} at {due['at']}"


def snapshots_lines(found: Answer) -> Lines:
    yield from (f"{one['name']}  {one['bytes']} bytes" for one in found["data"])
    if not found["data"]:
        yield "there are no snapshots"


def uploaded_lines(found: Answer) -> Lines:
    yield from (f"scenario {one['name']} uploaded: {one['summary']}" for one in found.get("data", [found]))


def queue_lines(found: Answer) -> Lines:
    for one in found["next"]:
        yield f"next {', '.join(one['on'])}: {json_line(one['then'])}, {one['left']} left"


def found_lines(found: Answer) -> Lines:
    for one in found["data"]:
        amount = f" {money(one['amount'], one['currency'])}" if one["amount"] is not None else ""
        status = f" {one['badge'] or one['status']}" if one["status"] else ""
        yield f"{one['at']} {one['kind']} {one['id']}{amount}{status} {one['says']}".rstrip()
    if not found["data"]:
        yield "no results"
    elif found["total_count"] > len(found["data"]):
        yield f"{found['total_count']:,} results{' or more' if found['is_cut'] else ''}, {len(found['data'])} listed"
    if found["is_cut"]:
        yield f"only the newest {found['looked_at']:,} of {found['of']:,} payments were searched"


def event_line(event: Answer) -> str:
    """One event, short."""
    return f"{event['created']} {event['event_type']} {event['object_id']} {event['event_id']}"


def event_lines(event: Answer) -> Lines:
    """An event, and the reason if it is not sent."""
    yield event_line(event)
    if event["why"]:
        yield f"  {event['why']}"


def resent_lines(event: Answer) -> Lines:
    yield from event_lines(event)
    yield from (f"  {delivery_line(one)}" for one in event["made"])


def delivery_line(one: Answer) -> str:
    """One request and its answer, short."""
    came = one["error"] or f"answered {one['status']}"
    copy = f" copy {one['copy']}" if one["copy"] > 1 else ""
    return f"attempt {one['number']}{copy} {one['url']} {came} in {one['took_ms']} ms"
