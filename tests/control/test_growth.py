"""Whatever a workspace has more and more of: a call about one thing costs the same, and no other more for each."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

import pytest

from benchmarks.where import HERE
from mock_server.clock import uncollected
from mock_server.contract.operation import Operation
from mock_server.contract.operations import OPERATIONS
from tests.api.money_places import fine
from tests.api.places import workspace
from tests.control.full_workspace import full
from tests.control.piles import PILES, More
from tests.control.reading_all import Bare, Look, looks
from tests.counts import SOAK, times
from tests.lines_run import lines_run
from tests.routes.good import caller, good
from tests.webhooks.shops import mall
from tests.wire import Reply, Wire, wire

FEW: Final = 32
"""So many, and four times as many: a journal packs so many lines at once, and does it in both at the same call."""
MORE: Final = 4
AT_MOST: Final = 4.1
"""What is done for each takes four times as long, and what is done once makes that less."""
EACH: Final = 5
"""Lines of code for each that there is: a step through what is asked for by its key is not more."""
SHOWN: Final = 4
"""Bytes of an answer for each line of code that writes them."""
OF_ALL: Final = (
    *(f"_sandbox/{name}" for name in ("journal", "search", "payments/", "verdicts", "metrics", "workspaces")),
    *("_sandbox/scenarios", "_sandbox/ui/", "analytics", "payment_methods", "account/payment_methods"),
    *("connectors", "scenarios", "accounts.delete"),
)
"""Calls about all that there is of something, of the pages some; and one more of what is chosen from as a whole."""
BOUND: Final = re.compile(r"limit=\d+")
IN_CI: Final = ("captures", "charges", "deliveries", "mandates")
GREW: Final = ("webhooks?after=1&limit=1", "payments/last/timeline?format=text")
SHARE: Final = times(24, soak=1)
CHANGING: Final = [row for row in OPERATIONS if row.changes and not row.multipart and row.name != "events.retry"]
"""Not those whose cost varies: by the digits of a boundary, or as a receiver is connected to."""
CHANGES: Final = [pytest.param(name, row, id=f"{name}-{row.name}") for name in PILES for row in CHANGING]


class Cost(NamedTuple):
    """How many lines of code a call took, and how long its answer was."""

    steps: int
    shown: int


def cost(call: Callable[[], object]) -> Cost:
    """What a call takes of the package's code."""
    with uncollected():  # what others left to be freed runs code too
        count, reply = lines_run(call, HERE)
    return Cost(count, len(reply.raw) if isinstance(reply, Reply) else 0)


def too_much(what: str, few: Cost, more: Cost) -> list[str]:
    """What is said of a call that does too much for each."""
    most = few.steps + EACH * (MORE - 1) * FEW + (more.shown - few.shown) / SHOWN
    if what.partition("/")[2].startswith(OF_ALL):
        most = AT_MOST * few.steps
    return [f"{what}: {few.steps} steps, then {more.steps}"] if more.steps > most else []


def of_both(name: str) -> list[tuple[Wire, More, int]]:
    """Two clients of one server, of which the second has four times as much; how one more is made, and which."""
    shops = mall(target=False)
    both = []
    for key, many in (("snd_test_with_few_of_them", FEW), ("snd_test_with_more_of_them", MORE * FEW)):
        api = shops.api.as_key(key)
        fine(api.post("/_sandbox/clock/freeze"))
        more = PILES[name](api)
        for number in range(many):
            more(number)
        both.append((api, more, many))
    return both


@pytest.fixture(scope="module", autouse=True)
def learned() -> None:
    """What is made once in a process, and when depends on the digits of an id."""
    full(wire())


def asked(api: Wire) -> list[Look]:
    """What reads, for one of each: some of it in each run, and always what grew once."""
    found = [one._replace(path=BOUND.sub("limit=1", one.path)) for one in looks(workspace(api), str(api.key))]
    return [*(Look("GET", f"/_sandbox/{path}", None, str(api.key)) for path in GREW), *found[::SHARE]]


@pytest.mark.no_cover
@pytest.mark.parametrize("name", PILES if SOAK else IN_CI)
def test_one_more_and_what_reads_cost_no_more_for_each(name: str) -> None:
    both = of_both(name)
    found = too_much(f"{name}/{name}", *(cost(partial(more, many)) for _, more, many in both))
    for pair in zip(*(asked(api) for api, *_ in both), strict=True):
        costs = []
        for (api, *_), look in zip(both, pair, strict=True):
            call = partial(Bare(api).call, *look)
            call()  # learns what is asked for the first time
            costs.append(cost(call))
        found += too_much(str(pair[0]), *costs)
    assert found == []


@pytest.mark.no_cover
@pytest.mark.parametrize(("name", "row"), CHANGES if SOAK else CHANGES[::601])
def test_what_changes_costs_no_more_for_each(name: str, row: Operation) -> None:
    costs = []
    for api in (wire(), *(api for api, *_ in of_both(name))):  # the first one learns
        made = good(api, row)
        costs.append(cost(partial(made.sent, caller(api, row), row)))
    assert too_much(f"{name}/{row.name}", *costs[1:]) == []
