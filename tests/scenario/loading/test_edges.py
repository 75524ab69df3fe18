"""Scenarios at their limits and one beyond, and what follows from each key that is there or not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mock_server.domain.statuses import PaymentStatus
from mock_server.scenario.loading.load import load_text
from mock_server.scenario.loading.reading import resolve
from mock_server.scenario.model.mistakes import ScenarioErrors
from mock_server.scenario.model.scenario import MOST_INDEXED, Channel, During, Scenario
from mock_server.scenario.schema.block import DEEPEST, MOST_NODES


def mistakes(text: str, file: str = "s.yaml") -> str:
    """The mistakes of a text; empty if it is valid."""
    try:
        load_text(text, file)
    except ScenarioErrors as wrong:
        return str(wrong)
    return ""


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (["", "~", "null", "Null", "NULL"], None),
        (["true", "True", "TRUE"], True),
        (["false", "False", "FALSE"], False),
        (["5", "+5", "05", "5.0", "5.", "0.5e1", "+.5E+1"], 5),
        (["-5", "-5.0"], -5),
        (["1" * 60], int("1" * 60)),
    ],
)
def test_words_of_the_core_schema_are_values(words: list[str], value: object) -> None:
    for word in words:
        assert resolve(word) == value
        assert isinstance(resolve(word), bool) is isinstance(value, bool)


@pytest.mark.parametrize("word", ["tRUE", "nULL", "yes", "on", "1:30", "0x1", "1_0", ".", "-", "1e999", "1" * 61, "+"])
def test_other_words_are_texts(word: str) -> None:
    assert resolve(word) == word


@pytest.mark.parametrize("many", [MOST_NODES, MOST_NODES + 1])
def test_a_document_has_a_hundred_thousand_values(many: int) -> None:
    """The mapping, its one list, and the items of the list."""
    said = mistakes("[" + ",".join(["1"] * (many - 1)) + "]")
    assert (f"the document has more than {MOST_NODES} values" in said) is (many > MOST_NODES)


@pytest.mark.parametrize("deep", [DEEPEST, DEEPEST + 1])
def test_a_document_is_at_most_so_deep(deep: int) -> None:
    said = mistakes("[" * deep + "]" * deep)
    assert ("deep" in said or "nested" in said) is (deep > DEEPEST)


@pytest.mark.parametrize("after", ["", "]" * 16_000, "\n  - x: [\n", "\n\t: ]"], ids=["open", "closed", "key", "tab"])
@pytest.mark.parametrize("before", ["", "rules: ", "rules:\n  - ", "{a: "])
@pytest.mark.parametrize(
    "opener", ["[", "{", "[{", "- ", "? ", "{a: ", "[,", "&a [", "!x [", "'", '"', "|\n", "*a ", "[\n"]
)
def test_no_short_text_is_read_for_long(opener: str, before: str, after: str) -> None:
    """Seen to fail by not ending: with newer readers in C, brackets without a line end took minutes."""
    assert mistakes(before + opener * 16_000 + after)


@pytest.mark.parametrize(("file", "wrong"), [("ok.yaml", False), ("not ok.yaml", True), ("none.yaml", True)])
def test_a_file_names_its_scenario(file: str, wrong: bool) -> None:
    for text, is_said in (("summary: A.\n", wrong), ("name: other\n", False)):
        assert ("the name, taken from the file name," in mistakes(text, file)) is is_said
    both = mistakes("sumary: A.\n", file)
    assert "sumary" in both
    assert "the name, taken from" not in both


@pytest.mark.parametrize("status", [*PaymentStatus, None])
def test_only_a_failed_payment_has_a_decline(status: PaymentStatus | None) -> None:
    given = {"amount": 2, "currency": "EUR", "decline": "lost_card", **({} if status is None else {"status": status})}
    said = mistakes(json.dumps({"given": {"payments": [given]}}), "s.json")
    assert ("decline needs status: failed" in said or "needs status: failed" in said) is (status != "failed")


@pytest.mark.parametrize(
    ("webhooks", "fits"),
    [
        (0, True),
        (3, True),
        ([], True),
        (["payment_failed"], True),
        (-1, False),
        (True, False),
        ("a", False),
        ([1], False),
    ],
)
def test_a_step_sees_events_or_a_number_of_deliveries(webhooks: Any, fits: bool) -> None:
    step = {"do": "payments.create", "with": {"amount": 1, "currency": "EUR"}, "see": {"webhooks": webhooks}}
    said = mistakes(json.dumps({"story": [step]}), "s.json")
    assert ("must be a list of events, or the number of deliveries" in said) is not fits


@pytest.mark.parametrize("extends", [False, True])
@pytest.mark.parametrize("do", ["payments.create", "again", "clock.advance"])
def test_the_card_of_a_call_is_one_of_the_table(extends: bool, do: str) -> None:
    """One of a scenario that this one extends is looked for once that is known."""
    step = {"do": do, "with": {"card": "no_such_card", "amount": 1, "currency": "EUR"}}
    text = json.dumps({"story": [step], **({"extends": "other"} if extends else {})})
    assert ("no_such_card" in mistakes(text, "s.json")) is (do == "payments.create" and not extends)


def test_what_a_rule_listens_to_is_looked_up_once_and_remembered_within_bounds() -> None:
    scenario: Scenario = load_text("rules: [{on: 'payments.*', then: {delay: 5ms}}]", "s.yaml").scenario
    first = scenario.listening(Channel.LINE, ("payments.create",))
    assert len(first) == 1
    assert scenario.listening(Channel.LINE, ("payments.create",)) is first
    assert scenario.listening(Channel.LINE, ("refunds.create",)) == ()
    assert scenario.listening(Channel.ISSUER, ("payments.create",)) == ()
    for number in range(MOST_INDEXED + 5):
        scenario.listening(Channel.LINE, (f"refunds.{number}",))
    assert len(scenario.index) == MOST_INDEXED == 1_000
    assert scenario.listening(Channel.LINE, ("payments.create",)) is first


@pytest.mark.parametrize("start", [0, 5])
@pytest.mark.parametrize("length", [None, 1, 10])
def test_a_period_begins_and_ends(start: int, length: int | None) -> None:
    held = [since for since in range(-2, 30) if During(start, length).holds(since)]
    assert held == list(range(start, 30 if length is None else start + length))
