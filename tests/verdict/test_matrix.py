"""Planted mistakes: each is found in every cell where calls and deliveries can show it, and a correct shop has none.

The cells: a receiver connected or not, a retry at once or later, both dialects. Every run takes one cell of each
mistake; `make soak` takes all, and all ways to lose the answer to a payment.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Final

import pytest

from mock_server.testing import Sandbox, SandboxServer
from mock_server.verdict.evidence import gathered, read
from mock_server.verdict.rules import ERROR, RULES, State, Verdict, judge
from tests.architecture.sources import ROOT
from tests.counts import times
from tests.running import until
from tests.verdict.matrix import mistakes, stories
from tests.verdict.matrix.mistakes import FOUND, HIDDEN, MISTAKES, Mistake, Story
from tests.verdict.matrix.shop import FAULTS, FLOWS, Cell, Shop

CELLS: Final = tuple(Cell(*one) for one in product((False, True), (False, True), ("interface", "hyperswitch")))
FOR_LONG_MS: Final = 3_600_000
LOSING: Final = (stories.loses_a_payment, stories.loses_a_part_of_a_capture, stories.loses_a_refund)
STORIES: Final = tuple(dict.fromkeys(one.story for one in MISTAKES))
AT_LEAST: Final = 18
"""The number of mistakes that are found in every cell (asked for)."""
NO_KEY: Final = (
    (mistakes.NoKey, "double-charge"),
    (mistakes.NewKey, "double-charge"),
    (mistakes.NoKeyButMetadata, "double-charge"),
    (mistakes.NoKeyNoReference, "repeated-without-key"),
)
CORRECT: Final = tuple((one, None) for one in (Shop, mistakes.OnlyKeys, mistakes.OneMetadata))
LOST: Final = (
    *product(NO_KEY, (stories.loses_a_payment,), FAULTS, FLOWS, CELLS),
    *product(CORRECT, (stories.loses_a_payment, stories.sells_the_same_thing_twice), FAULTS, FLOWS, CELLS),
)


def cells_of(number: int, story: Story) -> Sequence[Cell]:
    """The cells of the table's row: in each, the answer is lost in another way."""
    if story not in LOSING:
        return CELLS
    flows = tuple(FLOWS) if story is stories.loses_a_payment else ("automatic",)
    return [
        cell._replace(fault=FAULTS[(number + at) % len(FAULTS)], flow=flows[(number + at) % len(flows)])
        for at, cell in enumerate(CELLS)
    ]


def chosen(cells: Sequence[Cell], number: int) -> Sequence[Cell]:
    """All cells under `make soak`, otherwise one: another for each row."""
    first = number * 3 % len(cells)
    return [*cells[first:], *cells[:first]][: times(1, soak=len(cells))]


def verdict(server: SandboxServer, shop: type[Shop], story: Story, cell: Cell) -> Verdict:
    """The verdict; it is the same if each delivery begins at once and never ends, as to a receiver with much to do."""
    name = f"{shop.__name__} {story.__name__} {cell}"
    sandbox = Sandbox(server=server, name=name, seed="tests", dialect=cell.dialect, clock="2026-01-31T12:00:00Z")
    made = shop(sandbox, cell)
    story(made)
    sandbox.webhooks.settle(timeout=60)
    if made.left_early:  # the server notices that a little later
        until(lambda: any(one.raw["left_first"] or one.fault for one in sandbox.journal.calls()))
    found = sandbox.verdict()
    evidence = gathered(lambda path: sandbox.control.get(f"/{path}"))
    sandbox.close()
    made.close()
    assert sandbox.webhooks.raised == []
    makers = {number: line for line in evidence["journal"]["data"] for number in line["events"]}
    for event in evidence["webhooks"]["data"]:
        for delivery in event["deliveries"]:
            if maker := makers.get(event["number"]):
                delivery["began_us"] = maker["began_us"] + maker["took_ms"] * 1_000
            delivery["took_ms"] = FOR_LONG_MS
    slow = judge(read(evidence), rules=[rule for rule in RULES if rule.id != "webhook-late"])
    assert ids(slow) == ids(found), "it depends on how long deliveries last"
    return found


def ids(told: Verdict) -> list[str]:
    return [one.rule.id for one in told.found()]


IN_TABLE: Final = [
    pytest.param(one, cell, id=f"{one.says}-{cell}")
    for number, one in enumerate(MISTAKES)
    for cell in chosen(cells_of(number, one.story), number)
]


@pytest.mark.parametrize(("mistake", "cell"), IN_TABLE)
def test_a_planted_mistake_is_found(server: SandboxServer, mistake: Mistake, cell: Cell) -> None:
    told = verdict(server, mistake.shop, mistake.story, cell)
    found = [one.rule.id for one in told.found()]
    rules = [mistake.rule] if mistake.at(cell) == FOUND else []
    assert set(rules) <= set(found), found
    assert {one.rule.id for one in told.found(ERROR)} <= set(rules)
    if mistake.at(cell) == HIDDEN:
        states = [one.state for one in told.results if one.rule.id == mistake.rule]
        assert states == [State.NOT_JUDGED][: len(states)], "it says that a mistake which it cannot see was not made"
        assert found == []


@pytest.mark.parametrize(
    ("story", "cell"),
    [
        pytest.param(story, cell, id=f"{story.__name__}-{cell}")
        for number, story in enumerate(STORIES)
        for cell in chosen(cells_of(number, story), number + 1)
    ],
)
def test_nothing_is_found_in_the_correct_shop(server: SandboxServer, story: Story, cell: Cell) -> None:
    assert [one.seen for one in verdict(server, Shop, story, cell).found()] == []


@pytest.mark.parametrize(
    ("shop", "rule", "story", "cell"),
    [
        pytest.param(shop, rule, story, full, id=f"{shop.__name__}-{story.__name__}-{full}")
        for (shop, rule), story, fault, flow, cell in LOST[:: times(53, soak=1)]
        for full in (cell._replace(fault=fault, flow=flow),)
    ],
)
def test_a_double_charge_is_found_however_the_answer_was_lost(
    server: SandboxServer, shop: type[Shop], rule: str | None, story: Story, cell: Cell
) -> None:
    told = verdict(server, shop, story, cell)
    if rule is None:
        assert [one.seen for one in told.found()] == []
    else:
        assert rule in [one.rule.id for one in told.found()]
        assert {one.rule.id for one in told.found(ERROR)} <= {rule}


def test_most_mistakes_are_found_in_every_cell() -> None:
    everywhere = [one for one in MISTAKES if (one.alone, one.receiving) == (FOUND, FOUND)]
    assert len(everywhere) >= AT_LEAST
    assert len({one.says for one in MISTAKES}) == len(MISTAKES)


def test_the_docs_have_the_table() -> None:
    rows = [
        f"| {one.says} | {f'`{one.rule}`' if one.rule else ''} | {one.alone} | {one.receiving} |" for one in MISTAKES
    ]
    text = (ROOT / "docs/reference/rules.md").read_text("utf-8")
    table = text.partition("| Mistake | Rule | Without a receiver | With a receiver |\n|---|---|---|---|\n")[2]
    assert table.partition("\n\n")[0].rstrip().splitlines() == rows
    why = (ROOT / "docs/explanation/not-judged.md").read_text("utf-8")
    hidden = [one for one in MISTAKES if HIDDEN in (one.alone, one.receiving)]
    assert [one.says for one in hidden if one.says not in " ".join(why.lower().split())] == []
