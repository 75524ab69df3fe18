"""How the answers of the commands that act are printed: one or two lines each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mock_server.cli.output import json_line
from mock_server.domain.money import format_amount
from mock_server.domain.nouns import noun

Answer = Any
Lines = Iterator[str]


def money(minor: object, code: str) -> str:
    """Return `65.40 USD (6540)`: for people, and in minor units."""
    amount = int(str(minor))
    return f"{format_amount(amount, code)} ({amount})"


def payment_lines(payment: Answer) -> Lines:
    whole, code = payment.get("net_amount") or payment["amount"], payment["currency"]
    parts = ((payment.get("amount_received"), "received"), (payment.get("amount_capturable"), "to capture"))
    told = "".join(f", {money(part, code)} {word}" for part, word in parts if part and part != whole)
    yield f"{payment['payment_id']} is {payment['status']}: {money(whole, code)}{told}"
    page = (payment.get("next_action") or {}).get("redirect_to_url")
    if payment.get("error_message"):
        yield f"  {payment['error_message']} ({payment['error_code']})"
    elif page:
        yield f"  the customer continues at {page}"


def refund_lines(refund: Answer) -> Lines:
    of = f"{money(refund['amount'], refund['currency'])} of {refund['payment_id']}"
    yield f"{refund['refund_id']} is {refund['status']}: {of}"
    if refund["error_message"]:
        yield f"  {refund['error_message']} ({refund['error_code']})"


def dispute_lines(dispute: Answer) -> Lines:
    of = f"{money(dispute['amount'], dispute['currency'])} of {dispute['payment_id']}"
    yield f"{dispute['dispute_id']} is {dispute['dispute_status']}: {of}, {dispute['connector_reason']}"
    if dispute["challenge_required_by"]:
        yield f"  evidence is due by {dispute['challenge_required_by']}"


def mandate_lines(mandate: Answer) -> Lines:
    yield f"{mandate['mandate_id']} is {mandate['status']}"


def clock_lines(clock: Answer) -> Lines:
    count = len(clock.get("fired", ()))
    fired = f"; {count} scheduled {noun(count, 'event')} happened" if "fired" in clock else ""
    yield f"the clock is {'frozen' if clock['frozen'] else 'running'} at {clock['now']}{fired}"
    if due := clock["next_due"]:
        yield f"  next scheduled event: {due['what']} of {due['subject']} at {due['at']}"


def snapshots_lines(answer: Answer) -> Lines:
    yield from (f"{snapshot['name']}  {snapshot['bytes']} bytes" for snapshot in answer["data"])
    if not answer["data"]:
        yield "there are no snapshots"


def uploaded_lines(answer: Answer) -> Lines:
    for scenario in answer.get("data", [answer]):
        yield ": ".join(filter(None, (f"scenario {scenario['name']} uploaded", scenario["summary"])))
        yield from (f"warning: {one}" for one in scenario["warnings"])


def queue_lines(answer: Answer) -> Lines:
    for entry in answer["next"]:
        yield f"next {', '.join(entry['on'])}: {json_line(entry['then'])}, {entry['left']} left"


def found_lines(answer: Answer) -> Lines:
    for result in answer["data"]:
        amount = f" {money(result['amount'], result['currency'])}" if result["amount"] is not None else ""
        status = f" {result['badge'] or result['status']}" if result["status"] else ""
        yield f"{result['at']} {result['kind']} {result['id']}{amount}{status} {result['says']}".rstrip()
    if not answer["data"]:
        yield "no results"
    elif answer["total_count"] > len(answer["data"]):
        yield f"{answer['total_count']:,} results{' or more' if answer['is_cut'] else ''}, {len(answer['data'])} listed"
    if answer["is_cut"]:
        are_payments = 0 < answer["looked_at"] < answer["of"]
        which = (
            f"{answer['looked_at']:,} of {answer['of']:,} payments" if are_payments else "customers and other records"
        )
        yield f"only the newest {which} were searched"


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
    yield from (f"  {delivery_line(delivery)}" for delivery in event["made"])


def delivery_line(delivery: Answer, about: str = "") -> str:
    """One request with an event, and its answer."""
    came = delivery["error"] or f"answered {delivery['status']}"
    copy = f" copy {delivery['copy']}" if delivery["copy"] > 1 else ""
    return f"attempt {delivery['number']}{copy}{about} to {delivery['url']}: {came} in {delivery['took_ms']} ms"
