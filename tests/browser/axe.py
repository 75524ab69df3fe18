"""What axe-core, the checker of accessibility, finds on a page."""

from __future__ import annotations

import importlib.resources
from itertools import product
from typing import Any, Final

from playwright.sync_api import Frame

from tests.browser.customer import Customer
from tests.browser.sights import View
from tests.counts import SOAK

BAD: Final[frozenset[str | None]] = frozenset({"serious", "critical"})
WIDTHS: Final = (1440, 1024, 390)
SETTLED: Final = (
    "() => document.getAnimations().forEach(a => a.effect?.getComputedTiming().endTime < Infinity && a.finish())"
)
CONTRAST: Final = "color-contrast"
"""Takes three quarters of the time of all rules together."""
OF_VIEW: Final = {
    View.LIGHT: (),
    View.DARK: (CONTRAST,),
    View.PHONE: (CONTRAST, "target-size"),
}
"""The rules to go by: all of them, then those that colours and width can change."""


def source() -> str:
    """axe-core, as the package brings it."""
    return importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")


def issues(customer: Customer, *rules: str, but: str = "") -> list[str]:
    """What is seriously wrong on the page by these rules, or by all (but one); the window has axe-core at hand."""
    return issues_in(customer.page.main_frame, *rules, but=but)


def every_finding(customer: Customer) -> list[str]:
    """Whatever axe finds on the page and in its frames, however small."""
    return issues_in(customer.page.main_frame, least=frozenset({None, "minor", "moderate", *BAD}))


def findings_of_all_views(customer: Customer) -> list[str]:
    """Under PAYMENT_SANDBOX_SOAK whatever axe finds in windows of three widths and in both themes, once each."""
    found = {}
    for width, scheme in product(WIDTHS, ("light", "dark")) if SOAK else ():
        customer.page.set_viewport_size({"width": width, "height": 900})
        customer.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        customer.page.evaluate(SETTLED)
        found.update(dict.fromkeys(every_finding(customer), f" ({width}, {scheme})"))
    return [one + view for one, view in found.items()]


def issues_in(frame: Frame, *rules: str, but: str = "", least: frozenset[str | None] = BAD) -> list[str]:
    """The same of one frame of the page."""
    options = {"resultTypes": ["violations"], "preload": False, **({"runOnly": rules} if rules else {})}
    options["rules"] = {but: {"enabled": False}} if but else {}
    found: dict[str, Any] = frame.evaluate("options => axe.run(options)", options)
    assert found["passes"], "axe has looked at nothing"
    return [
        f"{row['impact']}: {row['id']}: {node['html']}"
        for row in found["violations"]
        for node in row["nodes"]
        if row["impact"] in least
    ]
