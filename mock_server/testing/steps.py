"""A workspace's history: calls, actions by hand, events and deliveries, in order, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final
from urllib.parse import urlsplit

from mock_server.testing.control import ControlClient
from mock_server.testing.records import Wire

MOST: Final = 60
"""The number of calls and events that are shown, the last ones."""
SLACK_US: Final = 500
"""The error of an attempt's time, which is rounded."""
LATER: Final = 1 << 62
Place = tuple[str, int, int, int]
"""The place of a step: the workspace's instant, the real one, the order of kinds, a number."""
_CALL, _EVENT, _ATTEMPT = 0, 1, 2
MARGIN: Final = " " * 15
FREEZING: Final = "control.clock_freeze"
SAID: Final = (
    "payment_id",
    "refund_id",
    "amount",
    "amount_to_capture",
    "currency",
    "capture_method",
    "confirm",
    "merchant_order_reference_id",
)
"""The important fields of a request: amounts, and ids of the caller."""
Step = tuple[Place, list[str]]


@dataclass(frozen=True)
class Gathered:
    """The lines of the journal, and the events with their deliveries, as the control API returns them."""

    calls: list[Wire]
    by_hand: list[Wire]
    events: list[Wire]
    hidden: dict[str, int]
    """How many earlier calls and events there are."""

    @cached_property
    def lines(self) -> list[Wire]:
        """Calls and actions by hand, in the order in which they started."""
        return sorted([*self.calls, *self.by_hand], key=place_of_line)

    @cached_property
    def _told_by(self) -> dict[int, Wire]:
        return {number: line for line in self.lines for number in line["events"]}

    def place_of_event(self, event: Wire) -> Place:
        """After the call that caused it; a scheduled one comes before the next call and its own deliveries."""
        line = self._told_by.get(event["number"])
        if line is not None:
            return event["created"], line["began_us"], _EVENT, event["number"]
        next_call = next((one["began_us"] for one in self.lines if one["at"] >= event["created"]), LATER)
        first = min((one["began_us"] for one in event["deliveries"]), default=LATER)
        return event["created"], min(next_call, first) - 1, _EVENT, event["number"]

    def received_during(self, attempt: Wire) -> list[Wire]:
        """The calls that were made while a receiver handled this attempt."""
        return self._during.get(attempt["began_us"], [])

    @cached_property
    def _during(self) -> dict[int, list[Wire]]:
        """The calls made during an attempt, by the instant at which it started; each call at its last such attempt."""
        attempts = sorted((one for _, one in self.deliveries()), key=lambda one: int(one["began_us"]))
        found: dict[int, list[Wire]] = {}
        for call in self.calls:
            for one in reversed(attempts):
                took_us = one["took_ms"] * 1000 + SLACK_US
                if one["began_us"] <= call["began_us"] <= one["began_us"] + took_us:
                    found.setdefault(one["began_us"], []).append(call)
                    break
        return found

    def deliveries(self) -> Iterator[tuple[Wire, Wire]]:
        """Each event with each attempt to deliver it."""
        return ((event, attempt) for event in self.events for attempt in event["deliveries"])


def gather(control: ControlClient) -> Gathered:
    """Reads everything from the control API."""
    journal = control.get("/journal", {"limit": MOST})
    by_hand = control.get("/journal", {"limit": MOST, "operation": "control.*"})
    inbox = control.get("/webhooks", {"limit": MOST})
    hidden = {name: page["total_count"] - len(page["data"]) for name, page in (("calls", journal), ("events", inbox))}
    return Gathered(journal["data"], by_hand["data"], inbox["data"], hidden)


def place_of_line(line: Wire) -> Place:
    """The place of a call."""
    return line["at"], line["began_us"], _CALL, line["number"]


def steps(found: Gathered) -> Iterator[str]:
    """Everything in the order in which it started."""
    told: list[Step] = [(place_of_line(call), list(_call(call))) for call in found.calls]
    told += [(place_of_line(one), list(_by_hand(one))) for one in found.by_hand if one["operation"] != FREEZING]
    told += [(found.place_of_event(event), list(_event(event, found))) for event in found.events]
    for event, one in found.deliveries():
        place = one["made_at"], one["began_us"], _ATTEMPT, event["number"]
        told.append((place, list(_attempt(event, one, found))))
    for _, lines in sorted(told, key=lambda step: step[0]):
        yield from lines


