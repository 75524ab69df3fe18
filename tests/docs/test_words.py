"""Words that users meet: the glossary's, and none of those that it replaced (docs/explanation/glossary.md)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.architecture.sources import ROOT

BANNED: Final = re.compile(
    r"\bworlds?\b|so-manieth|lead the clock on|was led on|nothing speaks of|nearly decided|\b\d+ signs\b|each \d+\. is"
    r"|the money is yours|\blead (it|there|the clock)\b|let it go on|when told\b|no event tells"
    r"|events? (was|were|are) told\b|was not told\b|goes? on with (what comes|real time)"
    r"|taken, and changes nothing|\bis not said\b|\bif not said\b|what (came|comes) of it|\bhand(s|ed)? out\b"
    r"|goes? on at\b"
    r"|\bnames no\b|cannot stand\b|\bso many\b|in the place of\b|the very same\b|very bytes|\bputs? (it )?back\b"
    r"|\bforetold\b|what stands out|made room|called wrongly|\bin hand\b|nobody (listens|answers)"
    r"|the line (broke|breaks)\b"
    r"|money was set aside|scratch server|stands? twice|\banew\b|\bthe house\b|comes? to (stand|rest)\b|\bat rest\b"
    r"|\b(told|tells?) of\b|\b(is|are) told\b|\blook(s|ed|ing)? after\b|in small letters|\bpass(es|ed) over\b|\baloud\b"
    r"|\bbr(oke|eaks?) off\b|\bnobody's\b|\b(falls?|fell) out\b|\blets? go\b|what becomes of|\bmay be asked\b|it hurts"
    r"|there besides|named otherwise|in the sandbox itself|\bkept answer\b",
    re.IGNORECASE,
)
OLD: Final = {
    "CHANGELOG.md": "it tells what was renamed",
    "mock_server/sandbox/snapshots.py": "it reads the first format",
    "mock_server/domain/api_keys.py": "it separates digests, and is shown to nobody",
}
PAGES: Final = ("*.md", "docs/**/*.md", "examples/**/*.md", "examples/**/*.y*ml", "scenarios/*.yaml", "action.yml")
SERVED: Final = ("mock_server/**/*.html", "mock_server/**/*.js", "mock_server/**/*.json")


def files(patterns: tuple[str, ...]) -> list[Path]:
    found = {path for pattern in patterns for path in ROOT.glob(pattern) if "scalar" not in path.name}
    return sorted(path for path in found if "node_modules" not in path.parts)


def texts(source: str) -> Iterator[tuple[int, str]]:
    """Yield the texts of a module that are no docstrings, with their lines."""
    tree = ast.parse(source)
    silent = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            yield node.lineno, node.value


def banned(text: str) -> list[str]:
    return [found[0] for found in BANNED.finditer(text)]


@pytest.mark.parametrize("path", files((*PAGES, *SERVED)), ids=lambda path: str(path.relative_to(ROOT)))
def test_pages_use_the_words_of_the_glossary(path: Path) -> None:
    if str(path.relative_to(ROOT)) not in OLD:
        assert banned(path.read_text("utf-8")) == []


def test_messages_use_the_words_of_the_glossary() -> None:
    found = [
        f"{name}:{line}: {word}"
        for path in sorted((ROOT / "mock_server").rglob("*.py"))
        if (name := str(path.relative_to(ROOT))) not in OLD
        for line, text in texts(path.read_text("utf-8"))
        for word in banned(text)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("its world has no time", ["world"]),
        ("Answers each so-manieth call.", ["so-manieth"]),
        ("has 501 signs; at most 500 are read", ["501 signs"]),
        ("what signs them", []),
        ("Lead it on", ["Lead it"]),
        ("then succeeded when told", ["when told"]),
        ("no events were told at all", ["events were told"]),
        ("Taken, and changes nothing.", ["Taken, and changes nothing"]),
        ("now where it is not said", ["is not said"]),
        ("a request, and what came of it", ["what came of it"]),
        ("the links that it hands out", ["hands out"]),
        ("extends names no scenario", ["names no"]),
        ("it names nobody", []),
        ("Evictions are told in the log", ["are told"]),
        ("where no method comes to stand", ["comes to stand"]),
        ("draws its forms anew", ["anew"]),
        ("nobody keeps it", []),
        ("its workspace", []),
    ],
)
def test_the_words_are_seen(text: str, found: list[str]) -> None:
    assert banned(text) == found
