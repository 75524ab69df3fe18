"""Checks, and how they are run against a target."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import NamedTuple

from mock_server.conformance.answer import Broken, Phrase
from mock_server.conformance.client import MerchantClient, fresh_key
from mock_server.conformance.target import LACKING, Ability, ConformanceTarget, Means, abilities


class Check(NamedTuple):
    """One thing on which clients rely: a name `group.what`, a sentence, its source, and how it is checked.

    `run` raises Broken if it is not true. `needs` are abilities that not every target has, `only` is the dialect in
    which it applies, if not in all.
    """

    name: str
    about: str
    source: str
    run: Callable[[MerchantClient], object]
    needs: frozenset[Ability] = frozenset()
    only: str = ""

    @property
    def group(self) -> str:
        return self.name.partition(".")[0]


class CheckOutcome(StrEnum):
    """How a check ended."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


class CheckResult(NamedTuple):
    """The result of a check, and its duration; `reason` says why one was skipped."""

    check: Check
    outcome: CheckOutcome
    seconds: float = 0.0
    broken: Broken | None = None
    reason: str = ""


class Suite:
    """One target, whose abilities are found out once; checks are run one after another.

    Raises Broken if the target does not answer.
    """

    def __init__(self, target: ConformanceTarget, means: Means) -> None:
        self.target = target
        self.means = means
        self._first = MerchantClient(target, means, target.key)
        found = self._first.call("GET", "/_sandbox/version", headers={"X-Sandbox-Token": target.token})
        self.there = abilities(target, has_control=found.status == 200)

    def refused(self) -> str | None:
        """Why no check can be run: the target does not accept the key, or accepts only issued keys."""
        if self._first.with_key(self.target.key or fresh_key(self.means)).get("/payments/list?limit=1").status != 401:
            return None
        return "it refuses --key" if self.target.key else "it accepts only issued keys; give one with --key"

    def run(self, check: Check) -> CheckResult:
        """One check with a client of its own, and with its own workspace if the target creates one for any key."""
        lacking = [ability for ability in Ability if ability in check.needs - self.there]
        if lacking:
            return CheckResult(check, CheckOutcome.SKIPPED, reason=LACKING[lacking[0]])
        api = self._first.with_key(self.target.key or fresh_key(self.means))
        began = self.means.clock.monotonic()
        broken = outcome_of(check, api)
        took = self.means.clock.monotonic() - began
        return CheckResult(check, CheckOutcome.FAILED if broken else CheckOutcome.PASSED, took, broken)

    def run_all(self, checks: Iterable[Check]) -> Iterator[CheckResult]:
        """Each check's result as soon as it is known; those of other dialects are not run."""
        return map(self.run, spoken(checks, self.target.dialect))

    def close(self) -> None:
        self._first.close()


def outcome_of(check: Check, api: MerchantClient) -> Broken | None:
    """The failure of a check, also if it cannot read an answer."""
    try:
        check.run(api)
    except Broken as broken:
        return broken
    except (LookupError, TypeError, ValueError, AttributeError) as odd:
        place = traceback.extract_tb(odd.__traceback__)[-1]
        said = Phrase(f"{type(odd).__name__}: {odd} ({place.name}, line {place.lineno})")
        return Broken("the answer", Phrase("of the documented shape"), said)
    return None


def spoken(checks: Iterable[Check], dialect: str) -> list[Check]:
    """The checks that apply to a dialect."""
    return [check for check in checks if check.only in ("", dialect)]


def chosen(checks: Iterable[Check], patterns: Iterable[str]) -> list[Check]:
    """The checks that match a pattern: a name, a group, or either with `*`; without patterns all of them."""
    wanted = tuple(patterns)
    return [
        check
        for check in checks
        if not wanted or any(fnmatchcase(check.name, one) or check.group == one for one in wanted)
    ]
