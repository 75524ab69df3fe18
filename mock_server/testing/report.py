"""A workspace's history for the report of a failing test, as redacted as the journal: calls, decisions, events."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any, Final

from mock_server.testing.comparing import few
from mock_server.testing.journal import MARGIN, Gathered, as_object, gather, money, steps
from mock_server.testing.parts import SandboxParts
from mock_server.testing.records import Wire
from mock_server.testing.webhooks import raised_lines

MOST: Final = 5
JUDGED: Final = frozenset({
    "amount-not-whole", "retried-too-soon", "forged-webhook-taken", "webhook-refused",
    "pending-never-looked", "challenge-never-read",
})  # fmt: skip
"""Rules of the verdict that can say why a test failed."""
SETTING: Final = "update replace update_metadata complete_authorize submit_evidence toggle_connector_agnostic_mit"
OPEN: Final = {
    "pending": "A pending payment is not paid.",
    "requires_action": "The customer's return, and the parameters of the return URL, do not prove a payment.",
    "requires_merchant_action": "A payment under review is not paid.",
}
"""Statuses that are not final, and what they mean for an app."""


def report(sandbox: SandboxParts) -> str:
    """The history, from a description of the workspace to the ticket that repeats it."""
    gathered = gather(sandbox.control)
    lines = [*_head(sandbox, gathered), *_scenarios(sandbox)]
    if gathered.calls or gathered.events:
        lines.append("history, in the workspace's time:")
        lines += [f"{MARGIN}… earlier {name}: {count}" for name, count in gathered.hidden.items() if count > 0]
        lines += steps(gathered)
    else:
        lines.append("no calls reached this workspace: the program under test may use another key or URL")
    lines += raised_lines(sandbox.webhooks.raised)
    if causes := [cause for look in LOOKS for cause in islice(look(gathered, sandbox), MOST)]:
        lines += ["possible causes:", *(f"  - {line}" for line in causes)]
    active = sandbox.control.get("/scenarios")["active"]
    played = " ".join(f"{name}@{sandbox.scenarios.shown(name)['digest'][:12]}" for name in active)
    if sandbox.seed is not None and sandbox.name is not None:  # without one of them, ids differ in each run
        lines.append(f"ticket: seed={sandbox.seed} name={sandbox.name}" + (f" scenarios={played}" if played else ""))
    return "\n".join(lines)


def _head(sandbox: SandboxParts, gathered: Gathered) -> Iterator[str]:
    clock = sandbox.clock.state()
    frozen = ", frozen" if clock["frozen"] else ""
    yield f"workspace {sandbox.name or '(without a name)'} at {sandbox.url}; clock {clock['now']}{frozen}"
    if paid := [event["payment_id"] for event in gathered.events if event["payment_id"]]:
        page = sandbox.control.get(f"/payments/{paid[-1]}/why")["page"]
        yield f"newest payment, while the server runs: {page}"
    if sandbox.server_note:
        yield sandbox.server_note
    if sandbox.outcome is not None:
        yield f"outcome under test: {sandbox.outcome.name}"
    if due := clock["next_due"]:
        yield f"next scheduled event: {due['what']} of {due['subject']} at {due['at']}"
    if unsent := sum(event["fate"] == "nobody_listens" for event in gathered.events):
        why = "events not sent, as no endpoint was configured (connect an app or set a webhook_url)"
        yield f"{why}: {unsent} of {len(gathered.events)}"


def _scenarios(sandbox: SandboxParts) -> Iterator[str]:
    for name in sandbox.control.get("/scenarios")["active"]:
        yield f"scenario {name} is on"
        for result in sandbox.scenarios.results(name):
            yield f"  assertion {result['expect']} {'passed' if result['holds'] else 'failed'}: {result['because']}"


def _judged(gathered: Gathered, sandbox: SandboxParts) -> Iterator[str]:
    """What the verdict finds by these rules, whatever made the test fail."""
    from mock_server.verdict.rules import RULES, judge

    for result in judge(sandbox.evidence(), rules=[rule for rule in RULES if rule.id in JUDGED]).found():
        by_text: dict[str, dict[int, Wire]] = {}
        for seen in result.seen:
            by_text.setdefault(seen.what, {}).update({number: {"number": number} for number in seen.calls})
        for what, calls in by_text.items():
            shown = f" ({_numbers([*calls.values()])})" if calls else ""
            yield f"{what}{shown}. {result.rule.why} {result.rule.do}"


def _repeated(gathered: Gathered, sandbox: SandboxParts) -> Iterator[str]:
    """The same request several times, each with an effect."""
    for same in _groups(gathered):
        done = [call for call in same if call["status"] == 200]
        paid = [call for call in done if as_object(call["response"]).get("status") != "failed"]
        if len(paid) > 1:
            keyless = [call for call in paid[1:] if not call["idempotent"]]
            how = "without an idempotency key" if keyless else "with another idempotency key each time"
            made = ", ".join(few([str(_made(call)) for call in paid]))
            lost = [call for call in same if call["fault"]]
            tail = f"; the answer to {_numbers(lost)} was lost" if lost else ""
            yield f"{_numbers(same)} sent the same request {how}, so it was done {len(paid)} times: {made}{tail}"
        elif len(done) > 1 and not paid:
            yield (
                f"{_numbers(done)} sent the same request, and it was declined {len(done)} times "
                f"({as_object(done[0]['response']).get('error_message')}): a decline is an answer of the issuer, "
                "with HTTP 200; do not repeat it like a failed call"
            )


def _groups(gathered: Gathered) -> Iterator[list[Wire]]:
    """Calls that change something when they are repeated, grouped by operation, path and body."""
    groups: dict[str, list[Wire]] = {}
    for call in sorted(_changing(gathered.calls), key=lambda call: int(call["began_us"])):
        if as_object(call["request"]) and call["operation"].rpartition(".")[2] not in SETTING.split():
            kind = json.dumps([call["operation"], call["path"], call["request"]], sort_keys=True)
            groups.setdefault(kind, []).append(call)
    return (same for same in groups.values() if len(same) > 1)


def _changing(calls: Iterable[Wire]) -> list[Wire]:
    """Those that change something: to repeat one that only reads, also by POST, or one with its key is no mistake."""
    from mock_server.contract.operations import BY_NAME  # late: only a failing test has a report

    done = (call for call in calls if call["operation"] in BY_NAME and not call["replayed"])
    return [call for call in done if BY_NAME[call["operation"]].changes]


def _duplicates(gathered: Gathered, sandbox: SandboxParts) -> Iterator[str]:
    """Events that were delivered several times, with an action of the app each time."""
    for told in gathered.events:
        acted = [_changing(gathered.received_during(attempt)) for attempt in told["deliveries"]]
        if sum(map(bool, acted)) > 1:
            times = f"{told['event_id']} was delivered {len(acted)} times, and the app acted on it each time"
            yield f"{times}: {_numbers([*chain(*acted)])}. Ignore an event_id that was handled before"


def _unseen(gathered: Gathered, sandbox: SandboxParts) -> Iterator[str]:
    """Payments with a final status that the app does not know."""
    for payment_id, (last, before) in _last_seen(gathered).items():
        later = (one for one in gathered.events if one["payment_id"] == payment_id and one["object_id"] == payment_id)
        if before in OPEN and all(one["number"] in last["events"] for one in later):
            yield f"{payment_id} is still {before} (#{last['number']}). {OPEN[before]}"


def _last_seen(gathered: Gathered) -> dict[str, tuple[Wire, str]]:
    """For each payment the last call of the app that returned it, with its status."""
    seen: dict[str, tuple[Wire, str]] = {}
    for call in sorted(gathered.calls, key=lambda call: int(call["began_us"])):
        answer = as_object(call["response"])
        if call["operation"].startswith("payments.") and answer.get("payment_id") and answer.get("status"):
            seen[answer["payment_id"]] = call, answer["status"]
    return seen


def _partial(gathered: Gathered, sandbox: SandboxParts) -> Iterator[str]:
    for call in gathered.calls:
        answer = as_object(call["response"])
        if call["operation"] == "payments.capture" and answer.get("status") == "partially_captured":
            yield (
                f"#{call['number']} captured {money(answer)} of {answer.get('payment_id')}: "
                f"{answer.get('amount_received')} was received, the rest was released"
            )


# Traces of common mistakes in payment integrations, with the numbers of calls.
LOOKS: Final[tuple[Callable[[Gathered, SandboxParts], Iterator[str]], ...]] = (
    _judged, _repeated, _duplicates, _unseen, _partial,
)  # fmt: skip


def _made(call: Wire) -> Any:
    answer = as_object(call["response"])
    return answer.get("refund_id") or answer.get("payment_id") or call["path"]


def _numbers(calls: list[Wire]) -> str:
    *first, last = few([f"#{call['number']}" for call in calls])
    return f"{', '.join(first)} and {last}" if first else last
