"""The site of the docs in a browser: a small one, made as the whole one is, with a wide table and a narrow one."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import expect

from tests.browser.axe import issues
from tests.browser.customer import Customer
from tests.docs.test_site import SITE

WIDE: Final = "| " + " | ".join(f"`{'wide' * 4}_{number}`" for number in range(4)) + " |"
HOST: Final = "http://docs.test"
PAGE: Final = f"""\
# Title

## Small

| a | b |
|---|---|
| 1 | 2 |

## What is `wide`

{WIDE}
{"|---" * 4}|
{WIDE}
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = tmp_path_factory.mktemp("site")
    pages = source / "pages"
    pages.mkdir()
    (pages / "README.md").write_text(PAGE, "utf-8")
    SITE.dress(pages)
    (source / "zensical.toml").write_text((SITE.HERE / "zensical.toml").read_text("utf-8"), "utf-8")
    SITE.generate(source, source / "built")
    return source / "built"


def test_a_table_that_scrolls_is_reached_by_keyboard_and_no_other(site: Path, reader: Customer) -> None:
    reader.page.set_viewport_size({"width": 390, "height": 800})
    reader.page.route(f"{HOST}/**", lambda route: route.fulfill(path=site / route.request.url.removeprefix(f"{HOST}/")))
    reader.open(f"{HOST}/index.html")
    small, wide = reader.page.locator(".md-typeset__scrollwrap").all()
    expect(wide).to_have_attribute("tabindex", "0")
    expect(wide).to_have_attribute("aria-label", "Table: What is wide")
    assert small.get_attribute("tabindex") is None
    assert issues(reader, "scrollable-region-focusable", "aria-allowed-attr", "aria-allowed-role") == []
    wide.focus()
    reader.page.keyboard.press("ArrowRight")
    reader.page.wait_for_function("box => box.scrollLeft > 0", arg=wide.element_handle())
    reader.page.set_viewport_size({"width": 1280, "height": 800})
    expect(wide).not_to_have_attribute("tabindex", "0")
