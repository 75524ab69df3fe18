"""A verdict as text, JSON, JUnit XML and Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from mock_server.contract.control_operations import DASHBOARD
from mock_server.domain.nouns import noun
from mock_server.junit import JUnitCase, as_junit
from mock_server.verdict.evidence import MOST, Finding
from mock_server.verdict.rules import ADVICE, ERROR, Result, State, Verdict

SUITE: Final = "payment-sandbox verdict"
UNKNOWN: Final = {
    State.NOT_JUDGED: "not checked: nothing that was recorded shows what the client did",
    State.NO_OCCASION: "without an occasion: what these rules are about did not occur",
}
"""The states that are neither right nor wrong, each with its heading."""
GUIDE: Final = "A rule that was not checked may still be broken, and one without an occasion too."
SHOWN: Final = 5
"""The number of findings of a rule that are shown; JSON has all."""


def summary(verdict: Verdict) -> str:
    """The whole in one line."""
    errors = len(verdict.found(ERROR))
    parts = [f"{errors} {noun(errors, 'error')}", f"{len(verdict.found(ADVICE))} advice"]
    accepted, kept, missing, idle = (len(verdict.of(state)) for state in (State.ACCEPTED, State.WELL, *UNKNOWN))
    parts += [f"{accepted} accepted"] if accepted else []
    rules = [f"{kept} {noun(kept, 'rule')} passed"]
    rules += [f"{missing} not checked"] if missing else []
    rules += [f"{idle} had no occasion"] if idle else []
    return f"{', '.join(parts)}; {', '.join(rules)}"


def findings(verdict: Verdict) -> list[str]:
    """Only the mistakes."""
    return [line for result in verdict.found() for line in _lines(result, verdict.base)]


def text(verdict: Verdict) -> list[str]:
    """For a terminal."""
    lines = [summary(verdict)]
    for result in verdict.of(State.FOUND, State.ACCEPTED):
        lines += ["", *_lines(result, verdict.base)]
    if any("/_sandbox/" in line for line in lines):
        lines += ["", f"the addresses are for curl -H 'api-key: …'; in a browser: {verdict.base}{DASHBOARD}"]
    if verdict.dropped:
        lines += ["", f"older calls that were dropped or not read, and so not checked: {verdict.dropped}"]
    for state, heading in UNKNOWN.items():
        if missing := verdict.of(state):
            lines += ["", heading, *(f"  {result.rule.id}: {result.reason}" for result in missing)]
    return [*lines, "", GUIDE] if verdict.of(*UNKNOWN) else lines


def _lines(result: Result, base: str) -> Iterator[str]:
    rule = result.rule
    yield f"{rule.severity} {rule.id}: {rule.title}{f' ({result.reason})' if result.reason else ''}"
    for seen in result.seen[:SHOWN]:
        yield f"  seen: {seen.what}"
        yield from (f"        {link}" for link in links(seen, base))
    if len(result.seen) > SHOWN:
        yield f"        and {len(result.seen) - SHOWN} more"
    yield f"  why:  {rule.why}"
    yield f"  do:   {rule.do}"


def links(seen: Finding, base: str) -> list[str]:
    """The addresses of the calls and events of a finding: the journal returns the newest calls after a number."""
    calls = [f"call #{number}: {base}/_sandbox/journal?after={number - 1}&limit={MOST}" for number in seen.calls]
    return calls + [f"event #{number}: {base}/_sandbox/webhooks?after={number - 1}&limit=1" for number in seen.events]


def as_json(verdict: Verdict) -> dict[str, Any]:
    """For programs: every rule with its state."""
    return {
        "summary": summary(verdict),
        "dropped": verdict.dropped,
        "rules": [
            {
                "id": result.rule.id,
                "severity": result.rule.severity,
                "state": str(result.state),
                "title": result.rule.title,
                "reason": result.reason or None,
                "occasions": result.occasions,
                "why": result.rule.why,
                "do": result.rule.do,
                "source": result.rule.source,
                "seen": [{**seen._asdict(), "links": links(seen, verdict.base)} for seen in result.seen],
            }
            for result in verdict.results
        ],
    }


def junit(verdict: Verdict, *, strict: bool = False) -> bytes:
    """JUnit XML: a rule is a case, an error (with `strict` advice too) a failure, what is not judged is skipped."""
    failed = verdict.found(None if strict else ERROR)
    return as_junit(SUITE, [_case(result, verdict.base, fails=result in failed) for result in verdict.results])


def _case(result: Result, base: str, *, fails: bool) -> JUnitCase:
    rule = result.rule
    case = JUnitCase(f"verdict.{rule.severity}", rule.id)
    if result.state in (*UNKNOWN, State.ACCEPTED):
        return case._replace(kind="skipped", attributes={"message": result.reason})
    if result.state is not State.FOUND:
        return case
    case = case._replace(kind="system-out", text="\n".join(_lines(result, base)))
    return case._replace(kind="failure", attributes={"type": rule.severity, "message": rule.title}) if fails else case


def markdown(verdict: Verdict) -> str:
    """For a comment under a pull request."""
    lines = ["### Payment sandbox: verdict", "", f"**{summary(verdict)}**", ""]
    if found := verdict.of(State.FOUND, State.ACCEPTED):
        lines += ["| | Rule | Finding | What to do |", "|---|---|---|---|", *map(_row, found), ""]
    if missing := verdict.of(*UNKNOWN):
        lines += [f"<details><summary>not checked, or without an occasion: {len(missing)}</summary>", "", GUIDE, ""]
        lines += [*(f"- `{result.rule.id}`: {_cell([result.reason])}" for result in missing), "", "</details>", ""]
    return "\n".join(lines)


def _row(result: Result) -> str:
    rule = result.rule
    more = [f"and {len(result.seen) - SHOWN} more"] if len(result.seen) > SHOWN else []
    shown = []
    for seen in result.seen[:SHOWN]:
        places = [f"call #{number}" for number in seen.calls] + [f"event #{number}" for number in seen.events]
        shown.append(f"{seen.what} ({', '.join(places)})" if places else seen.what)
    sort = "accepted" if result.state is State.ACCEPTED else rule.severity
    return f"| {sort} | `{rule.id}` {_cell([rule.title])} | {_cell(shown + more)} | {_cell([rule.do])} |"


def _cell(texts: Sequence[str]) -> str:
    """Texts of one cell: data of the client is escaped."""
    plain = [" ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|") for text in texts]
    return "<br>".join(text.replace("`", "'") for text in plain)
