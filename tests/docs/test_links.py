"""Every link from one page to another leads somewhere."""

from __future__ import annotations

import re
from typing import Final

from docs.fields import anchor
from tests.architecture.sources import ROOT, files
from tests.docs.snippets import documents

NAMED: Final = re.compile(r"`(?P<file>[\w./]+\.py)`")
LINK: Final = re.compile(r"\]\((?!https?://)(?P<path>[^)#]*)(?:#(?P<anchor>[^)]+))?\)")


def anchors(text: str) -> set[str]:
    """Return the anchors that headings give, as GitHub makes them."""
    return set(map(anchor, re.findall(r"^#+ (.+)$", text, re.MULTILINE)))


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


def test_rows_of_tables_have_the_cells_of_their_heads() -> None:
    wrong = []
    for page in documents(ROOT):
        prose = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
        for table in re.findall(r"(?:^\|.*\n)+", prose, re.MULTILINE):
            rows = [re.split(r"(?<!\\)\|", row.strip().strip("|")) for row in table.splitlines()]
            wrong += [f"{page.relative_to(ROOT)}: {row[0]}" for row in rows if len(row) != len(rows[0])]
    assert not wrong, "\n".join(wrong)


def test_every_module_that_a_text_names_exists() -> None:
    """In pages and in the code's own comments, which outlive the files that they name."""
    there = [f"/{path.relative_to(ROOT).as_posix()}" for path in files() if path.suffix == ".py"]
    gone = [
        f"{path.relative_to(ROOT)}: {named['file']}"
        for path in files()
        if path.suffix in {".py", ".md"}
        for named in NAMED.finditer(path.read_text("utf-8"))
        if not any(one.endswith(f"/{named['file']}") for one in there)
    ]
    assert not gone, "\n".join(gone)