def _call(line: Wire) -> Iterator[str]:
    yield f"{clock_time(line['at'])}  {name_of(line)} {line['method']} {line['path']} -> {_came_of(line)}"
    if sent := _sent(line):
        yield f"{MARGIN}sent: {sent}"
    for note in line["because"]:
        yield f"{MARGIN}because: {note['text']}"
        yield from (f"{MARGIN}not {near['rule']}: {near['failed']}" for near in note["near_misses"])


def body_of(line: Wire) -> Wire:
    """A call's body, if it is an object."""
    return line["request"] if isinstance(line["request"], dict) else {}


def answer_of(line: Wire) -> Wire:
    """A call's answer, if it is an object."""
    return line["response"] if isinstance(line["response"], dict) else {}


def name_of(line: Wire) -> str:
    """A call by its number and operation."""
    return f"#{line['number']} {line['operation']}"


def _came_of(line: Wire) -> str:
    answer = answer_of(line)
    payment_id = line["payment_id"] or answer.get("payment_id")
    parts = [str(line["status"])]
    if isinstance(error := answer.get("error"), dict):
        parts.append(f"{error.get('code')} {error.get('message')}")
    if answer.get("status"):
        parts.append(f"{answer['status']} {money(answer)}".rstrip())
    parts += [payment_id] if payment_id and payment_id not in line["path"] else []
    parts += [f"{answer['error_code']}: {answer.get('error_message')}"] if answer.get("error_code") else []
    parts += ["the stored answer of an earlier call with this idempotency key"] if line["replayed"] else []
    parts += [f"but the answer was lost: {line['fault']}"] if line["fault"] else []
    return ", ".join(parts)


def money(answer: Wire) -> str:
    """An amount with its currency, and the received part of it."""
    if "amount" not in answer:
        return ""
    amount, received = answer["amount"], answer.get("amount_received")
    part = f"{received} of " if received and received != amount else ""
    return f"{part}{amount} {answer.get('currency', '')}".rstrip()


def _sent(line: Wire) -> str:
    """The important fields of a request that changes something."""
    if line["method"] == "GET" or line["operation"].startswith("page.") or line["operation"].endswith(".list"):
        return ""
    body = body_of(line)
    parts = [f"{name}={body[name]!r}" for name in SAID if name in body]
    parts.append("with an idempotency key" if line["idempotent"] else "without an idempotency key")
    return ", ".join(parts)


def _by_hand(line: Wire) -> Iterator[str]:
    """An action of the test as the customer, the bank or the clock."""
    shown = ", ".join(f"{name}={value!r}" for name, value in body_of(line).items() if name != "deliver")
    status = answer_of(line).get("status")
    now = f" -> {status}" if status else ""
    about = f" of {line['payment_id']}" if line["payment_id"] else ""
    what = line["operation"].removeprefix("control.").replace("_", " ")
    yield f"{clock_time(line['at'])}  by hand: {what}{about}{f' ({shown})' if shown else ''}{now}"


def _event(event: Wire, found: Gathered) -> Iterator[str]:
    name = f"event {event['event_type']} of {event['object_id']}"
    fate = "" if event["deliveries"] or event["fate"] in (None, "nobody_listens") else f"; not sent: {event['why']}"
    yield f"{clock_time(event['created'])}  {name} is created as {event['event_id']}{fate}"
    known = {note["text"] for call in found.calls for note in call["because"]}
    yield from (f"{MARGIN}because: {why}" for why in event["because"] if why not in known)


def _attempt(event: Wire, attempt: Wire, found: Gathered) -> Iterator[str]:
    came = attempt["error"] or f"the app answered {attempt['status']}"
    copy = f", copy {attempt['copy']}" if attempt["copy"] > 1 else ""
    retry = "" if attempt["number"] == 1 else f", {attempt['kind'].replace('_', ' ')} (attempt {attempt['number']})"
    place = _place(attempt["url"])
    yield f"{clock_time(attempt['made_at'])}  {event['event_id']} goes to {place}{retry}{copy}: {came}"
    if during := found.received_during(attempt):
        yield f"{MARGIN}and before it answered, it called {', '.join(name_of(call) for call in during)}"
    if attempt["because"] and attempt["because"] not in event["because"]:
        yield f"{MARGIN}because: {attempt['because']}"


def clock_time(at: Any) -> str:
    """The time of day of an instant."""
    return str(at)[11:23]


def _place(url: str) -> str:
    """An address without possible secrets; that of an app in the test's process is not shown."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host.endswith(".localhost"):
        return f"the connected app at {parts.path}"
    return f"{parts.scheme}://{host}{f':{parts.port}' if parts.port else ''}{parts.path}"
