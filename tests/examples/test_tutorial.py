"""The tutorial shows the shop as it is: each piece of code stands in the file that its comment names."""

from __future__ import annotations

import re
import textwrap
from typing import Final

import pytest

from tests.architecture.sources import ROOT
from tests.docs.snippets import Block, blocks
from tests.examples.mutations import MUTATIONS

PAGE: Final = ROOT / "docs" / "tutorial" / "a-shop-that-takes-payments.md"
PIECES: Final = [block for block in blocks(PAGE.read_text("utf-8")) if block.language == "python"]


@pytest.mark.parametrize("piece", PIECES, ids=lambda piece: f"line {piece.line}")
def test_each_piece_stands_in_its_file(piece: Block) -> None:
    named = re.fullmatch(r"it stands in (examples/shop/[\w/.]+)", piece.left_out or "")
    assert named is not None, piece
    source = (ROOT / named[1]).read_text("utf-8")
    shown = piece.text.rstrip("\n")
    indented = (textwrap.indent(shown, " " * depth) for depth in (0, 4, 8))
    assert any(f"\n{text}\n" in f"\n{source}\n" for text in indented), f"{named[1]} has changed, or the page has"


def test_every_file_of_the_shop_is_shown() -> None:
    shown = " ".join(piece.left_out or "" for piece in PIECES)
    files = [*(ROOT / "examples" / "shop" / "shop").glob("[a-z]*.py"), *(ROOT / "examples/shop/tests").glob("*.py")]
    assert [path.name for path in files if path.name not in shown] == []


def test_the_page_counts_the_mistakes() -> None:
    others = {17: "seventeen", 18: "eighteen", 19: "nineteen"}[len(MUTATIONS) - 1]
    assert f"make this mistake, and {others} others" in PAGE.read_text("utf-8")
