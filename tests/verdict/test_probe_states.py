"""The probe finds what repeats in a state of any form; by a state that says nothing it judges nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import pytest

from mock_server.testing import Sandbox
from mock_server.verdict.rules import State
from tests.verdict import receivers
from tests.verdict.receivers import Correct
from tests.verdict.test_probe import PATIENT_S, asked, of, results_of, served

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
SILENT: Final[dict[str, Callable[[Correct], Any]]] = {
    "number": lambda app: 1,
    "page": lambda app: "<h1>Shop</h1>",
    "empty": lambda app: {},
    "none": lambda app: None,
    "itself": lambda app: app.seen,
}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as found:
        yield found


def judged(sandbox: Sandbox, kind: str, tell: Callable[[Correct], Any]) -> tuple[list[str], list[str]]:
    app: Correct = getattr(receivers, kind)(sandbox.webhook_secret)
    results = sandbox.probe(app, state=lambda: tell(app), only=BY_STATE, timeout=PATIENT_S)
    return of(State.FOUND, results), of(State.NOT_JUDGED, results)


@pytest.mark.parametrize("form", FORMS)
def test_any_form_of_state_shows_what_repeats(sandbox: Sandbox, form: str) -> None:
    assert judged(sandbox, "Correct", FORMS[form]) == ([], [])
    for case in BY_STATE:
        found, unjudged = judged(sandbox, case.title().replace("-", ""), FORMS[form])
        assert found == [case]
        assert case not in unjudged


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
