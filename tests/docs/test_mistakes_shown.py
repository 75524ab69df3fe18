"""The mistakes of a scenario that a page shows are those that the command finds, at the same places."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from click.testing import CliRunner

from mock_server.cli import main
from tests.architecture.sources import ROOT
from tests.docs.snippets import blocks, documents

SHOWN: Final = re.compile(
    r'(?P<file>[\w.]+\.yaml):(?P<line>\d+):\d+: .*"(?P<wrong>\w+)" \(did you mean (?P<right>\w+)\?\)'
)


class Shown(NamedTuple):
    """A page's scenario with the mistakes that another block of the page tells of, and that block."""

    page: str
    file: str
    text: str
    printed: str


def shown() -> list[Shown]:
    found = []
    for page in documents(ROOT):
        parts = list(blocks(page.read_text("utf-8")))
        for told in (part.text for part in parts if part.language == "text" and SHOWN.match(part.text)):
            mistakes = list(SHOWN.finditer(told))
            file = mistakes[0]["file"]
            (text,) = (part.text for part in parts if f"\nname: {Path(file).stem}\n" in f"\n{part.text}")
            lines = text.splitlines(keepends=True)
            for mistake in mistakes:
                at = int(mistake["line"]) - 1
                lines[at] = lines[at].replace(mistake["right"], mistake["wrong"])
            found.append(Shown(page.name, file, "".join(lines), told))
    return found


@pytest.mark.parametrize("one", shown(), ids=lambda one: one.page)
def test_a_page_shows_the_mistakes_that_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one: Shown) -> None:
    monkeypatch.chdir(tmp_path)
    Path(one.file).write_text(one.text, "utf-8")
    result = CliRunner().invoke(main, ["scenarios", "check", one.file])
    assert (result.exit_code, result.output) == (2, one.printed)


def test_there_is_such_a_page() -> None:
    assert shown()
