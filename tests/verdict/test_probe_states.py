"""The probe finds what repeats in a state of any form; by a state that says nothing it judges nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import pytest

from mock_server.testing import Sandbox
from mock_server.verdict.rules import State
from tests.verdict import receivers
from tests.verdict.probes import PATIENT_S, asked, of, results_of, served
from tests.verdict.receivers import Correct

Judged = tuple[list[str], list[str]]
"""The cases that failed, and those that were not judged."""
BY_STATE: Final = ("twice", "at-the-same-moment", "again-later", "out-of-order", "stale-object")


@dataclass
class Order:
    status: str
    parcels: int


FORMS: Final[dict[str, Callable[[Correct], Any]]] = {
    "mapping": lambda app: app.state(),
    "rows": lambda app: [{"order": 1, "parcels": app.parcels, "status": app.status}],
    "pairs": lambda app: [(1, app.parcels, app.status)],
    "one-text": lambda app: f"order 7: {app.status}, parcels: {app.parcels}",
    "json": lambda app: json.dumps(app.state()),
    "numbers-as-text": lambda app: {"parcels": str(app.parcels), "status": app.status},
    "decimal": lambda app: {"parcels": Decimal(app.parcels), "status": app.status},
    "deep": lambda app: {"shop": {"orders": [{"lines": [{"parcels": (app.parcels,)}], "status": app.status}]}},
    "growing-list": lambda app: {"parcels": ["parcel"] * app.parcels, "status": app.status},
    "growing-keys": lambda app: {"parcels": {f"p{n}": None for n in range(app.parcels)}, "status": app.status},
    "growing-set": lambda app: [frozenset(range(app.parcels)), app.status],
    "growing-text": lambda app: "shipped\n" * app.parcels + app.status,
    "object": lambda app: Order(app.status, app.parcels),
    "owed": lambda app: {"open": -app.parcels, "status": app.status},
}
COUNTING: Final[dict[str, Callable[[Any], Any]]] = {
    "number": lambda app: len(app.handled),
    "beside": lambda app: {"handled": len(app.handled), **app.state()},
    "rows": lambda app: [app.state(), {"events": len(app.handled)}],
    "ids": lambda app: {**app.state(), "handled": app.handled.copy()},
    "latest-first": lambda app: {"handled": app.handled[::-1], **app.state()},
    "set": lambda app: [app.status, app.parcels, frozenset(app.handled)],
    "keys": lambda app: {"of": dict.fromkeys(app.handled, True), **app.state()},
    "one-text": lambda app: f"order 7: {app.status}, parcels: {app.parcels}, events: {len(app.handled)}",
    "log": lambda app: "".join(f"handled {event}\n" for event in app.handled) + app.status,
    "json": lambda app: json.dumps({**app.state(), "handled": app.handled}),
}
"""States that also count the events that have no effect, or list them."""
SILENT: Final[dict[str, Callable[[Correct], Any]]] = {
    "number": lambda app: 1,
    "page": lambda app: "<h1>Shop</h1>",
    "empty": lambda app: {},
    "none": lambda app: None,
    "itself": lambda app: app.seen,
}


def judged(sandbox: Sandbox, kind: str | Callable[[str], Correct], tell: Callable[[Any], Any]) -> Judged:
    make = getattr(receivers, kind) if isinstance(kind, str) else kind
    app: Correct = make(sandbox.webhook_secret)
    results = sandbox.probe(app, state=lambda: tell(app), only=BY_STATE, timeout=PATIENT_S)
    return of(State.FOUND, results), of(State.NOT_JUDGED, results)


SLOW: Final = "at-the-same-moment"


@pytest.fixture(scope="module")
def slow(sandbox: Sandbox) -> Iterator[Mapping[str, Future[Judged]]]:
    """How the receiver that takes long is judged by each form of its state, of all forms at once."""
    with ThreadPoolExecutor(len(FORMS), "forms") as pool:
        yield {form: pool.submit(judged, sandbox, "AtTheSameMoment", tell) for form, tell in FORMS.items()}


@pytest.mark.parametrize("form", FORMS)
def test_any_form_of_state_shows_what_repeats(sandbox: Sandbox, slow: Mapping[str, Future[Judged]], form: str) -> None:
    assert judged(sandbox, "Correct", FORMS[form]) == ([], [])
    for case in BY_STATE:
        kind = case.title().replace("-", "")
        found, unjudged = slow[form].result() if case == SLOW else judged(sandbox, kind, FORMS[form])
        assert found == [case]
        assert case not in unjudged


def counting(kind: str) -> Callable[[str], Correct]:
    """A receiver that lists what it handled."""

    class Counting(getattr(receivers, kind)):  # type: ignore[misc]  # the kind is known by name
        def __init__(self, secret: str) -> None:
            super().__init__(secret)
            self.handled: list[str] = []

        def handle(self, event: Any) -> int:
            self.handled.append(event["event_id"])
            return int(super().handle(event))

    return Counting


@pytest.mark.parametrize("form", COUNTING)
def test_who_counts_every_event_is_not_blamed_for_it(sandbox: Sandbox, form: str) -> None:
    """Where only a count could show that it went back, that is not judged."""
    by_order = list(BY_STATE[-2:])
    assert judged(sandbox, counting("Correct"), COUNTING[form]) == ([], by_order)
    assert judged(sandbox, counting("Twice"), COUNTING[form])[0] == ["twice"]
    if form in ("beside", "latest-first"):
        assert judged(sandbox, counting("AtTheSameMoment"), COUNTING[form])[0] == ["at-the-same-moment"]
    found, unjudged = judged(sandbox, counting("OutOfOrder"), COUNTING[form])
    assert (found, unjudged) == (([], by_order) if form == "number" else (by_order[:1], by_order[1:]))


@pytest.mark.parametrize("form", SILENT)
@pytest.mark.parametrize("kind", ["Correct", "Twice", "AtTheSameMoment"])
def test_a_state_that_says_nothing_is_not_judged(sandbox: Sandbox, form: str, kind: str) -> None:
    assert judged(sandbox, kind, SILENT[form]) == ([], list(BY_STATE))


def test_a_clock_in_the_state_is_no_counter(sandbox: Sandbox) -> None:
    """It moves with every event, by another step each time."""

    def tell(app: Correct) -> object:
        return {"parcels": app.parcels, "handled_at": 0.5 * app.parcels**2, "status": app.status}

    assert judged(sandbox, "Correct", tell) == ([], [])
    assert judged(sandbox, "AtTheSameMoment", tell) == (["at-the-same-moment"], [])


def test_without_anything_that_counts_a_race_is_not_judged(sandbox: Sandbox) -> None:
    assert judged(sandbox, "Correct", lambda app: app.status) == ([], ["at-the-same-moment"])


def test_the_command_says_why_it_did_not_check() -> None:
    app = receivers.Twice("whsec_1")
    app.state = lambda: "always the same"  # type: ignore[method-assign]  # a page beside the orders
    with served(app) as url:
        told = asked(url, "--json", *(f"--only={case}" for case in BY_STATE))
    assert told.exit_code == 0
    assert set(results_of(told).values()) == {"not checked"}
    assert "did not change" in told.stdout
