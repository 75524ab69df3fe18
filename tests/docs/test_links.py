"""Every link from one page to another leads somewhere."""

from __future__ import annotations

import re
from typing import Final

from tests.architecture.sources import ROOT
from tests.docs.snippets import documents

LINK: Final = re.compile(r"\]\((?!https?://)(?P<path>[^)#]*)(?:#(?P<anchor>[^)]+))?\)")


def anchors(text: str) -> set[str]:
    """Return the anchors that headings give, as GitHub makes them."""
    heads = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_links_lead_somewhere() -> None:
    broken = []
    for page in documents(ROOT):
        for link in LINK.finditer(page.read_text("utf-8")):
            target = (page.parent / link["path"]).resolve() if link["path"] else page
            if not target.exists() or (link["anchor"] and link["anchor"] not in anchors(target.read_text("utf-8"))):
                broken.append(f"{page.relative_to(ROOT)}: {link[0]}")
    assert not broken, "\n".join(broken)


def test_every_page_of_the_docs_is_linked() -> None:
    linked = {
        (page.parent / link["path"]).resolve()
        for page in documents(ROOT)
        for link in LINK.finditer(page.read_text("utf-8"))
        if link["path"]
    }
    pages = {page.resolve() for page in documents(ROOT)} - {ROOT / "README.md", ROOT / "docs" / "README.md"}
    unlinked = {page for page in pages if page not in linked and page.parent not in linked}
    assert not unlinked


def test_every_folders_index_names_its_pages() -> None:
    for index in sorted((ROOT / "docs").glob("*/README.md")):
        named = {link["path"] for link in LINK.finditer(index.read_text("utf-8"))}
        assert {page.name for page in index.parent.glob("*.md")} - {"README.md"} <= named, index
