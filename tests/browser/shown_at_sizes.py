"""Finding what is wider than its page, and keeping pictures of pages."""

from __future__ import annotations

from pathlib import Path

from tests.browser.customer import Customer

WIDER = """() => [...document.querySelectorAll('body *')]
  .filter(e => e.getBoundingClientRect().right > innerWidth + 1 || e.scrollWidth > e.clientWidth + 1 && e.clientWidth)
  .map(e => e.outerHTML)"""


def keep(folder: str | None, customer: Customer, name: str) -> None:
    if folder is not None:
        Path(folder).mkdir(parents=True, exist_ok=True)
        customer.page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)
