"""Stories: what is sent, what is seen, and how a difference reads; played with a client that was told its answers."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent
from typing import Any

import pytest

from mock_server.scenario.loading.load import load_text
from mock_server.scenario.model.mistakes import ScenarioErrors
from mock_server.scenario.model.scenario import Scenario
from mock_server.scenario.story.player import LineBroken, StepResult, StoryReply, play
from mock_server.scenario.story.requests import STEPS, VERBS

PAY = {
    "payment_id": "pay_1",
    "status": "succeeded",
    "amount": 4200,
    "client_secret": "s",
    "refunds": [{"refund_id": "ref_1"}],
}


class Scripted:
    """Gives one prepared answer after the other, and keeps what was asked."""

    publishable_key = "pk_snd_x"

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, str, Any, dict[str, str]]] = []

    def request(self, method: str, path: str, json: object, headers: Mapping[str, str]) -> StoryReply:
        self.asked.append((method, path, json, dict(headers)))
        answer = self.answers.pop(0) if self.answers else PAY
        if isinstance(answer, str):
            raise LineBroken(answer)
        return answer if isinstance(answer, StoryReply) else StoryReply(200, {}, answer)


def story(text: str) -> Scenario:
    return load_text(f"name: s\nstory:\n{dedent(text)}", "s.yaml").scenario


def played(text: str, *answers: Any) -> tuple[list[StepResult], Scripted]:
    client = Scripted(*answers)
    return list(play(story(text), client)), client


def asked(text: str, *answers: Any) -> tuple[str, str, Any, dict[str, str]]:
    """The last request of a story."""
    _, client = played(text, *answers)
    return client.asked[-1]


def problem(text: str, *answers: Any) -> str:
    """Everything that the last step complains about."""
    results, _ = played(text, *answers)
    return "; ".join(results[-1].problems)


def test_a_card_stands_for_all_that_a_card_needs() -> None:
    method, path, body, headers = asked("- {do: payments.create, with: {amount: 5, card: lost_card}, key: k1}")
    assert (method, path, headers) == ("POST", "/payments", {"X-Idempotency-Key": "k1"})
    assert body["payment_method"] == "card"
    assert body["payment_method_data"]["card"]["card_number"] == "4000000000009987"
    assert body["profile_id"] == "pro_story"


@pytest.mark.parametrize(
    ("card", "number"),
    [("4242424242424242", "4242424242424242"), ("amex_success", "378282246310005"), ("own", "4000000000001232")],
)
def test_a_card_goes_by_name_or_number(card: str, number: str) -> None:
    text = (
        f"name: s\ncards: {{4000000000001232: {{name: own}}}}\nstory: [{{do: payments.create, with: {{card: {card}}}}}]"
    )
    client = Scripted()
    list(play(load_text(text, "s.yaml").scenario, client))
    data = client.asked[0][2]["payment_method_data"]["card"]
    assert data["card_number"] == number
    assert len(data["card_cvc"]) == (4 if card == "amex_success" else 3)


def test_bare_leaves_the_profile_out() -> None:
    assert asked("- {do: payments.create, with: {amount: 5}, bare: true}")[2] == {"amount": 5}


LISTED = "payments.list, with: {metadata: {a: [$pay.status, $$x]}}"
CAPTURED = "payments.capture, of: $pay, with: {amount_to_capture: $pay.amount}"
ENDED = "/_sandbox/payments/pay_1/authenticate"
STEPS_SENT: tuple[tuple[str, str, object], ...] = (
    ("payments.retrieve, of: $pay", "GET /payments/pay_1", None),
    ("payments.retrieve, of: pay_9, with: {force_sync: true}", "GET /payments/pay_9?force_sync=true", None),
    (CAPTURED, "POST /payments/pay_1/capture", {"amount_to_capture": 4200}),
    ("refunds.create, of: $pay, with: {amount: 1}", "POST /refunds", {"amount": 1, "payment_id": "pay_1"}),
    ("refunds.retrieve, of: $pay.refunds.0", "GET /refunds/ref_1", None),
    ("disputes.submit_evidence, of: dp_1", "POST /disputes/evidence", {"dispute_id": "dp_1"}),
    (LISTED, "POST /payments/list", {"metadata": {"a": ["succeeded", "$x"]}}),
    ("clock.advance, by: 24h", "POST /_sandbox/clock/advance", {"by": "86400000ms"}),
    ("clock.freeze", "POST /_sandbox/clock/freeze", {}),
    ("customer.decline, of: $pay", f"POST {ENDED}", {"result": "declined"}),
    ("payment.settle, of: $pay, with: {as: failed}", "POST /_sandbox/payments/pay_1/settle", {"as": "failed"}),
    ("refund.settle, of: $pay.refunds.0", "POST /_sandbox/refunds/ref_1/settle", {"as": "succeeded"}),
    ("next, with: {then: {decline: lost_card}}", "POST /_sandbox/next", {"then": {"decline": "lost_card"}}),
)


@pytest.mark.parametrize(("step", "line", "body"), STEPS_SENT)
def test_a_step_becomes_a_request(step: str, line: str, body: object) -> None:
    method, path, json, _ = asked(f"- {{do: payments.create, as: pay}}\n- {{do: {step}}}")
    assert (f"{method} {path}", json) == (line, body)


def test_headers_can_hold_the_browsers_key() -> None:
    assert asked("- {do: payments.list, headers: {api-key: $publishable_key}}")[3] == {"api-key": "pk_snd_x"}


def test_again_is_the_step_before_byte_for_byte() -> None:
    _, client = played(
        "- {do: payments.create, with: {amount: 5}, key: a}\n- {do: clock.freeze}\n- {do: again}\n- {do: again, key: b}"
    )
    assert client.asked[0] == client.asked[2]
    assert client.asked[3] == (*client.asked[0][:3], {"X-Idempotency-Key": "b"})


SEES = {
    "all": "{http: 200, status: succeeded, amount: 4200, refunds.0.refund_id: ref_1, amount: {gt: 1, lt: 9999}}",
    "any of": "{http: [200, 201], status: [failed, succeeded]}",
    "pattern": "{payment_id: {matches: '^pay_'}}",
    "absent": "{error: null, error_code: {exists: false}}",
    "references": "{amount: $pay.amount}",
}


@pytest.mark.parametrize("see", SEES.values(), ids=SEES)
def test_what_should_be_seen_is_seen(see: str) -> None:
    see = see.replace("amount: 4200, ", "")
    assert problem(f"- {{do: payments.create, as: pay}}\n- {{do: payments.retrieve, of: $pay, see: {see}}}") == ""


DIFFERENCES: dict[str, tuple[str, Any, str]] = {
    "http": ("{http: 200}", StoryReply(500, {}, None), "http is 500, not 200"),
    "status": ("{status: failed}", PAY, 'status is "succeeded", not "failed"'),
    "any of": ("{status: [failed, pending]}", PAY, 'status is "succeeded", not one of "failed", "pending"'),
    "missing": ("{error.code: IR_04}", PAY, 'error.code is missing, not "IR_04"'),
    "absent": ("{status: null}", PAY, 'status is "succeeded", but must be missing'),
    "operator": ("{amount: {lt: 5}}", PAY, "amount is 4200, not under 5"),
    "connection": ("{connection: reset}", PAY, "connection is complete, not reset"),
    "broken": ("{http: 200}", "reset", "connection is reset, not complete"),
    "other break": ("{connection: timeout}", "empty", "connection is empty, not timeout"),
    "replayed": ("{replayed: true}", PAY, "replayed is false, not true"),
    "reference": (
        "{amount: $publishable_key.amount}",
        PAY,
        "amount: $publishable_key.amount is missing in the answer of that step",
    ),
    "the lowest refusal": ("{}", StoryReply(400, {}, {"error": {"message": "no"}}), "the call was refused"),
    "refused": ("{}", StoryReply(409, {}, {"error": {"message": "no"}}), "the call was refused"),
}


@pytest.mark.parametrize(("see", "answer", "message"), DIFFERENCES.values(), ids=DIFFERENCES)
def test_a_difference_is_put_into_words(see: str, answer: Any, message: str) -> None:
    assert problem(f"- {{do: payments.create, see: {see}}}", answer) == message


def test_a_line_that_should_break_and_a_replay_that_should_come() -> None:
    replayed = StoryReply(200, {"x-sandbox-replayed": "true", "x-sandbox-because": "facts %C2%A77"}, PAY)
    results, _ = played(
        "- {do: payments.create, see: {connection: reset}}\n- {do: again, see: {replayed: true}}", "reset", replayed
    )
    assert all(result.holds for result in results)
    assert [result.got for result in results] == ["connection reset", "200 succeeded"]
    assert results[1].because == "facts §7"


def test_webhooks_and_counts_are_looked_up() -> None:
    inbox = {"data": [{"event_type": "payment_succeeded"}, {"event_type": "refund_succeeded"}]}
    results, client = played(
        "- see: {webhooks: [payment_succeeded, refund_succeeded], payments: 1, refunds: 2}",
        inbox,
        {"total_count": 1},
        {"total_count": 3},
    )
    assert [path for _, path, _, _ in client.asked] == [
        "/_sandbox/webhooks?limit=1000",
        "/payments/list?limit=1",
        "/refunds/list?limit=1",
    ]
    assert results[0].problems == ("refunds is 3, not 2",)
    assert problem("- see: {webhooks: []}", inbox) == "webhooks are payment_succeeded, refund_succeeded, not none"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- {do: payments.create, as: pay}\n- {do: payments.retrieve, of: $pay.email}", "is missing in the answer"),
        ("- {do: payments.create, as: pay}\n- {do: disputes.retrieve, of: $pay}", "an answer without dispute_id"),
    ],
)
def test_a_step_that_cannot_be_sent_says_why(text: str, message: str) -> None:
    assert message in problem(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- {do: payments.retrieve, of: $pay}", "3:27: $pay is not the name of an earlier step"),
        ("- {do: payments.create, with: {a: [$pay.id]}, as: pay}", "$pay.id is not the name of an earlier step"),
        ("- {do: payments.create, as: pay, see: {amount: $pya.amount}}", "is not the name of an earlier step"),
        ("- {do: payments.retrieve}", "payments.retrieve needs of for its payment_id"),
        ("- {do: again}", "again has no API call before it"),
        ("- {do: clock.freeze}\n- {do: again}", "again has no API call before it"),
        (
            "- {do: payments.create, with: {card: visa_sucess}}",
            "visa_sucess is not a card (did you mean visa_success?)",
        ),
        ('- {do: payments.create, see: {http: "200"}}', 'http is a status from 100 to 599 and can never be "200"'),
        ('- see: {payments: "1"}', 'payments is a whole number and can never be "1"'),
        ("- see: {status: failed}", "status needs do"),
        ("- {do: payments.create, see: {sattus: failed}}", "answer has no field sattus (did you mean status?)"),
        ("- {do: payments.create, see: {status: faild}}", 'status can never be "faild"'),
        ("- {do: payments.create, see: {amount: {g: 1}}}", 'amount can never be {"g":1}'),
        ("- {do: payments.create, with: {ammount: 1}}", "body has no field ammount (did you mean amount?)"),
        ("- {do: payments.list, with: {limitt: 1}}", "body has no field limitt (did you mean limit?)"),
        ("- {do: payments.create, as: pay}\n- {do: payments.capture, of: $pay.payment_di}", "no field payment_di"),
        ("- see: {webhooks: [payment_suceeded]}", "is not an event (did you mean payment_succeeded?)"),
        ("- {do: payments.create, see: {amount: {gt: 1, lessthan: 2}}}", "lessthan is not an operator"),
        ("- {do: payments.create, see: {status: {matches: '('}}}", "matches has a pattern that"),
    ],
)
def test_what_could_not_be_played_is_found_when_it_is_read(text: str, message: str) -> None:
    with pytest.raises(ScenarioErrors) as found:
        problem(text)
    assert message in str(found.value)


def test_a_result_reads_well() -> None:
    results, _ = played("- {do: payments.create, see: {http: 201}}")
    assert (
        str(results[0])
        == "FAIL 1. payments.create (POST /payments) → 200 succeeded\n       http is 200, not 201 (s.yaml:3)"
    )


def test_every_verb_is_known_once() -> None:
    assert len(VERBS) == len(set(VERBS))
    assert set(STEPS) <= set(VERBS)
