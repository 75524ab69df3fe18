"""Every source that the package names has its place on the pages of sources."""

from __future__ import annotations

import re
from typing import Final

import pytest

from tests.architecture.sources import ROOT

PAGES: Final = ROOT / "docs" / "explanation" / "sources"
ANCHORS: Final = {
    anchor for page in PAGES.glob("*.md") for anchor in re.findall(r'<a id="([^"]+)">', page.read_text("utf-8"))
}
SECTION: Final = re.compile(r"\b(interface|facts) §(\d+(?:\.\d+)?)")
NAMED: Final = re.compile(r"\bdecisions \"?([A-Z][a-z]+(?: \w+)*)")


def anchors(text: str) -> set[str]:
    """Return the anchors that the citations of a text lead to."""
    sections = {f"{name}-{number}" for name, number in SECTION.findall(text)}
    return sections | {f"decisions-{name.lower().replace(' ', '-')}" for name in NAMED.findall(text)}


def cited() -> dict[str, str]:
    """Return every anchor that is cited, with a file that does so."""
    found: dict[str, str] = {}
    for path in sorted((ROOT / "mock_server").rglob("*.py")):
        for anchor in anchors(path.read_text("utf-8")):
            found.setdefault(anchor, str(path.relative_to(ROOT)))
    return found


def test_every_source_that_is_cited_has_its_place() -> None:
    lost = {
        anchor: where
        for anchor, where in cited().items()
        if not any(anchor == one or (anchor.startswith("decisions-") and anchor.startswith(one)) for one in ANCHORS)
    }
    assert not lost


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("(interface §4.2, facts §3)", {"interface-4.2", "facts-3"}),
        ('decisions "Order of checks"', {"decisions-order-of-checks"}),
        ("(decisions Clock)", {"decisions-clock"}),
    ],
)
def test_citations_are_seen(text: str, found: set[str]) -> None:
    assert anchors(text) == found
