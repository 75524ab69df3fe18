"""Two open answers about one thing: the first that is due is carried out, at its own instant, and the other never."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any, Final, NamedTuple

import pytest

from tests.clocks import ManualClock
from tests.wire import Wire, wire


class Answer(NamedTuple):
    """When an open answer is due, in seconds or retrieves; else after all that is looked at."""

    seconds: int | None = None
    polls: int | None = None

    def settles(self, word: str) -> dict[str, Any]:
        when = {"after": f"{self.seconds or 10 * DAY_S}s"} if self.polls is None else {"after_polls": self.polls}
        return {"as": word, **when}


SOON, LATE, NEVER = Answer(10), Answer(3600), Answer()
TWO, FOUR = Answer(polls=2), Answer(polls=4)
DAY_S: Final = 24 * 60 * 60


class Captures:
    """Two captures of one authorization."""

    on, words = "payments.capture", ("succeeded", "failed")

    def __init__(self, api: Wire) -> None:
        self.api = api
        self.payment = api.pay(capture_method="manual_multiple")["payment_id"]

    def ask(self, number: int) -> None:
        reply = self.api.post(f"/payments/{self.payment}/capture", {"amount_to_capture": (100, 200)[number]})
        assert reply["status"] == "pending", reply.raw

    def look(self) -> str | None:
        shown = self.api.get(f"/payments/{self.payment}?expand_captures=true").json
        ends = {one["status"] for one in shown["captures"]}
        assert len(ends) == 1, "they end together"
        return {"pending": None, "charged": "succeeded"}.get(*ends, *ends)

    def changed(self) -> str:
        return str(self.api.get(f"/payments/{self.payment}")["modified_at"])


class Evidence:
    """Evidence that is submitted twice against one dispute."""

    on, words = "disputes.submit_evidence", ("won", "lost")

    def __init__(self, api: Wire) -> None:
        self.api = api
        payment = api.pay()["payment_id"]
        self.dispute = api.post(f"/_sandbox/payments/{payment}/dispute")["dispute_id"]

    def ask(self, number: int) -> None:
        body = {"dispute_id": self.dispute, "uncategorized_text": f"text {number}"}
        assert self.api.post("/disputes/evidence", body)["dispute_status"] == "dispute_challenged"

    def look(self) -> str | None:
        status = str(self.api.get(f"/disputes/{self.dispute}")["dispute_status"])
        return None if status == "dispute_challenged" else status.removeprefix("dispute_")

    def changed(self) -> str:
        (shown,) = self.api.get("/_sandbox/records/disputes")["data"]
        return str(shown["connector_updated_at"])


KINDS: Final = (Captures, Evidence)


def _asked(clock: ManualClock, kind: Any, first: tuple[Answer, str], second: tuple[Answer, str]) -> Any:
    """Something with two open answers, asked for one second after another."""
    api = wire(clock=clock)
    then = [{"settles": answer.settles(word)} for answer, word in (first, second)]
    rule = {"name": "two", "summary": "Two.", "rules": [{"on": kind.on, "then": then}]}
    assert api.put("/_sandbox/scenarios/two", rule).status == 200
    assert api.post("/_sandbox/scenarios/two/activate").status == 200
    made = kind(api)
    for number in range(2):
        made.ask(number)
        clock.advance(1000 * (1 - number))
    return made


@pytest.mark.parametrize("kind", KINDS)
def test_the_clocks_first_answer_is_carried_out_at_its_instant(kind: Any) -> None:
    found = []
    for (one, other), (word, after) in product(permutations((SOON, LATE, NEVER, FOUR), 2), permutations(kind.words)):
        due = [(a.seconds + n, w) for n, (a, w) in enumerate(((one, word), (other, after))) if a.seconds]
        if not due:
            continue
        clock = ManualClock()
        made = _asked(clock, kind, (one, word), (other, after))
        at, wanted = min(due)
        clock.advance((at - 1) * 1000 - 1)
        seen = [made.look()]
        clock.advance(1)
        seen.append(made.look())
        changed = made.changed()
        clock.advance(DAY_S * 1000)
        seen.append(made.look())
        if seen != [None, wanted, wanted] or made.changed() != changed:
            found.append((one, word, other, after, seen))
    assert not found, (len(found), found)


@pytest.mark.parametrize("kind", KINDS)
def test_the_answer_after_the_fewest_retrieves_is_carried_out(kind: Any) -> None:
    found = []
    for (one, other), (word, after) in product(permutations((TWO, FOUR, NEVER, LATE), 2), permutations(kind.words)):
        due = [(a.polls, w) for a, w in ((one, word), (other, after)) if a.polls]
        if not due:
            continue
        made = _asked(ManualClock(), kind, (one, word), (other, after))
        polls, wanted = min(due)
        seen = [made.look() for _ in range(polls)]
        if seen != [*[None] * (polls - 1), wanted]:
            found.append((one, word, other, after, seen))
    assert not found, (len(found), found)
