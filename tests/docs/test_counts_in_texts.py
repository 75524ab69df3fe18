"""No text of the program says `1 payments`: a number before a plural is never one, or its noun depends on it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from tests.architecture.sources import ROOT

NOUNS: Final = (
    "answer|assertion|attempt|call|change|character|check|connection|customer|digit|endpoint|entr(?:y|ie)|event|finding|hit"
    "|item|key|method|mistake|pair|payment|record|refund|request|result|rule|scenario|second|step|time|workspace"
)
PLURAL: Final = re.compile(rf"\}}(?: more)? (?:{NOUNS})s\b")
CONSTANT: Final = re.compile(r"\{(?:int\()?(?:limits\.)?[A-Z_]+\b")
NEVER_ONE: Final = {
    "{len(listed)} requests": "every call of the API",
    "{answer['total_count']:,} results": "only where more are found than listed",
    "{count} pairs": "over the limit",
    "{len(text)} characters": "over the limit",
    "{len(value)} keys": "over the limit",
    "{self.most} items": "of one item it says so",
    "{self.most} characters": "a limit",
    "{most} characters": "a limit",
    "{count} characters": "over the limit",
    "{count} times": "once is said otherwise",
    "{times} times": "once is said otherwise",
    "{len(acted)} times": "more than once",
    "{len(paid)} times": "more than once",
    "{len(done)} times": "more than once",
    "{len(genuine)} times": "more than once",
    "{len(row) - 1} times": "many",
    "{len(row)} times": "many",
    "{len(final)} times": "many",
    "{number} connections": "many",
    "{len(calls)} calls": "many",
    "{fast + 1} times": "many",
    "{answer['of']:,} payments": "more than can be searched",
    "{self.most} requests": "a limit",
    "{steps:,} steps": "over the limit",
    "{scenario.steps:,} steps": "over the limit",
    "{known['next']} records": "only for the log of a damaged file",
    "{len(results)} assertions": "so many of so many",
    "{size} answers": "more than the rule gives",
}


def texts() -> Iterator[tuple[str, str]]:
    """Each text with placeholders, as it stands in the source, and its file."""
    for path in sorted((ROOT / "mock_server").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.JoinedStr):
                yield path.name, ast.unparse(node)[1:].replace('\\"', '"').replace("\\'", "'")


def numbered(text: str) -> Iterator[str]:
    """The placeholders of a text that a plural follows, with it."""
    for found in PLURAL.finditer(text):
        one = text[text.rindex("{", 0, found.start()) : found.end()]
        if not CONSTANT.match(one):
            yield one


def test_a_number_before_a_plural_is_never_one() -> None:
    found = {(file, one) for file, text in texts() for one in numbered(text)}
    assert sorted(one for one in found if one[1] not in NEVER_ONE) == []


def test_the_test_sees_what_may_be_one() -> None:
    assert list(numbered("all {len(steps)} steps gave {n} results")) == ["{len(steps)} steps", "{n} results"]
    assert not list(numbered("{n} step{'s' * (n > 1)}"))
