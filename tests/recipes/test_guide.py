"""What the guide shows of a recipe is what stands in its file."""

from __future__ import annotations

from tests.architecture.sources import ROOT
from tests.docs.snippets import blocks

SHOWN_IN = {
    "use-in-ci.md": sorted((ROOT / "examples" / "ci").glob("*.yml")),
    "answer-under-a-hard-wired-name.md": [ROOT / "examples" / "tls" / "compose.yaml"],
}


def test_shown_parts_stand_in_their_files() -> None:
    for guide, files in SHOWN_IN.items():
        texts = [path.read_text("utf-8") for path in files]
        found = blocks((ROOT / "docs/how-to" / guide).read_text("utf-8"))
        parts = [one.text for one in found if one.language == "yaml"]
        assert parts
        for part in parts:
            assert any(part in text for text in texts), f"{guide} shows what no file holds:\n{part}"
