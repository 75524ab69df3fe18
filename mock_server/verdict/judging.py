"""The rules applied to evidence: mistakes, what is right, and what could not be judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any, Final, NamedTuple

from mock_server.verdict.calls import Json
from mock_server.verdict.evidence import Evidence, Finding, Lacking, Unseen
from mock_server.verdict.rules import ERROR, RULES, ClientRule


class State(StrEnum):
    """The result of a rule, the worst first: not checked if its situation occurred, and nothing shows what was done."""

    FOUND = "failed"
    ACCEPTED = "accepted"
    WELL = "passed"
    NOT_JUDGED = "not checked"
    NO_OCCASION = "no occasion"


class Result(NamedTuple):
    """The result of one rule: its findings, the number of occasions, and why it was not judged, or is accepted."""

    rule: ClientRule
    state: State
    seen: Sequence[Finding] = ()
    occasions: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The results of all rules for a client."""

    results: Sequence[Result]
    dropped: int = 0
    base: str = ""
    """The URL of the sandbox with the evidence; empty if that is from a file."""

    def found(self, severity: str | None = None) -> list[Result]:
        """The mistakes that are not accepted."""
        return [one for one in self.results if one.state is State.FOUND and severity in (None, one.rule.severity)]

    def of(self, *states: State) -> list[Result]:
        """The results of these states."""
        return [one for one in self.results if one.state in states]

    @property
    def is_judged(self) -> bool:
        """Whether anything could be judged at all."""
        return bool(self.of(State.FOUND, State.ACCEPTED, State.WELL))

    def fails(self, *, strict: bool = False) -> bool:
        """Whether a build fails: errors, and with `strict` advice too."""
        return bool(self.found(None if strict else ERROR))


Baseline = Mapping[str, tuple[str, date]]
"""By a rule's id: why it is accepted, and until when; `date.max` for as long as it is said."""
NOTHING: Final[Baseline] = {}


def judge(
    evidence: Evidence,
    baseline: Baseline = NOTHING,
    today: date = date.min,
    rules: Sequence[ClientRule] = RULES,
    base: str = "",
) -> Verdict:
    """Applies the rules to the evidence."""
    said = {rule: (reason, date.max) for rule, reason in evidence.accepts.items()}
    results = [_accepted(_result(rule, evidence), {**said, **baseline}, today) for rule in rules]
    return Verdict(results, evidence.dropped, base)


def combined(told: Sequence[Json], baseline: Baseline = NOTHING, today: date = date.min) -> Verdict:
    """One verdict from the control API's verdicts on several workspaces: a mistake in one of them is a mistake."""
    rows = [{row["id"]: {**row, "in": one["workspace"]} for row in one["rules"]} for one in told]
    results = [_accepted(_of_several(rule, [row[rule.id] for row in rows]), baseline, today) for rule in RULES]
    return Verdict(results, sum(one["dropped"] for one in told))


def _of_several(rule: ClientRule, rows: Sequence[Json]) -> Result:
    state = next((state for state in State if any(row["state"] == state for row in rows)), State.NO_OCCASION)
    told = [row for row in rows if row["state"] == state]
    seen = [Finding(f"{row['in']}: {one['what']}", one["calls"], one["events"]) for row in told for one in row["seen"]]
    return Result(rule, state, seen, sum(row["occasions"] for row in told), told[0]["reason"] or "" if told else "")


def suspected(evidence: Evidence) -> list[ClientRule]:
    """The rules that can have a finding here, for callers that need only findings."""
    signs = evidence.signs()
    return [rule for rule in RULES if rule.sign in signs]


def _result(rule: ClientRule, evidence: Evidence) -> Result:
    try:
        occasions = list(rule.find(evidence, *rule.given))
    except Lacking as lacking:
        return Result(rule, State.NOT_JUDGED, reason=str(lacking))
    if not occasions:
        return Result(rule, State.NO_OCCASION, reason=f"it needs {rule.occasion}")
    judged = [one for one in occasions if not isinstance(one, Unseen)]
    unseen = [one.why for one in occasions if isinstance(one, Unseen)]
    if not judged:
        return Result(rule, State.NOT_JUDGED, reason=unseen[0])
    seen = [one for one in judged if one is not None]
    return Result(rule, State.FOUND if seen else State.WELL, seen, len(judged))


def _accepted(result: Result, baseline: Baseline, today: date) -> Result:
    reason, until = baseline.get(result.rule.id, ("", date.min))
    if result.state is not State.FOUND or not reason:
        return result
    if until < today:
        return result._replace(reason=f"accepted until {until}, which has passed")
    when = "" if until == date.max else f" until {until}"
    return result._replace(state=State.ACCEPTED, reason=f"accepted{when}: {reason}")


def baseline_of(found: Mapping[str, Any]) -> Baseline:
    """The tables `[[accepted]]` of a TOML file. Raises ValueError with what is wrong there."""
    known = {rule.id for rule in RULES}
    accepted: dict[str, tuple[str, date]] = {}
    rows = found.get("accepted", [])
    if found.keys() - {"accepted"} or not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError("only tables [[accepted]] with id, reason and until are allowed")
    for row in rows:
        name, reason, until = (row.get(part) for part in ("id", "reason", "until"))
        if name not in known:
            raise ValueError(f"there is no rule {name!r}")
        if not isinstance(reason, str) or not reason or type(until) is not date:
            raise ValueError(f"{name} needs a reason and a date `until`")
        accepted[str(name)] = (reason, until)
    return accepted
