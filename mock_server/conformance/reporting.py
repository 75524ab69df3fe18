"""The report that people read: progress, what failed and how, and the call that shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from mock_server.conformance.check import Check, Outcome, Result

MARKS = {Outcome.PASSED: ".", Outcome.FAILED: "F", Outcome.SKIPPED: "s"}
Say = Callable[[str], object]
"""Shows a piece of text, as it is, at once."""


def follow(results: Iterable[Result], say: Say) -> list[Result]:
    """Says of each group how it goes, a sign for each check; gives all results."""
    found: list[Result] = []
    for group, members in groupby(results, key=lambda result: result.check.group):
        say(f"{group:<13} ")
        for result in members:
            say(MARKS[result.outcome])
            found.append(result)
        say("\n")
    return found


def summary(results: Sequence[Result]) -> Iterator[str]:
    """The lines behind the progress: failures whole, what was left out by its reason, and the count."""
    for result in results:
        if result.outcome is Outcome.FAILED:
            yield from ("", *failure(result))
    yield from _left_out(results)
    yield ""
    yield counted(results)


def failure(result: Result) -> Iterator[str]:
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


def _left_out(results: Sequence[Result]) -> Iterator[str]:
    skipped = sorted((r for r in results if r.outcome is Outcome.SKIPPED), key=lambda result: result.reason)
    for reason, members in groupby(skipped, key=lambda result: result.reason):
        yield ""
        yield f"skipped, because {reason}:"
        yield f"  {', '.join(result.check.name for result in members)}"


def counted(results: Sequence[Result]) -> str:
    """How many checks ended how, and how long all took."""
    numbers = {outcome: sum(result.outcome is outcome for result in results) for outcome in Outcome}
    said = [f"{number} {outcome}" for outcome, number in numbers.items() if number]
    return f"{', '.join(said) or 'nothing to do'} in {sum(result.seconds for result in results):.1f} s"


def listing(checks: Iterable[Check]) -> Iterator[str]:
    """A line a check: its name, what it says, where that is said, and what it needs."""
    for check in checks:
        needs = f"; needs {', '.join(sorted(check.needs))}" if check.needs else ""
        yield f"{check.name:<31} {check.about} ({check.source}{needs})"
