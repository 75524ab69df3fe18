"""The journal of a workspace with assertions, and its history in order, as lines of text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, groupby
from typing import Any, Final
from urllib.parse import urlsplit

from mock_server.testing.comparing import as_json, call_line, check_names, few, near_misses, unlike
from mock_server.testing.control import CLOCK, ControlClient, Payment, check_absence, check_numbers
from mock_server.testing.records import LoggedCall, Wire, ident, logged_call

__tracebackhide__ = True
MOST: Final = 10_000
"""The number of lines that are read, the last ones: all of them, unless the setting `journal` is higher."""


class Journal:
    """The received calls, redacted, with the reasons of decisions."""

    def __init__(self, control: ControlClient) -> None:
        self._control = control
        self._losing: Callable[[], object] = bool  # called before the calls are lost, by `reset` and `restore` too
        self._forgiven = 0  # how many calls had been dropped when it was emptied

    def calls(
        self,
        operation: str | None = None,
        *,
        payment_id: Payment | None = None,
        status: int | str | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> list[LoggedCall]:
        """The calls that match: an operation or several (`payments.*`), a status or a class of them (`4xx`).

        The request's body must have everything in `body`, and can have more; lists must be as long, and their items
        can have more. AssertionError if nothing can be said of the calls: there is no such operation, or no such field
        in its bodies, or older calls were dropped. TypeError for a value that JSON has not.
        """
        found, dropped = self._found("*" if operation is None else operation, payment_id, status, body)
        check_absence(self._control, "journal", dropped, None if found else payment_id)
        return found

    def _found(
        self, operation: str, payment_id: Any = None, status: Any = None, body: Any = None
    ) -> tuple[list[LoggedCall], int]:
        """The matching calls that there are, and how many others are lost or not read."""
        body = None if body is None else as_json(body)
        check_names(operation, {} if body is None else body)
        about = None if payment_id is None else ident(payment_id)
        asked = {"operation": operation, "payment_id": about, "status": status, "limit": MOST}
        page = self._control.get("/journal", asked)
        found = [call for call in map(logged_call, page["data"]) if not body or not unlike(body, call)]
        lost = page["dropped"] - self._forgiven
        if lost and about is not None:  # nothing about a payment comes before its creation
            made = self._control.get("/journal", {**asked, "operation": "payments.create", "status": 200})["data"]
            lost = 0 if any(not call["replayed"] for call in made) else lost
        return found, lost + page["total_count"] - len(page["data"])

    def wait_for(self, /, operation: str, *, times: int = 1, timeout: float = 5.0, **filters: Any) -> list[LoggedCall]:
        """Waits for this number of matching calls, at most `timeout` seconds of real time."""
        check_numbers(times=times, timeout=timeout)
        until = CLOCK.monotonic() + timeout
        last = self.last  # read first, so that a call in between is not missed
        while len(found := self._found(operation, **filters)[0]) < times:
            if (left := until - CLOCK.monotonic()) <= 0:
                raise self._wrong(operation, found, times, filters, f"within {timeout:g} s")
            self._control.get("/journal", {"after": last, "count": 1}, wait_s=left)
            last = self.last
        return found

    def assert_called(self, /, operation: str, times: int | None = None, **filters: Any) -> list[LoggedCall]:
        """Returns the calls; AssertionError unless there are this many, or any without a number."""
        wanted = 1 if times is None else times
        check_numbers(least=0, times=wanted)
        found, dropped = self._found(operation, **filters)
        if times is None and found:
            return found
        if len(found) <= wanted:
            check_absence(self._control, "journal", dropped, None if found else filters.get("payment_id"))
        if len(found) != wanted:
            raise self._wrong(operation, found, wanted, filters)
        return found

    def assert_not_called(self, /, operation: str, **filters: Any) -> None:
        """AssertionError if there is such a call, or could have been among those that were dropped."""
        self.assert_called(operation, 0, **filters)

    @property
    def last(self) -> int:
        """The number of the last call; 0 without one."""
        calls = self._control.get("/journal", {"limit": 1})["data"]
        return calls[-1]["number"] if calls else 0

    def clear(self) -> int:
        """Empties the journal; returns how many lines it had."""
        self._losing()
        gone: int = self._control.delete("/journal")["forgotten"]
        self._forgiven = self._control.get("/journal", {"limit": 1})["dropped"]
        return gone

    def _wrong(
        self, operation: str, found: list[LoggedCall], wanted: int, filters: dict[str, Any], when: str = ""
    ) -> AssertionError:
        forms: dict[str, Callable[[Any], Any]] = {"payment_id": ident, "body": as_json}
        filters = {name: forms[name](value) if value and name in forms else value for name, value in filters.items()}
        came = f"{f'called {_times(len(found))}' if found else 'never called'} {when}".rstrip()
        said = ", ".join(f"{name}={value!r}" for name, value in filters.items())
        asked = f"{operation} ({said})" if said else operation
        lines: Iterable[str] = (f"  {one}" for one in few([call_line(call) for call in found]))
        if len(found) < wanted:
            lines = near_misses(operation, filters, self._found("*")[0])
        return AssertionError("\n".join([f"{asked} was {came}; expected: {_times(wanted)}", *lines]))


def _times(count: int) -> str:
    return "never" if count == 0 else "once" if count == 1 else f"{count} times"


MOST_STEPS: Final = 60
"""The number of calls and events that are shown, the last ones."""
SLACK_US: Final = 500
"""The error of an attempt's time, which is rounded."""
LATER: Final = 1 << 62
Order = tuple[bool, str, int, int, int]
"""The order of a step: after the clock was set back, the workspace's instant, the real one, kinds, a number."""
_CALL, _EVENT, _ATTEMPT = 0, 1, 2
MARGIN: Final = " " * 15
FREEZING: Final = "control.clock_freeze"
SAID: Final = (
    "payment_id", "refund_id", "amount", "amount_to_capture", "currency", "capture_method", "confirm",
    "merchant_order_reference_id",
)  # fmt: skip
"""The important fields of a request: amounts, and ids of the caller."""
Step = tuple[Order, list[str]]


