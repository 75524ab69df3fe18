"""A report as JUnit XML, as CI systems read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement, indent, tostring


class JUnitCase(NamedTuple):
    """One case: `kind` is `failure`, `skipped` or `system-out`, with its `text`; empty for one that passed."""

    group: str
    name: str
    seconds: float = 0.0
    kind: str = ""
    text: str = ""
    attributes: Mapping[str, str] = {}


def as_junit(suite: str, cases: Sequence[JUnitCase], properties: Mapping[str, str] | None = None) -> bytes:
    """The whole file, with one suite in it."""
    suites = Element("testsuites")
    top = SubElement(suites, "testsuite", name=suite, tests=str(len(cases)), errors="0")
    for name, kind in (("failures", "failure"), ("skipped", "skipped")):
        top.set(name, str(sum(case.kind == kind for case in cases)))
    top.set("time", f"{sum(case.seconds for case in cases):.3f}")
    if properties:
        listed = SubElement(top, "properties")
        for name, value in properties.items():
            SubElement(listed, "property", name=name, value=value)
    for case in cases:
        element = SubElement(top, "testcase", classname=case.group, name=case.name, time=f"{case.seconds:.3f}")
        if case.kind:
            attributes = {name: _clean(value) for name, value in case.attributes.items()}
            SubElement(element, case.kind, attributes).text = _clean(case.text) or None
    indent(suites)
    written: bytes = tostring(suites, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _clean(text: str) -> str:
    """The text without the characters that XML cannot contain."""
    sound = text.encode("utf-8", "replace").decode()
    return "".join(sign if sign in "\t\n" or (sign >= " " and sign not in "\ufffe\uffff") else "�" for sign in sound)
