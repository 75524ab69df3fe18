"""The card numbers that readers may copy: each is one that a payment takes."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path
from typing import Final

from mock_server.domain.card_brands import luhn
from tests.architecture.sources import ROOT

NUMBER: Final = re.compile(r"(?<![\w.])[3-6]\d{12,18}(?!\w)")


def texts() -> list[Path]:
    files = chain(ROOT.glob("*.md"), (ROOT / "docs").rglob("*.md"), (ROOT / "scenarios").rglob("*.*"))
    return sorted(files)


def test_every_card_number_that_is_shown_has_its_check_digit() -> None:
    shown = [(path, found[0]) for path in texts() for found in NUMBER.finditer(path.read_text("utf-8"))]
    assert len(shown) > 50
    assert [(str(path.relative_to(ROOT)), number) for path, number in shown if not luhn(number)] == []