@dataclass(frozen=True)
class Gathered:
    """The lines of the journal, and the events with their deliveries, as the control API returns them."""

    calls: list[Wire]
    by_hand: list[Wire]
    events: list[Wire]
    hidden: dict[str, int]
    """How many earlier calls and events there are, and were."""

    @cached_property
    def lines(self) -> list[Wire]:
        """Calls and actions by hand, in the order in which they started."""
        return sorted([*self.calls, *self.by_hand], key=self.order_of_call)

    @cached_property
    def _set_back_us(self) -> int:
        """When the clock of the still empty workspace was last set to an earlier time, by real time."""
        back = (act for act in self.by_hand if str(as_object(act["response"]).get("now", act["at"])) < act["at"])
        return max((act["began_us"] for act in back), default=0)

    def order_of_call(self, call: Wire) -> Order:
        """The order of a call."""
        return call["began_us"] > self._set_back_us, call["at"], call["began_us"], _CALL, call["number"]

    @cached_property
    def _told_by(self) -> dict[int, Wire]:
        return {number: call for call in self.lines for number in call["events"]}

    def order_of_event(self, event: Wire) -> Order:
        """After the call that caused it; a scheduled one comes before the next call and its own deliveries."""
        maker = self._told_by.get(event["number"])
        if maker is not None:
            return True, event["created"], maker["began_us"], _EVENT, event["number"]
        earlier = max((call["began_us"] for n, call in self._told_by.items() if n < event["number"]), default=0)
        later = (call["began_us"] for call in self.lines if call["at"] >= event["created"])
        next_call = next((began for began in later if began > earlier), LATER)
        first = min((attempt["began_us"] for attempt in event["deliveries"]), default=LATER)
        return True, event["created"], min(next_call, first) - 1, _EVENT, event["number"]

    def received_during(self, attempt: Wire) -> list[Wire]:
        """The calls that were made while a receiver handled this attempt."""
        return self._during.get(attempt["began_us"], [])

    @cached_property
    def _during(self) -> dict[int, list[Wire]]:
        """The calls made during an attempt, by the instant at which it started; each call at its last such attempt."""
        attempts = sorted((attempt for _, attempt in self.deliveries()), key=lambda attempt: int(attempt["began_us"]))
        found: dict[int, list[Wire]] = {}
        for call in self.calls:
            for attempt in reversed(attempts):
                took_us = attempt["took_ms"] * 1000 + SLACK_US
                if attempt["began_us"] <= call["began_us"] <= attempt["began_us"] + took_us:
                    found.setdefault(attempt["began_us"], []).append(call)
                    break
        return found

    def deliveries(self) -> Iterator[tuple[Wire, Wire]]:
        """Each event with each attempt to deliver it."""
        return ((event, attempt) for event in self.events for attempt in event["deliveries"])


def gather(control: ControlClient) -> Gathered:
    """Reads everything from the control API."""
    journal = control.get("/journal", {"limit": MOST_STEPS})
    by_hand = control.get("/journal", {"limit": MOST_STEPS, "operation": "control.*"})
    inbox = control.get("/webhooks", {"limit": MOST_STEPS})
    hidden = {"lines, no longer in the journal": journal["dropped"], "events, no longer in the inbox": inbox["dropped"]}
    for name, page in (("calls", journal), ("events", inbox)):
        hidden[f"{name}, not shown"] = page["total_count"] - len(page["data"])
    return Gathered(journal["data"], by_hand["data"], inbox["data"], hidden)


def steps(gathered: Gathered) -> Iterator[str]:
    """Everything in the order in which it started, below its day."""
    told: list[Step] = [(gathered.order_of_call(call), list(_call(call))) for call in gathered.calls]
    acts = (act for act in gathered.by_hand if act["operation"] != FREEZING)
    told += [(gathered.order_of_call(act), list(_by_hand(act))) for act in acts]
    told += [(gathered.order_of_event(event), list(_event(event, gathered))) for event in gathered.events]
    for event, attempt in gathered.deliveries():
        order = True, attempt["made_at"], attempt["began_us"], _ATTEMPT, event["number"]
        told.append((order, list(_attempt(event, attempt, gathered))))
    for day, some in groupby(sorted(told, key=lambda step: step[0]), lambda step: step[0][1][:10]):
        yield day
        yield from chain.from_iterable(lines for _, lines in some)


