"""The results as JUnit XML, which every CI reads."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from mock_server.conformance.check import Outcome, Result
from mock_server.conformance.reporting import failure

SUITE = "payment-sandbox conformance"


def document(results: Sequence[Result], url: str) -> bytes:
    """The whole file."""
    numbers = {outcome: sum(result.outcome is outcome for result in results) for outcome in Outcome}
    suite = Element("testsuite", name=SUITE, tests=str(len(results)), errors="0")
    suite.set("failures", str(numbers[Outcome.FAILED]))
    suite.set("skipped", str(numbers[Outcome.SKIPPED]))
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


def _case(suite: Element, result: Result) -> None:
    check = result.check
    case = SubElement(suite, "testcase", classname=f"conformance.{check.group}", name=check.name)
    case.set("time", f"{result.seconds:.3f}")
    if result.outcome is Outcome.SKIPPED:
        SubElement(case, "skipped", message=result.reason)
    elif result.broken is not None:
        failed = SubElement(case, "failure", type="Broken", message=_clean(str(result.broken)))
        failed.text = _clean("\n".join(failure(result)))


def _clean(text: str) -> str:
    """The text without the signs that XML cannot hold."""
    return "".join(sign if sign in "\t\n" or sign >= " " else "�" for sign in text)
