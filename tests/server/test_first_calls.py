"""No two first calls wait for each other while each loads what it needs."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import combinations_with_replacement
from typing import NamedTuple

import pytest

from tests.architecture.sources import ROOT
from tests.counts import SOAK
from tests.server.first_calls import ACTS, BARE, PRELOADING


class Wait(NamedTuple):
    """A thread that holds some modules waits for another."""

    held: frozenset[str]
    wanted: str


def meet(one: list[Wait], other: list[Wait]) -> list[str]:
    """What two threads hold and want of each other; what both hold already, only one of them can get."""
    return sorted(
        {
            f"one holds {there.wanted} and wants {here.wanted}, the other the reverse"
            for here in one
            for there in other
            if here.wanted in there.held and there.wanted in here.held and not here.held & there.held
        }
    )


def test_no_two_first_calls_wait_for_each_other() -> None:
    names = [PRELOADING, *ACTS, *(BARE if SOAK else ["page", "file"])]
    command = [sys.executable, "-m", "tests.server.first_calls", *names]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    tried = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["act"] for row in tried] == names, done.stderr
    assert [row["wrong"] for row in tried if row["wrong"]] == []
    waits = {row["act"]: [Wait(frozenset(held), wanted) for held, wanted in row["waits"]] for row in tried}
    assert max(map(len, waits.values())) > 50
    pairs = combinations_with_replacement(waits, 2)
    assert {pair: found for pair in pairs if (found := meet(waits[pair[0]], waits[pair[1]]))} == {}


@pytest.mark.parametrize(
    ("one", "other", "many"),
    [
        ([({"p.a"}, "p")], [({"p"}, "p.a")], 1),
        ([({"p.a", "p"}, "p.b")], [({"p.b"}, "p")], 1),
        ([({"q", "p.a"}, "p")], [({"q", "p"}, "p.a")], 0),  # who holds q goes first
        ([({"p.a"}, "p")], [({"p.b"}, "p")], 0),
    ],
)
def test_what_waits_for_each_other_is_found(
    one: list[tuple[set[str], str]], other: list[tuple[set[str], str]], many: int
) -> None:
    waits = [[Wait(frozenset(held), wanted) for held, wanted in rows] for rows in (one, other)]
    assert len(meet(*waits)) == many
