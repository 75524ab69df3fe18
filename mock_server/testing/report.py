"""A workspace's story for the report of a failing test: who called what, what was decided and why, what was told.

It holds nothing that the journal does not: bodies are redacted there, keys shortened, and of addresses only the place
is shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mock_server.testing.gathered import Gathered, gather
from mock_server.testing.noticed import noticed
from mock_server.testing.steps import MARGIN, steps

if TYPE_CHECKING:
    from mock_server.testing.sandbox import Sandbox


def report(sandbox: Sandbox) -> str:
    """The story, from the workspace's head to what plays it again."""
    found = gather(sandbox.control)
    told = [*_head(sandbox, found), *_scenarios(sandbox), *_story(found), *_raised(sandbox)]
    return "\n".join([*told, *_standing_out(found, sandbox), *_ticket(sandbox)])


def _head(sandbox: Sandbox, found: Gathered) -> Iterator[str]:
    clock = sandbox.clock.state()
    stands = ", which stands" if clock["frozen"] else ""
    yield f"workspace {sandbox.name or '(without a name)'} at {sandbox.url}; its clock shows {clock['now']}{stands}"
    if sandbox.server_note:
        yield sandbox.server_note
    if sandbox.outcome is not None:
        yield f"outcome under test: {sandbox.outcome.name}"
    if clock["next_due"]:
        due = clock["next_due"]
        yield f"next due: {due['what']} of {due['subject']} at {due['at']}"
    if any(event["fate"] == "nobody_listens" for event in found.events):
        yield "webhooks are not sent: nobody listens (connect an app, or give profile or workspace a webhook_url)"


def _scenarios(sandbox: Sandbox) -> Iterator[str]:
    for name in sandbox.control.get("/scenarios")["active"]:
        yield f"scenario {name} is on"
        for one in sandbox.scenarios.results(name):
            yield f"  expects {one['expect']}: {'holds' if one['holds'] else 'does not hold'}; {one['because']}"


def _story(found: Gathered) -> Iterator[str]:
    if not found.calls and not found.events:
        yield "no call reached this workspace, and nothing was told: the program under test may use another key or URL"
        return
    yield "what happened, by the workspace's clock:"
    for name, count in found.hidden.items():
        if count > 0:
            yield f"{MARGIN}… {count} earlier {name} are not shown"
    yield from steps(found)


def _standing_out(found: Gathered, sandbox: Sandbox) -> Iterator[str]:
    lines = list(noticed(found, sandbox))
    if lines:
        yield "what stands out:"
        yield from (f"  - {line}" for line in lines)


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
