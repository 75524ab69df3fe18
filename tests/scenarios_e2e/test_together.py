"""Many clients at once: a sequence is given out once, chance is each request's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, TypeVar

import pytest

from mock_server.domain.declines import DECLINES
from tests.counts import SOAK
from tests.scenarios_e2e.wire import control, pay, put, served

ROUNDS: Final = 200 if SOAK else 2
THREADS: Final = 32
TEN: Final = [row.name for row in DECLINES if row.name != "generic_decline"][:10]
SEQUENCE: Final = f"""\
version: 1
rules:
  - on: charge
    repeat: stop
    then: [{", ".join(f"{{decline: {name}}}" for name in TEN)}]
"""
CHAOS: Final = """\
version: 1
chaos: {connection_reset: 20%, error: {HE_00: 20%}, decline: {lost_card: 30%}}
"""
T = TypeVar("T")


def at_once(threads: int, work: Sequence[Callable[[], T]]) -> list[T]:
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(lambda one: one(), work))


def decided(line: dict[str, Any]) -> str | None:
    """Which decline of the sequence a line of the journal tells of."""
    texts = [note["text"] for note in line["because"] if note["by"] == "scenario"]
    return texts[0].rsplit("(", 1)[1].rstrip(")") if texts else None


@pytest.mark.parametrize("number", range(ROUNDS))
def test_each_of_ten_outcomes_is_given_once_and_in_the_journals_order(number: int) -> None:
    with served() as (base, _):
        put(base, "ten", SEQUENCE)
        seen = at_once(THREADS, [lambda: pay(base).json for _ in range(THREADS)])
        assert sorted(one["status"] for one in seen) == ["failed"] * 10 + ["succeeded"] * 22
        lines = control(base, "GET", "journal?operation=payments.create&limit=1000")["data"]
        assert [line["number"] for line in lines] == sorted(line["number"] for line in lines)
        assert [name for line in lines if (name := decided(line))] == TEN


def test_under_any_server_the_decisions_number_tells_the_order() -> None:
    """Where calls run on threads of their own, the journal's order is that of the answers; decisions are numbered."""
    from tests.wire import wire

    api = wire()
    api.call("PUT", "/_sandbox/scenarios/ten", raw=SEQUENCE.encode(), headers={"Content-Type": "application/yaml"})
    api.post("/_sandbox/scenarios/ten/activate")
    at_once(THREADS, [api.pay for _ in range(THREADS)])
    lines = api.get("/_sandbox/journal?limit=1000").json["data"]
    numbered = {
        note["inputs"]["decision"]: decided(line)
        for line in lines
        for note in line["because"]
        if note["by"] == "scenario"
    }
    assert [numbered[number] for number in sorted(numbered)] == TEN


def fate(base: str, key: str) -> str:
    """What becomes of the request with this key, twice over."""
    seen = pay(base, {"X-Idempotency-Key": key})
    return seen.end if not seen.raw else f"{seen.status} {seen.json.get('error_message')}"


def fates(threads: int, keys: Sequence[str], others: Sequence[str] = ()) -> dict[str, str]:
    with served(seed="ticket") as (base, _):
        put(base, "chaos", CHAOS)
        work = [lambda key=key: (key, fate(base, key)) for key in (*others, *keys)]
        found = dict(at_once(threads, work))
        return {key: found[key] for key in keys}


KEYS: Final = [f"order-{number}" for number in range(30)]


@pytest.mark.parametrize("number", range(ROUNDS))
def test_the_same_request_meets_the_same_fate_alone_and_in_a_crowd(number: int) -> None:
    alone = fates(1, KEYS)
    assert len(set(alone.values())) >= 3
    assert fates(THREADS, KEYS) == alone
    assert fates(THREADS, list(reversed(KEYS))) == alone


def test_calls_with_other_keys_change_none_of_them() -> None:
    assert fates(1, KEYS, [f"other-{number}" for number in range(10)]) == fates(1, KEYS)


def test_an_id_of_the_callers_own_does_as_well_as_a_key() -> None:
    def one(base: str, payment_id: str) -> str:
        seen = pay(base, payment_id=payment_id)
        return seen.end if not seen.raw else f"{seen.status}"

    def run(threads: int) -> dict[str, str]:
        with served(seed="ticket") as (base, _):
            put(base, "chaos", CHAOS)
            ids = [f"pay_own_{number}" for number in range(30)]
            return dict(zip(ids, at_once(threads, [lambda i=i: one(base, i) for i in ids]), strict=True))  # type: ignore[misc]  # bound now

    assert run(THREADS) == run(1)


def test_the_ticket_names_what_plays_it_again() -> None:
    with served(seed="ticket") as (base, _):
        put(base, "chaos", CHAOS)
        for key in KEYS:
            fate(base, key)
        lines = control(base, "GET", "journal?operation=payments.create&limit=1000")["data"]
        tickets = {note["inputs"]["ticket"] for line in lines for note in line["because"] if note["by"] == "chaos"}
        assert len(tickets) == 1
        assert tickets.pop().startswith("chaos?scenario=chaos&digest=")
