"""After a restart a journal lacks the calls that changed nothing: what a client did not do can no longer be told.

So a correct shop has no finding either then, and a mistaken one has none that it did not have before: the mistake is
still found, or it is not checked. The same holds once a journal has dropped its oldest lines. Every run takes one cell
of each story; `make soak` takes all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any, Final
from urllib.parse import urlsplit

import pytest

from mock_server.contract.operations import BY_NAME
from mock_server.testing import Sandbox, SandboxServer
from mock_server.verdict.evidence import gathered, read
from mock_server.verdict.rules import State, judge
from tests.counts import times
from tests.verdict.matrix.mistakes import MISTAKES
from tests.verdict.matrix.shop import Cell, Shop
from tests.verdict.test_variations import RIGHT, WRONG, Client, Way, moves_it_twice, named, some

CELLS: Final = tuple(Cell(*one) for one in product((False, True), (False, True), ("interface", "hyperswitch")))
SHOPS: Final = {
    f"{one.shop.__name__}-{one.story.__name__}": (one.shop, one.story)
    for one in (*MISTAKES, *(mistake._replace(shop=Shop) for mistake in MISTAKES))
}


def new(server: SandboxServer, name: str, dialect: str = "interface") -> Sandbox:
    return Sandbox(server=server, name=f"forgotten {name}", seed="tests", dialect=dialect, clock="2026-01-31T12:00:00Z")


def lasts(line: Mapping[str, Any]) -> bool:
    """Whether a line of the journal is saved: it is of an operation that can change something."""
    row = BY_NAME.get(line["operation"])
    return row.changes if row else line["method"] != "GET"


def after_a_restart(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """What is left of evidence, as the journal tells it then."""
    lines = evidence["journal"]["data"]
    kept = [line for line in lines if lasts(line)]
    gaps_until = max((line["number"] for line in lines), default=0)
    return {**evidence, "journal": {**evidence["journal"], "data": kept, "gaps_until": gaps_until}}


def findings(evidence: Mapping[str, Any]) -> dict[str, int]:
    told = judge(read(evidence))
    return {one.rule.id: len(one.seen) for one in told.results if one.state is State.FOUND}


def without_the_first(evidence: Mapping[str, Any], number: int) -> dict[str, Any]:
    """What is left of evidence once the journal has dropped its lines up to a number."""
    left = {
        part: {**evidence[part], "data": [line for line in evidence[part]["data"] if line["number"] > number]}
        for part in ("journal", "by_hand")
    }
    return {**evidence, **left, "journal": {**left["journal"], "dropped": number}}


def added(sandbox: Sandbox) -> list[tuple[str, int]]:
    """The rules that find more after a restart, or once lines were dropped."""
    evidence = gathered(lambda path: sandbox.control.get(f"/{path}"))
    before, last = findings(evidence), max((line["number"] for line in evidence["journal"]["data"]), default=0)
    left = [after_a_restart(evidence), *(without_the_first(evidence, number) for number in range(1, last))]
    return [
        (rule, at) for at, one in enumerate(left) for rule, many in findings(one).items() if many > before.get(rule, 0)
    ]


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        pytest.param(name, cell, id=f"{name}-{cell}")
        for number, name in enumerate(SHOPS)
        for cell in (CELLS[number % 8 :] + CELLS[: number % 8])[: times(1, soak=8)]
    ],
)
def test_no_shop_is_accused_after_a_restart(server: SandboxServer, name: str, cell: Cell) -> None:
    shop, story = SHOPS[name]
    with new(server, f"{name} {cell}", cell.dialect) as sandbox:
        made = shop(sandbox, cell)
        story(made)
        sandbox.webhooks.settle(timeout=60)
        assert added(sandbox) == []
        made.close()


LOOKING: Final = [
    *((way, moves_it_twice) for way in WRONG if way.look != "none"),
    *((way, does) for way, does in RIGHT if way.look != "none"),
]


@pytest.mark.parametrize(("way", "does"), some(LOOKING, 40, 2_000), ids=named)
def test_who_has_looked_is_not_accused_after_a_restart(
    server: SandboxServer, way: Way, does: Callable[[Client], None]
) -> None:
    with new(server, f"{named(does)} {way}") as sandbox:
        does(Client(sandbox, way))
        assert added(sandbox) == []


def test_who_has_sent_the_customer_to_the_page_is_not_accused_later(server: SandboxServer) -> None:
    """The customer opens the page and leaves: then the journal drops its lines, one after the other."""
    with new(server, "leaves the page") as sandbox:
        payment_id = sandbox.client.pay("visa_3ds_always", return_url="https://shop.example")["payment_id"]
        sandbox.client.get(f"/payments/{payment_id}")
        page = urlsplit(sandbox.client.get(f"/payments/{payment_id}")["next_action"]["redirect_to_url"])
        assert sandbox.client.get(page.path).status == 200
        sandbox.client.get(f"/payments/{payment_id}")
        sandbox.clock.advance(hours=1)
        assert sandbox.client.get(f"/payments/{payment_id}")["status"] == "expired"
        assert added(sandbox) == []
