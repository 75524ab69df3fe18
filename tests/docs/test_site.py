"""The site's builder: what goes in, how the menu is made, and what it refuses; `make site` builds the whole of it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from tests.architecture.sources import ROOT
from tests.docs.snippets import documents
from tests.docs.test_links import LINK
from tests.modules import module_of

SITE: Final = module_of(ROOT / "docs" / "build_site.py")
HEADING: Final = re.compile(r"^#+ .*$", re.MULTILINE)
READ: Final = ("tutorial", "how-to", "reference", "explanation")
"""The folders whose pages are for those who use the sandbox."""


def paths_of(entry: Any) -> list[str]:
    if isinstance(entry, str):
        return [entry]
    entries = entry.values() if isinstance(entry, dict) else entry
    return [path for one in entries for path in paths_of(one)]


def test_every_page_of_the_docs_is_in_the_site_and_in_its_menu() -> None:
    menu = paths_of(tomllib.loads(SITE.configuration())["project"]["nav"])
    in_menu = {ROOT / path for path in menu}
    assert len(menu) == len(in_menu)
    pages = {path.resolve() for path in documents(ROOT)} - {ROOT / "docs" / "README.md"}
    assert pages <= in_menu
    assert {path for path in SITE.linked() if path.suffix == ".md"} - {ROOT / "docs" / "README.md"} == in_menu


def test_nothing_is_in_it_but_what_a_page_links_to() -> None:
    assert not [path for path in SITE.linked() if path.name in ("generate.py", "build_site.py")]


def test_a_folder_that_is_linked_brings_its_files_and_names_them() -> None:
    found = SITE.linked()
    folders = [path for path in found if path.is_dir()]
    assert folders
    assert not {file for folder in folders for file in SITE.files_in(folder)} - found
    shown = SITE._page(folders[0] / "README.md", with_files=True)
    assert all(
        f"]({file.relative_to(folders[0])})" in shown for file in SITE.files_in(folders[0]) if file.name != "README.md"
    )


def test_no_heading_has_a_link_or_an_anchor_in_it() -> None:
    """A heading is a link in the list beside its page, and what follows a link in a link is in neither."""
    pages = [path for path in SITE.linked() if path.suffix == ".md"]
    headings = [line for page in pages for line in HEADING.findall(SITE._page(page, with_files=False))]
    assert len(headings) > 500
    assert [line for line in headings if "<a " in line or "](" in line] == []


@pytest.mark.parametrize(
    ("tag", "is_foreign"),
    [
        ('<script src="https://cdn.test/a.js"></script>', True),
        ("<img alt=x src='//cdn.test/a.png'>", True),
        ('<link rel="stylesheet" href="http://fonts.test/css">', True),
        ("<iframe src=https://video.test/1></iframe>", True),
        ('<a href="https://example.com/">', False),
        ('<link rel="canonical" href="https://example.com/">', False),
        ('<script src="assets/a.js"></script>', False),
    ],
)
def test_what_comes_from_another_host_is_found(tag: str, is_foreign: bool, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(f"<html>{tag}</html>")
    assert bool(SITE.foreign(tmp_path)) is is_foreign


def test_what_leads_nowhere_is_found(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(
        '<a href="there.txt#x"> <a href="gone.txt"> <a href="mailto:a@b.c"> <a href="#x">'
    )
    (tmp_path / "there.txt").touch()
    assert SITE.broken(tmp_path) == ["page.html: gone.txt"]


def test_a_link_that_leads_nowhere_is_no_site(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "README.md").write_text("# Title\n\n[gone](gone.md)\n")
    (tmp_path / "zensical.toml").write_text('[project]\nsite_name = "x"\ndocs_dir = "pages"\nsite_dir = "site"\n')
    with pytest.raises(SITE.CannotBuild, match="page does not exist"):
        SITE.generate(tmp_path, tmp_path / "built")


def test_the_index_for_language_models_leads_somewhere() -> None:
    text = (ROOT / "llms.txt").read_text("utf-8")
    assert re.match(r"# payment-sandbox\n\n> ", text)
    links = [link["path"] for link in LINK.finditer(text)]
    assert len(links) == len(set(links)) > 15
    assert not [path for path in links if not (ROOT / path).is_file()]
    pages = {path for folder in READ for path in (ROOT / "docs" / folder).glob("*.md") if path.name != "README.md"}
    assert {str(path.relative_to(ROOT)) for path in pages} - set(links) == set()
    sections = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert sections[-1] == "Optional"
