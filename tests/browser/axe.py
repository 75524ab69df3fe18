"""What axe-core, the checker of accessibility, finds on a page."""

from __future__ import annotations

import importlib.resources
from typing import Any, Final

from playwright.sync_api import Frame

from tests.browser.customer import Customer
from tests.browser.sights import View

BAD: Final[frozenset[str | None]] = frozenset({"serious", "critical"})
OF_VIEW: Final = {
    View.LIGHT: (),
    View.DARK: ("color-contrast",),
    View.PHONE: ("color-contrast", "target-size"),
}
"""The rules to go by: all of them, then those that colours and width can change."""


def source() -> str:
    """axe-core, as the package brings it."""
    return importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")


def issues(customer: Customer, *rules: str) -> list[str]:
    """What is seriously wrong on the page by these rules, or by all; the reader's window has axe-core at hand."""
    return issues_in(customer.page.main_frame, *rules)


def every_finding(customer: Customer) -> list[str]:
    """Whatever axe finds on the page, however small."""
    return issues_in(customer.page.main_frame, least=frozenset({None, "minor", "moderate", *BAD}))


def issues_in(frame: Frame, *rules: str, least: frozenset[str | None] = BAD) -> list[str]:
    """The same of one frame of the page."""
    options = {"resultTypes": ["violations"], "preload": False, **({"runOnly": rules} if rules else {})}
    found: dict[str, Any] = frame.evaluate("options => axe.run(options)", options)
    assert found["passes"], "axe has looked at nothing"
    return [
        f"{row['impact']}: {row['id']}: {node['html']}"
        for row in found["violations"]
        for node in row["nodes"]
        if row["impact"] in least
    ]
