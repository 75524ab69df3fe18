"""The tables in the docs are those of the code."""

from __future__ import annotations

import re
from typing import Final

import pytest

from tests.architecture.sources import ROOT
from tests.docs.snippets import documents
from tests.modules import module_of

GENERATE: Final = module_of(ROOT / "docs" / "generate.py")


def test_every_generated_part_is_up_to_date() -> None:
    assert GENERATE.main(check=True) == 0


def test_every_table_stands_somewhere() -> None:
    named = {name for path in documents(ROOT) for name in re.findall("generated:([a-z-]+)", path.read_text("utf-8"))}
    assert named == set(GENERATE.GENERATED)


def test_only_what_stands_between_the_marks_is_written() -> None:
    text = "before\n<!-- generated:first-cards -->\nold\n<!-- end of generated -->\nafter\n"
    written = GENERATE.written(text)
    assert written.startswith("before\n<!-- generated:first-cards -->\n| number |")
    assert written.endswith("|\n<!-- end of generated -->\nafter\n")
    assert "old" not in written
    assert GENERATE.written(written) == written


def test_an_unknown_part_is_a_mistake() -> None:
    with pytest.raises(KeyError, match="nothing"):
        GENERATE.written("<!-- generated:nothing -->\n<!-- end of generated -->")
