"""Wherever the history of a payment is told, it is said that its first calls are no longer in the journal."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import product
from random import Random
from typing import Any, Final
from urllib.request import urlopen

import pytest
from click.testing import CliRunner

from mock_server.cli import main
from mock_server.cli.asking import FORMATS
from mock_server.testing import Sandbox, SandboxServer
from tests.counts import times

KEPT: Final = 5
SAID: Final = "no longer in the journal"


@pytest.fixture(scope="module")
def server() -> Iterator[SandboxServer]:
    with SandboxServer({"journal": KEPT}) as made:
        yield made


def typed(*words: str) -> Callable[[Sandbox, str], str]:
    def told(sandbox: Sandbox, payment: str) -> str:
        done = CliRunner().invoke(main, [*words, payment, "--url", sandbox.url, "--key", sandbox.api_key])
        assert done.exit_code == 0, done.output
        return str(done.stdout)

    return told


def downloaded(form: str) -> Callable[[Sandbox, str], str]:
    def told(sandbox: Sandbox, payment: str) -> str:
        with urlopen(f"{sandbox.why(payment)['page']}/export?as={form}") as file:
            return str(file.read().decode())

    return told


PLACES: Final[dict[str, Callable[[Sandbox, str], str]]] = {
    "why": typed("why"),
    **{f"timeline --format {form}": typed("timeline", "--format", form) for form in FORMATS},
    "Sandbox.why": lambda sandbox, payment: str(sandbox.why(payment)),
    "Sandbox.timeline": lambda sandbox, payment: json.dumps(sandbox.timeline(payment)),
    **{f"as {form} from the dashboard": downloaded(form) for form in ("curl", "har")},
    "Sandbox.report": lambda sandbox, payment: sandbox.report(),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("seed", range(times(2, soak=20)))
def test_a_history_with_calls_left_out_says_so(seed: int, place: str, server: SandboxServer) -> None:
    chance = Random(f"{seed} {place}")
    with Sandbox(server=server) as sandbox:
        made: list[str] = []
        calls = chance.choice((KEPT, KEPT + 1, KEPT + 2, 3 * KEPT)) if seed else 2 * KEPT
        for number in range(calls):
            sandbox.clock.freeze(f"2026-01-01T00:00:{number:02}Z")
            if number == 0 or chance.random() < 0.5:
                made.append(sandbox.client.pay()["payment_id"])
            else:
                sandbox.client.get(f"/payments/{chance.choice(made)}")
        at = {call.payment_id for call in sandbox.journal._found("payments.create")[0]}
        for payment in made:
            told = PLACES[place](sandbox, payment)
            lost = sandbox.control.get("/journal")["dropped"] > 0 if place == "Sandbox.report" else payment not in at
            assert (SAID in told) is lost, told


def test_an_answer_has_the_time(server: SandboxServer) -> None:
    with Sandbox(server=server) as sandbox:
        for number in range(2 * KEPT):
            sandbox.clock.freeze(f"2026-01-01T00:00:{number:02}Z")
            sandbox.client.pay(payment_id=f"pay_{number}")
        asked: Any = [sandbox.control.get(f"/payments/pay_{number}/why") for number in range(2 * KEPT)]
        pages = [sandbox.control.get("/journal", {"operation": name})["data"] for name in ("*", "control.*")]
    oldest = min(str(one["at"]) for page in pages for one in page)
    assert [one["calls_since"] for one in asked] == [
        oldest if f"2026-01-01T00:00:{number:02}.000Z" < oldest else None for number in range(2 * KEPT)
    ]


Act = Callable[[Sandbox], object]
LOSES: Final[dict[str, Act]] = {
    "nothing": lambda sandbox: None,
    "dropped": lambda sandbox: [sandbox.client.get("/health") for _ in range(KEPT)],
    "cleared": lambda sandbox: sandbox.journal.clear(),
    "restored without": lambda sandbox: sandbox.restore(sandbox.snapshot()),
    "restored with": lambda sandbox: sandbox.restore(sandbox.snapshot(journal=True)),
}
"""Everything that takes calls out of a journal, and what does not."""
AFTER: Final[dict[str, Act]] = {
    "nothing": lambda sandbox: None,
    "a look": lambda sandbox: sandbox.client.get("/payments/pay_first"),
    "a payment": lambda sandbox: sandbox.client.pay(payment_id="pay_second"),
}
WHOLE: Final = "Sandbox.report"
"""It tells of the journal, and not of a payment."""
CASES: Final = [*product(LOSES, LOSES, AFTER, (None, "frozen"), sorted(PLACES.keys() - {WHOLE}))]


@pytest.mark.parametrize(
    ("first", "then", "after", "clock", "place"), Random(1).sample(CASES, times(10, soak=len(CASES)))
)
def test_however_calls_are_lost_and_wherever_its_clock_stands(
    first: str, then: str, after: str, clock: str | None, place: str, server: SandboxServer
) -> None:
    with Sandbox(server=server, clock=clock) as sandbox:
        sandbox.client.pay("insufficient_funds", payment_id="pay_first")
        LOSES[first](sandbox)
        LOSES[then](sandbox)
        AFTER[after](sandbox)
        at = {call.payment_id for call in sandbox.journal._found("payments.create")[0]}
        for payment in [row["payment_id"] for row in sandbox.control.get("/records/payments")["data"]]:
            told = PLACES[place](sandbox, payment)
            assert (SAID in told) is (payment not in at), told
