"""The results as people read them (progress, what failed, the call that shows it), and as JUnit XML for CI."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from mock_server.conformance.checking import Check, CheckOutcome, CheckResult
from mock_server.junit import JUnitCase, as_junit

MARKS = {CheckOutcome.PASSED: ".", CheckOutcome.FAILED: "F", CheckOutcome.SKIPPED: "s"}
Say = Callable[[str], object]
"""Shows a piece of text, as it is, at once."""


def follow(results: Iterable[CheckResult], say: Say) -> list[CheckResult]:
    """Says of each group how it goes, a sign for each check; gives all results."""
    found: list[CheckResult] = []
    for group, members in groupby(results, key=lambda result: result.check.group):
        say(f"{group:<13} ")
        for result in members:
            say(MARKS[result.outcome])
            found.append(result)
        say("\n")
    return found


def summary(results: Sequence[CheckResult]) -> Iterator[str]:
    """The lines behind the progress: failures whole, what was left out by its reason, and the count."""
    for result in results:
        if result.outcome is CheckOutcome.FAILED:
            yield from ("", *failure(result))
    yield from _left_out(results)
    yield ""
    yield counted(results)


def failure(result: CheckResult) -> Iterator[str]:
    """What a failed check relies on, what was seen instead, and how to see it again."""
    check, broken = result.check, result.broken
    yield f"FAILED {check.name}: {check.about} ({check.source})"
    if broken is None:
        return
    yield f"  {broken.what}"
    yield f"    expected: {broken.expected}"
    yield f"    seen:     {broken.seen}"
    if broken.sent is not None:
        yield f"    after:    {broken.sent.curl}"


def _left_out(results: Sequence[CheckResult]) -> Iterator[str]:
    skipped = sorted((r for r in results if r.outcome is CheckOutcome.SKIPPED), key=lambda result: result.reason)
    for reason, members in groupby(skipped, key=lambda result: result.reason):
        yield ""
        yield f"skipped, because {reason}:"
        yield f"  {', '.join(result.check.name for result in members)}"


def counted(results: Sequence[CheckResult]) -> str:
    """How many checks ended how, and how long all took."""
    numbers = {outcome: sum(result.outcome is outcome for result in results) for outcome in CheckOutcome}
    said = [f"{number} {outcome}" for outcome, number in numbers.items() if number]
    return f"{', '.join(said) or 'nothing to do'} in {sum(result.seconds for result in results):.1f} s"


def listing(checks: Iterable[Check]) -> Iterator[str]:
    """A line a check: its name, what it says, where that is said, and what it needs."""
    for check in checks:
        needs = f"; needs {', '.join(sorted(check.needs))}" if check.needs else ""
        yield f"{check.name:<31} {check.about} ({check.source}{needs})"


SUITE = "payment-sandbox conformance"


def junit_document(results: Sequence[CheckResult], url: str) -> bytes:
    """The whole file."""
    return as_junit(SUITE, [_case(result) for result in results], {"target": url})


def _case(result: CheckResult) -> JUnitCase:
    case = JUnitCase(f"conformance.{result.check.group}", result.check.name, result.seconds)
    if result.outcome is CheckOutcome.SKIPPED:
        return case._replace(kind="skipped", attributes={"message": result.reason})
    if result.broken is None:
        return case
    said = {"type": "Broken", "message": str(result.broken)}
    return case._replace(kind="failure", text="\n".join(failure(result)), attributes=said)
