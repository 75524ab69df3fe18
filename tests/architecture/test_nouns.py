"""A number and its noun are put together in one way: by `nouns.noun`, so that no text says `1 events`."""

from __future__ import annotations

import re
from typing import Final

import pytest

from mock_server.domain.nouns import noun
from tests.architecture.sources import PACKAGE, ROOT

BY_HAND: Final = re.compile(
    r"""(?P<q>["'])(e?s|[\w ]+s)(?P=q)\s+(\*|if)\s.*\b1\b"""  # "s" * (count > 1), "events" if count > 1
    r"""|==\s1\selse\s(?P<r>["'])(e?s|[\w ]+s)(?P=r)"""  # "" if count == 1 else "s"
)
"""A plural that is chosen by a number in an expression of Python or of a template."""


def by_hand(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if BY_HAND.search(line)]


def test_plurals_are_made_in_one_place() -> None:
    files = (file for end in ("py", "html") for file in (ROOT / PACKAGE).rglob(f"*.{end}") if file.stem != "nouns")
    found = {str(file.relative_to(ROOT)): lines for file in files if (lines := by_hand(file.read_text("utf-8")))}
    assert not found


@pytest.mark.parametrize(
    "line",
    [
        """f"{count} event{'' if count == 1 else 's'}\"""",
        """{'check' if len(checks) == 1 else 'checks'} against""",
        """f"attempt{'s' * (len(genuine) > 1)}\"""",
        """left_out(more, "other reasons" if more[1] > 1 else "other reason")""",
        """payment{{ "" if payments == 1 else "s" }}""",
    ],
)
def test_the_rule_sees_what_breaks_it(line: str) -> None:
    assert by_hand(line)


def test_the_noun_of_a_number() -> None:
    assert [noun(count, "event") for count in (0, 1, 2)] == ["events", "event", "events"]
    assert [noun(count, "entry", "entries") for count in (0, 1, 2)] == ["entries", "entry", "entries"]