def _call(call: Wire) -> Iterator[str]:
    yield f"{clock_time(call['at'])}  {name_of(call)} {call['method']} {call['path']} -> {_came_of(call)}"
    if sent := _sent(call):
        yield f"{MARGIN}sent: {sent}"
    for note in call["because"]:
        yield f"{MARGIN}because: {note['text']}"
        yield from (f"{MARGIN}not {near['rule']}: {near['failed']}" for near in note["near_misses"])


def as_object(body: Any) -> Wire:
    """A body, if it is an object."""
    return body if isinstance(body, dict) else {}


def name_of(call: Wire) -> str:
    """A call by its number and operation."""
    return f"#{call['number']} {call['operation']}"


def _came_of(call: Wire) -> str:
    answer = as_object(call["response"])
    payment_id = call["payment_id"] or answer.get("payment_id")
    parts = [str(call["status"])]
    if isinstance(error := answer.get("error"), dict):
        parts.append(f"{error.get('code')} {error.get('message')}")
    if answer.get("status"):
        parts.append(f"{answer['status']} {money(answer)}".rstrip())
    parts += [payment_id] if payment_id and not error and payment_id not in call["path"] else []
    parts += [f"{answer['error_code']}: {answer.get('error_message')}"] if answer.get("error_code") else []
    parts += ["the stored answer of an earlier call with this idempotency key"] if call["replayed"] else []
    parts += [f"but the answer was lost: {call['fault']}"] if call["fault"] else []
    return ", ".join(parts)


def money(answer: Wire) -> str:
    """An amount with its currency, and the received part of it."""
    if "amount" not in answer:
        return ""
    amount, received = answer["amount"], answer.get("amount_received")
    part = f"{received} of " if received and received != amount else ""
    return f"{part}{amount} {answer.get('currency', '')}".rstrip()


def _sent(call: Wire) -> str:
    """The important fields of a request that changes something."""
    if call["method"] == "GET" or call["operation"].startswith("page.") or call["operation"].endswith(".list"):
        return ""
    body = as_object(call["request"])
    parts = [f"{name}={body[name]!r}" for name in SAID if name in body]
    parts.append("with an idempotency key" if call["idempotent"] else "without an idempotency key")
    return ", ".join(parts)


def _by_hand(call: Wire) -> Iterator[str]:
    """An action of the test as the customer, the bank or the clock."""
    asked = as_object(call["request"]).items()
    shown = ", ".join(f"{name}={value!r}" for name, value in asked if name not in ("deliver", "join"))
    status = as_object(call["response"]).get("status")
    now = f" -> {status}" if status else ""
    about = f" of {call['payment_id']}" if call["payment_id"] else ""
    what = call["operation"].removeprefix("control.").replace("_", " ")
    yield f"{clock_time(call['at'])}  by hand: {what}{about}{f' ({shown})' if shown else ''}{now}"


def _event(event: Wire, gathered: Gathered) -> Iterator[str]:
    name = f"event {event['event_type']} of {event['object_id']}"
    fate = "" if event["deliveries"] or event["fate"] in (None, "nobody_listens") else f"; not sent: {event['why']}"
    yield f"{clock_time(event['created'])}  {name} is created as {event['event_id']}{fate}"
    known = {note["text"] for call in gathered.calls for note in call["because"]}
    yield from (f"{MARGIN}because: {why}" for why in event["because"] if why not in known)


def _attempt(event: Wire, attempt: Wire, gathered: Gathered) -> Iterator[str]:
    came = attempt["error"] or f"the app answered {attempt['status']}"
    copy = f", copy {attempt['copy']}" if attempt["copy"] > 1 else ""
    retry = "" if attempt["number"] == 1 else f", {attempt['kind'].replace('_', ' ')} (attempt {attempt['number']})"
    address = _shown_address(attempt["url"])
    yield f"{clock_time(attempt['made_at'])}  {event['event_id']} goes to {address}{retry}{copy}: {came}"
    if during := gathered.received_during(attempt):
        yield f"{MARGIN}and before it answered, it called {', '.join(name_of(call) for call in during)}"
    if attempt["because"] and attempt["because"] not in event["because"]:
        yield f"{MARGIN}because: {attempt['because']}"


def clock_time(at: Any) -> str:
    """The time of day of an instant."""
    return str(at)[11:23]


def _shown_address(url: str) -> str:
    """An address without possible secrets; that of an app in the test's process is not shown."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host.endswith(".localhost"):
        return f"the connected app at {parts.path}"
    return f"{parts.scheme}://{host}{f':{parts.port}' if parts.port else ''}{parts.path}"
