"""The results as people read them (progress, what failed, the call that shows it), and as JUnit XML for CI."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from mock_server.conformance.checking import Check, CheckOutcome, CheckResult

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
    numbers = {outcome: sum(result.outcome is outcome for result in results) for outcome in CheckOutcome}
    suite = Element("testsuite", name=SUITE, tests=str(len(results)), errors="0")
    suite.set("failures", str(numbers[CheckOutcome.FAILED]))
    suite.set("skipped", str(numbers[CheckOutcome.SKIPPED]))
    suite.set("time", f"{sum(result.seconds for result in results):.3f}")
    properties = SubElement(suite, "properties")
    SubElement(properties, "property", name="target", value=url)
    for result in results:
        _case(suite, result)
    suites = Element("testsuites")
    suites.append(suite)
    indent(suites)
    text: bytes = tostring(suites, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _case(suite: Element, result: CheckResult) -> None:
    check = result.check
    case = SubElement(suite, "testcase", classname=f"conformance.{check.group}", name=check.name)
    case.set("time", f"{result.seconds:.3f}")
    if result.outcome is CheckOutcome.SKIPPED:
        SubElement(case, "skipped", message=result.reason)
    elif result.broken is not None:
        failed = SubElement(case, "failure", type="Broken", message=_clean(str(result.broken)))
        failed.text = _clean("\n".join(failure(result)))


def _clean(text: str) -> str:
    """The text without the signs that XML cannot hold."""
    return "".join(sign if sign in "\t\n" or sign >= " " else "�" for sign in text)
