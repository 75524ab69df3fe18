"""The page on performance explains every target that its own table says was missed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

PAGE: Final = Path(__file__).parents[2] / "docs" / "performance.md"


def test_every_missed_target_is_explained() -> None:
    text = PAGE.read_text()
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text[text.index("<!-- measured:table -->") :].split("<!-- end of measured -->")[0].splitlines()
        if line.startswith("|")
    ]
    (section,) = re.findall(r"^## What was not reached\n(.*?)^## ", text, re.DOTALL | re.MULTILINE)
    words = " ".join(section.split())
    missed = [row[0] for row in rows if row[-1] == "no" and not row[0].startswith("…")]  # … is part of the row above
    assert [name for name in missed if name not in words] == []
