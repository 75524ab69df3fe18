"""A reference to a step's answer, in every place of a file that takes a text: it is filled in, or refused.

A reference that stays text makes an assertion that cannot fail (`at_most: 0`), and a rule that cannot match.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest

from mock_server.scenario.conditions.on import RECORDS
from mock_server.scenario.conditions.when import OPERATORS
from mock_server.scenario.loading.load import load_mapping
from mock_server.scenario.story.player import StoryReply, play
from tests.scenario.refusals import problems

PAID: Final[dict[str, Any]] = {"do": "payments.create", "with": {"amount": 100, "currency": "EUR"}, "as": "pay"}
ID: Final = "pay_it"
REFERENCE: Final = "$pay.payment_id"
TESTS: Final[dict[str, Any]] = {
    "alone": lambda text: text, "in a list": lambda text: ["other", text],
    **{name: (lambda text, name=name, row=row: {name: [text] if row.takes == "values" else text})
       for name, row in OPERATORS.items() if row.takes not in ("truth", "pattern")},
}  # fmt: skip
PATHS: Final = ("body.payment_id", "header.X-Order", "query.force_sync", "payment.payment_id", "payment.metadata.of")
SUBJECTS: Final = (
    *(("calls", path) for path in (*PATHS, "key")),
    *(
        (f"{name}s", "payment_id" if name != "customer" else "customer_id")
        for name in ("payment", "refund", "customer")
    ),
    *(("webhooks", path) for path in ("payment_id", "event_id", "object.payment_id")),
)


def conditions() -> Iterator[Any]:
    for how, test in TESTS.items():
        for path in PATHS:
            rule = {
                "on": ["payments.confirm", "payments.retrieve"],
                "when": {path: test(REFERENCE)},
                "then": {"delay": "1s"},
            }
            yield pytest.param({"rules": [rule]}, id=f"when {path} {how}")
        for subject, path in SUBJECTS:
            yield pytest.param(
                {"expect": [{subject: {path: test(REFERENCE)}, "at_most": 0}]}, id=f"{subject} {path} {how}"
            )


@pytest.mark.parametrize("given", list(conditions()))
def test_a_condition_that_refers_to_a_step_is_refused(given: dict[str, Any]) -> None:
    found = problems({**given, "story": [PAID]})
    assert len(found) == 1
    assert "only the steps of a story refer" in found[0]
    assert REFERENCE in found[0]
    assert problems(json.loads(json.dumps({**given, "story": [PAID]}).replace("$pay.", "$5 "))) == []


class Client:
    """Answers each call with the same payment, and keeps what was sent."""

    publishable_key = "pk"

    def __init__(self) -> None:
        self.sent: list[str] = []

    def request(self, method: str, path: str, json: object, headers: Any) -> StoryReply:
        self.sent.append(repr((method, path, json, dict(headers))))
        return StoryReply(200, {}, {"payment_id": ID})


STEPS: Final[dict[str, dict[str, Any]]] = {
    "of": {"do": "payments.retrieve", "of": REFERENCE},
    "with": {"do": "refunds.create", "with": {"payment_id": REFERENCE}},
    "metadata": {"do": "payments.create", "with": {"metadata": {"of": [REFERENCE]}}},
    "query": {"do": "payments.list", "with": {"limit": REFERENCE}},
    "headers": {"do": "payments.list", "headers": {"X-Order": REFERENCE}},
    "key": {"do": "refunds.create", "of": "$pay", "key": REFERENCE},
    "key of again": {"do": "again", "key": REFERENCE},
    "by hand": {"do": "payment.settle", "of": REFERENCE},
}


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_a_step_that_refers_to_a_step_sends_its_answer(step: dict[str, Any]) -> None:
    client = Client()
    played = list(play(load_mapping({"story": [PAID, step]}).scenario, client))
    assert [one.problems for one in played] == [(), ()]
    assert ID in client.sent[-1]
    assert "$pay" not in client.sent[-1]
    unknown = json.loads(json.dumps(step).replace("$pay", "$pya"))
    assert "did you mean pay?" in problems({"story": [PAID, unknown]})[0]


NO_NUMBERS: Final[dict[str, Any]] = {
    "nothing": None, "a mapping": {}, "a list": [], "a list of numbers": [1], "an operator": {"gte": 1},
    "conditions": {"status": "succeeded"}, "text": "1", "true": True, "a half": 0.5, "less than none": -1,
}  # fmt: skip


@pytest.mark.parametrize("seen", NO_NUMBERS.values(), ids=NO_NUMBERS)
@pytest.mark.parametrize("key", RECORDS)
def test_a_number_of_records_is_a_number(key: str, seen: Any) -> None:
    found = problems({"story": [PAID, {"see": {key: seen}}]})
    assert found, "what is not a number is compared with no number of records"
    assert found[0].startswith(f"{key} is a whole number")
    assert problems({"story": [PAID, {"see": {key: 1}}]}) == []
