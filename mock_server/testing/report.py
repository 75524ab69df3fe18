"""A world's story for the report of a failing test: who called what, what was decided and why, what was told.

It holds nothing that the journal does not: bodies are redacted there, keys shortened, and of addresses only the place
is shown.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from mock_server.testing.records import Wire

if TYPE_CHECKING:
    from mock_server.testing.sandbox import Sandbox

MOST: Final = 60
"""So many calls and events are shown, the last ones."""
_CALL, _EVENT, _ATTEMPT = 0, 1, 2
_MARGIN: Final = " " * 15

Step = tuple[str, int, int, list[str]]
"""An instant, what comes first of several at one instant, a number, and its lines."""


def report(sandbox: Sandbox) -> str:
    """The story, from the world's head to the line that plays it again."""
    return "\n".join([*_head(sandbox), *_scenarios(sandbox), *_story(sandbox), *_raised(sandbox), *_ticket(sandbox)])


def _head(sandbox: Sandbox) -> Iterator[str]:
    clock = sandbox.clock.state()
    stands = ", which stands" if clock["frozen"] else ""
    yield f"world {sandbox.name or '(without a name)'} at {sandbox.url}; its clock shows {clock['now']}{stands}"
    if sandbox.server_note:
        yield sandbox.server_note
    if sandbox.outcome is not None:
        yield f"outcome under test: {sandbox.outcome.name}"
    if clock["next_due"]:
        due = clock["next_due"]
        yield f"next due: {due['what']} of {due['subject']} at {due['at']}"


def _scenarios(sandbox: Sandbox) -> Iterator[str]:
    for name in sandbox.control.get("/scenarios")["active"]:
        yield f"scenario {name} is on"
        for one in sandbox.scenarios.results(name):
            yield f"  expects {one['expect']}: {'holds' if one['holds'] else 'does not hold'}; {one['because']}"


def _story(sandbox: Sandbox) -> Iterator[str]:
    journal = sandbox.control.get("/journal", {"limit": MOST})
    inbox = sandbox.control.get("/webhooks", {"limit": MOST})
    steps = sorted([*map(_call, journal["data"]), *_events(inbox["data"])], key=lambda step: step[:3])
    if not steps:
        yield "no call reached this world, and nothing was told: the program under test may use another key or URL"
        return
    yield "what happened, by the world's clock:"
    for name, page in (("calls", journal), ("events", inbox)):
        if (hidden := page["total_count"] - len(page["data"])) > 0:
            yield f"{_MARGIN}… {hidden} earlier {name} are not shown"
    yield from (line for step in steps for line in step[3])


def _call(line: Wire) -> Step:
    at = line["at"]
    shown = [
        f"{_time(at)}  #{line['number']} {line['method']} {line['path']} ({line['operation']}) -> {_came_of(line)}"
    ]
    shown += [f"{_MARGIN}sent: {sent}"] if (sent := _sent(line)) else []
    for note in line["because"]:
        shown.append(f"{_MARGIN}because: {note['text']}")
        shown += [f"{_MARGIN}not {near['rule']}: {near['failed']}" for near in note["near_misses"]]
    return at, _CALL, line["number"], shown


def _came_of(line: Wire) -> str:
    answer = line["response"] if isinstance(line["response"], dict) else {}
    parts = [str(line["status"])]
    if isinstance(error := answer.get("error"), dict):
        parts.append(f"{error.get('code')} {error.get('message')}")
    if answer.get("status"):
        parts.append(f"{answer['status']}{_money(answer)}")
    parts += [line["payment_id"]] if line["payment_id"] else []
    parts += [_failure(answer)] if answer.get("error_code") else []
    parts += ["the kept answer of an earlier call"] if line["replayed"] else []
    parts += [f"but the line broke: {line['fault']}"] if line["fault"] else []
    return ", ".join(parts)


def _money(answer: Wire) -> str:
    return f" {answer['amount']} {answer.get('currency', '')}".rstrip() if "amount" in answer else ""


def _failure(answer: Wire) -> str:
    return f"{answer['error_code']}: {answer.get('error_message')}"


def _sent(line: Wire) -> str:
    """What matters of a request that changes something: amounts, ids of the caller's own, its idempotency key."""
    if line["method"] == "GET" or line["operation"].startswith("page."):
        return ""
    body = line["request"] if isinstance(line["request"], dict) else {}
    wanted = ("payment_id", "refund_id", "amount", "amount_to_capture", "currency", "capture_method", "confirm")
    parts = [f"{name}={body[name]!r}" for name in wanted if name in body]
    parts.append("an idempotency key" if line["idempotent"] else "no idempotency key")
    return ", ".join(parts)


def _events(told: list[Wire]) -> Iterator[Step]:
    for one in told:
        yield (
            one["created"],
            _EVENT,
            one["number"],
            [_event(one), *(f"{_MARGIN}because: {why}" for why in one["because"])],
        )
        for attempt in one["deliveries"]:
            yield attempt["made_at"], _ATTEMPT, one["number"], list(_attempt(one, attempt))


def _event(one: Wire) -> str:
    about = f" of {one['object_id']}"
    fate = f"; not sent: {one['why']}" if one["why"] and not one["deliveries"] else ""
    return f"{_time(one['created'])}  event {one['event_type']}{about} ({one['event_id']}){fate}"


def _attempt(one: Wire, attempt: Wire) -> Iterator[str]:
    came = attempt["error"] or f"answered {attempt['status']}"
    again = f", copy {attempt['copy']}" if attempt["copy"] > 1 else ""
    number = f"{attempt['kind']} attempt {attempt['number']}{again}"
    yield f"{_time(attempt['made_at'])}  webhook {one['event_type']} to {_place(attempt['url'])}, {number}: {came}"
    if attempt["because"]:
        yield f"{_MARGIN}because: {attempt['because']}"


def _raised(sandbox: Sandbox) -> Iterator[str]:
    for problem in sandbox.webhooks.raised:
        yield f"the connected app raised {type(problem).__name__}: {problem}{_where(problem)}"


def _where(problem: BaseException) -> str:
    trace = problem.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "" if trace is None else f" ({trace.tb_frame.f_code.co_filename}:{trace.tb_lineno})"


def _ticket(sandbox: Sandbox) -> Iterator[str]:
    """What plays it again: seed, name and the scenarios' texts, and no key."""
    found = sandbox.control.get("/scenarios")["active"]
    played = " ".join(f"{name}@{sandbox.scenarios.shown(name)['digest'][:12]}" for name in found)
    yield f"ticket: seed={sandbox.seed} name={sandbox.name}" + (f" scenarios={played}" if played else "")
    if sandbox.name and sandbox.seed:
        yield f"again: pytest {shlex.quote(sandbox.name)} --payment-sandbox-seed {shlex.quote(sandbox.seed)}"


def _time(at: Any) -> str:
    return str(at)[11:23]


def _place(url: str) -> str:
    parts = urlsplit(url)
    host = parts.hostname or ""
    return f"{parts.scheme}://{host}{f':{parts.port}' if parts.port else ''}{parts.path}"
