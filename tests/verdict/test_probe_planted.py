"""Receivers with one planted mistake each, in every dialect, by a sample and by a real event: the probe finds them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import pytest
from click.testing import CliRunner

from mock_server.cli import main
from mock_server.dialects import DIALECTS
from mock_server.openapi.examples import recorded
from mock_server.testing import Sandbox
from mock_server.testing.receivers import transport_to
from mock_server.verdict.probing import CASES, OLDER, Receiver, probe
from mock_server.verdict.rules import State
from tests.verdict import receivers
from tests.verdict.probes import asked, results_of, served
from tests.verdict.receivers import Correct, Json

WORDS: Final = {"interface": 0, "hyperswitch": 1}
"""Which of two words is the dialect's; where there is one, both have it."""
SAMPLE: Final = recorded()["webhooks"]["payment_succeeded"]
BY: Final = ("out-of-order", "stale-object")


class ByWord(Correct):
    """Takes what comes last, if it knows the word."""

    known: frozenset[str]

    def settle(self, told_at: str, payment: Json) -> None:
        if payment["status"] in self.known:
            self.status = payment["status"]


class ByType(Correct):
    """Acts by the event's type alone."""

    known: frozenset[str]

    def handle(self, event: Json) -> int:
        if event["event_type"] in self.known:
            self.status = event["event_type"]
        self.parcels += event["event_type"] == "payment_succeeded"
        return 200


class ByTypeAndTime(ByType):
    """The same, but only if the event was told later."""

    def handle(self, event: Json) -> int:
        if event["timestamp"] >= self.updated:
            self.updated = event["timestamp"]
            return super().handle(event)
        return 200


class Strict(Correct):
    """Correct, but refuses what has a word of another dialect."""

    known: frozenset[str]

    def handle(self, event: Json) -> int:
        return super().handle(event) if event["content"]["object"]["status"] in self.known else 400


def words(dialect: str, *kinds: str) -> frozenset[str]:
    return frozenset(said[min(WORDS[dialect], len(said) - 1)] for kind, *said in OLDER if kind in kinds)


def two(kind: str) -> Callable[[str], frozenset[str]]:
    return lambda _: frozenset({"payment_succeeded", kind})


def known_words(*kinds: str) -> Callable[[str], frozenset[str]]:
    return lambda dialect: words(dialect, *kinds) | {"succeeded"}


class Planted(NamedTuple):
    """A receiver, the case that finds it, and what it knows in a dialect."""

    kind: type[Correct]
    case: str
    known: Callable[[str], frozenset[str]]


EVERY: Final = [kind for kind, *_ in OLDER]
PLANTED: Final = {
    **{f"word-{kind}": Planted(ByWord, "out-of-order", known_words(kind)) for kind in EVERY},
    **{f"type-{kind}": Planted(ByType, "out-of-order", two(kind)) for kind in EVERY},
    **{f"time-{kind}": Planted(ByTypeAndTime, "stale-object", two(kind)) for kind in EVERY},
    "strict": Planted(Strict, "", known_words(*EVERY)),
    "correct": Planted(Correct, "", known_words()),
}


@pytest.fixture(scope="module", params=DIALECTS)
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    with Sandbox(dialect=request.param) as found:
        yield found


def dialect_of(sandbox: Sandbox) -> str:
    return str(sandbox.control.get("/dialect")["dialect"])


@pytest.mark.parametrize("is_real", [True, False], ids=["real", "sample"])
@pytest.mark.parametrize("name", PLANTED)
def test_whoever_goes_back_is_found_by_its_case(sandbox: Sandbox, name: str, is_real: bool) -> None:
    kind, case, known = PLANTED[name]
    app: Any = kind(sandbox.webhook_secret)
    app.known = known(dialect_of(sandbox))
    if is_real:
        results = sandbox.probe(app, state=app.state, only=BY)
    else:
        way = transport_to(app)
        results = probe(Receiver("http://testserver/", app.secret, SAMPLE, way, app.state, 30.0, is_near=True), BY)
    assert [one.case.id for one in results if one.state is State.FOUND] == [case] * bool(case), results


@pytest.mark.parametrize("kind", EVERY)
def test_each_dialect_has_one_of_the_words(sandbox: Sandbox, kind: str) -> None:
    told = CliRunner().invoke(main, ["trigger", kind, "--url", sandbox.url, "--key", sandbox.api_key, "--json"])
    assert told.exit_code == 0, told.output
    found = sandbox.webhooks.all(kind)[-1].payload
    assert json.loads(found)["content"]["object"]["status"] in words(dialect_of(sandbox), kind)


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.id not in ("valid", "flood")], ids=lambda case: case.id
)
def test_a_needed_case_that_failed_counts(case: Any) -> None:
    with served(receivers.Valid("whsec_1")) as url:
        told = asked(url, "--json", "--only", case.id)
    assert (told.exit_code, results_of(told)) == (1, {"valid": "failed", case.id: "not checked"})


def test_a_case_that_does_not_need_what_fails_passes() -> None:
    with served(receivers.Twice("whsec_1")) as url:
        told = asked(url, "--json", "--only", "signature-*")
    assert (told.exit_code, set(results_of(told).values())) == (0, {"passed"})
