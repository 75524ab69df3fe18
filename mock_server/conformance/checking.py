"""What a check is, and holding a target against checks."""

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
    """One thing that a client relies on: a name `group.what`, a sentence, where that is said, and how it is asked.

    `run` raises Broken where it does not hold. `needs` is what not every target has, `only` the dialect that it is
    about, where that is not every one.
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
    """What came of a check, and how long that took; `reason` says why one was left out."""

    check: Check
    outcome: CheckOutcome
    seconds: float = 0.0
    broken: Broken | None = None
    reason: str = ""


class Suite:
    """One target, asked once what it can do; checks are run one after another.

    Raises Broken where nobody answers at all.
    """

    def __init__(self, target: ConformanceTarget, means: Means) -> None:
        self.target = target
        self.means = means
        self._first = MerchantClient(target, means, frozenset(), target.key)
        found = self._first.call("GET", "/_sandbox/version", headers={"X-Sandbox-Token": target.token})
        self.there = abilities(target, has_control=found.status == 200)
        self._first.there = self.there

    def refused(self) -> str | None:
        """Why no check can be run: the target does not take the key, or keys that nobody issued."""
        if self._first.with_key(self.target.key or fresh_key(self.means)).get("/payments/list?limit=1").status != 401:
            return None
        return "it refuses --key" if self.target.key else "it accepts only issued keys; give one with --key"

    def lacks(self, check: Check) -> Ability | None:
        """What the check needs and the target has not."""
        return next((ability for ability in Ability if ability in check.needs - self.there), None)

    def run(self, check: Check) -> CheckResult:
        """One check with a client of its own: a fresh workspace, where the target makes them."""
        lacking = self.lacks(check)
        if lacking is not None:
            return CheckResult(check, CheckOutcome.SKIPPED, reason=LACKING[lacking])
        api = self._first.with_key(self.target.key or fresh_key(self.means))
        began = self.means.clock.monotonic()
        broken = outcome_of(check, api)
        took = self.means.clock.monotonic() - began
        return CheckResult(check, CheckOutcome.FAILED if broken else CheckOutcome.PASSED, took, broken)

    def run_all(self, checks: Iterable[Check]) -> Iterator[CheckResult]:
        """Each check's result as soon as it is there; those of other dialects are passed over."""
        return map(self.run, spoken(checks, self.target.dialect))

    def close(self) -> None:
        self._first.close()


def outcome_of(check: Check, api: MerchantClient) -> Broken | None:
    """What a check found broken; an answer that it cannot even read is broken too."""
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
    """The checks that are about a dialect."""
    return [check for check in checks if check.only in ("", dialect)]


def chosen(checks: Iterable[Check], patterns: Iterable[str]) -> list[Check]:
    """The checks that a pattern names: a name, a group, or either with `*`; all of them without any pattern."""
    wanted = tuple(patterns)
    return [
        check
        for check in checks
        if not wanted or any(fnmatchcase(check.name, one) or check.group == one for one in wanted)
    ]
