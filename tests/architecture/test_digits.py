"""What takes a text for a number asks for ASCII digits: `"²".isdigit()` and `"٢".isdecimal()` are true (facts §2.1)."""

from __future__ import annotations

import re
from typing import Final

import pytest

from tests.architecture.sources import ROOT, files

BARE: Final = re.compile(r"^(?!.*isascii).*\bis(?:digit|decimal|numeric)\b")
HIDES: Final = "hides more, never less"
HEADS: Final = "only the first sign is looked at; what reads the whole says what is wrong"
OWN: Final = "of names that the sandbox writes"
ELSEWHERE: Final = {
    "mock_server/http/misplaced.py": HIDES,
    "mock_server/http/redaction.py": HIDES,
    "mock_server/domain/hiding.py": HIDES,
    "mock_server/contract/kinds/texts.py": HIDES,
    "mock_server/jsontext/reading.py": HIDES,
    "mock_server/contract/kinds/base.py": HEADS,
    "mock_server/jsontext/writing.py": HEADS,
    "mock_server/scenario/deciding/decide.py": HEADS,
    "mock_server/scenario/loading/checks.py": "it chooses a hint alone",
    "mock_server/dashboard/steering.py": OWN,
    "mock_server/control/export.py": OWN,
    "mock_server/conformance/checks/http.py": "headers are Latin-1, whose only decimals are ASCII",
}
"""Files that may ask without `isascii`, with the reason."""


def found() -> dict[str, list[str]]:
    lines: dict[str, list[str]] = {}
    for path in files():
        name = str(path.relative_to(ROOT))
        if name.startswith(("mock_server/", "payment_sandbox/")) and path.suffix == ".py":
            for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
                if BARE.search(line):
                    lines.setdefault(name, []).append(f"{name}:{number}: {line.strip()}")
    return lines


def test_digits_are_those_of_ascii() -> None:
    assert not [line for name, lines in found().items() if name not in ELSEWHERE for line in lines]


def test_every_exception_is_needed() -> None:
    assert set(ELSEWHERE) <= set(found())


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("if year.isdigit():", True),
        ("return sum(map(str.isdigit, word))", True),
        ("at = int(step) if step.isdecimal() else 0", True),
        ("if year.isascii() and year.isdigit():", False),
        ("if DIGITS.fullmatch(year):", False),
    ],
)
def test_the_rule_sees_what_breaks_it(line: str, wrong: bool) -> None:
    assert bool(BARE.search(line)) is wrong
