"""Where the project can be had from stands in one place, `project.urls`; until there is one, no page names another."""

from __future__ import annotations

import re
import subprocess
import tomllib
from typing import Final

from tests.architecture.sources import ROOT
from tests.docs.snippets import blocks
from tests.docs.test_generated import GENERATE

URLS: Final = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"].get("urls", {})
FROM_ELSEWHERE: Final = re.compile(
    r"(?:pip|pipx|uv|uvx|npm)\b[^`\n]*?(?:install|run|uvx)[^`\n]*?"
    r"[ '\"]payment-sandbox(?:\[[\w,]+\])?['\"]?(?=[ `\n]|$)"
    r"|git clone [^\n`]*"
)
"""A command that would take the package or the sources from somewhere outside the checkout."""


def pages() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "*.md", "*.txt"], cwd=ROOT, capture_output=True, text=True, check=True)
    return listed.stdout.splitlines()


def from_elsewhere(text: str) -> list[str]:
    found = (match[0] for match in FROM_ELSEWHERE.finditer(text))
    return [one for one in found if "--spec ." not in one and "install ." not in one]


def test_no_page_installs_what_is_not_published() -> None:
    found = {page: from_elsewhere((ROOT / page).read_text("utf-8")) for page in pages()}
    address = URLS.get("Repository")
    wrong = {page: [one for one in ones if not (address and address in one)] for page, ones in found.items()}
    assert not {page: ones for page, ones in wrong.items() if ones}


def test_such_commands_are_seen() -> None:
    text = (
        "pip install payment-sandbox pytest\n`pip install 'payment-sandbox[testcontainers]'`\nuvx run payment-sandbox\n"
        "git clone <this repository>\npip install . pytest\npipx run --spec . payment-sandbox serve\n"
    )
    assert len(from_elsewhere(text)) == 4


def test_with_an_address_the_readme_clones_it() -> None:
    written = GENERATE.checkout({"Repository": "https://example.com/payment-sandbox.git"})
    (block,) = blocks(written)
    assert block.text == "$ git clone https://example.com/payment-sandbox.git payment-sandbox && cd payment-sandbox\n"
