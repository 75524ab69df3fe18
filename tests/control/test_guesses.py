"""A name that is nearly right is answered with the right one; a key that is wrong, with what is wrong with it."""

from __future__ import annotations

import pytest

from tests.wire import Wire, card_payment, wire


@pytest.fixture(scope="module")
def api() -> Wire:
    made = wire()
    made.call(
        "PUT",
        "/_sandbox/scenarios/only_here",
        raw=b"version: 1\nname: only_here\nsummary: nothing\nextends: lost_response\n",
        headers={"Content-Type": "application/yaml"},
    )
    return made


@pytest.mark.parametrize(
    ("path", "body", "meant"),
    [
        ("/_sandbox/webhooks/trigger", {"type": "payment_suceeded", "object_id": "pay_x"}, "payment_succeeded"),
        ("/_sandbox/webhooks/resend", {"type": "refund_failled"}, "refund_failed"),
        ("/_sandbox/payments/pay_x/settle", {"as": "succeded"}, "succeeded"),
        ("/_sandbox/payments/pay_x/fail", {"decline": "insuficient_funds"}, "insufficient_funds"),
        ("/_sandbox/payments/pay_x/authenticate", {"result": "aproved"}, "approved"),
        ("/_sandbox/payments/pay_x/expire", {"what": "costumer"}, "customer"),
        ("/_sandbox/refunds/ref_x/settle", {"as": "suceeded"}, "succeeded"),
        ("/_sandbox/disputes/dsp_x/advance", {"to": "wonn"}, "won"),
    ],
)
def test_a_trigger_s_word(api: Wire, path: str, body: dict[str, str], meant: str) -> None:
    reply = api.post(path, body)
    assert (reply.status, reply.error["code"]) == (400, "IR_04")
    assert f"(did you mean {meant}?)" in reply.error["fields"][0]["message"]
    assert f"(did you mean {meant}?)" in reply.error["message"]


def test_a_word_that_is_near_to_none_is_refused_with_those_there_are(api: Wire) -> None:
    wrong = api.post("/_sandbox/payments/pay_x/settle", {"as": "zzz"}).error["fields"][0]["message"]
    assert wrong == "must be one of succeeded, failed, pending"


@pytest.mark.parametrize(
    ("named", "meant"), [("only_her", "only_here"), ("lost_respons", "lost_response"), ("nonne", "none")]
)
def test_a_scenario(api: Wire, named: str, meant: str) -> None:
    by_header = api.post("/payments", card_payment(), X_Sandbox_Scenario=named)
    by_metadata = api.post("/payments", card_payment(metadata={"sandbox_scenario": named}))
    for reply in (by_header, by_metadata):
        assert (reply.status, reply.error["code"]) == (400, "IR_04")
        assert f"{named} (did you mean {meant}?)" in reply.error["message"]


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("sk_test_0123456789", "This key does not begin with snd_ or pk_snd_;"),
        ("snd_short", "This key has 5 characters after snd_;"),
        ("pk_snd_" + "x" * 129, "This key has 129 characters after pk_snd_;"),
        ("snd_with.a.dot.in.it", "This key has a character after snd_ that no key has;"),
        ("prd_0123456789", "This key is a production key,"),
        ("pk_snd_nobody_used_it", "This key is publishable, and its secret key"),
    ],
)
@pytest.mark.parametrize("path", ["/payments/pay_x", "/_sandbox/clock"])
def test_a_bad_key(api: Wire, key: str, said: str, path: str) -> None:
    reply = api.as_key(key).get(path)
    assert (reply.status, reply.error["code"]) == (401, "IR_01")
    if not (key == "pk_snd_nobody_used_it" and "_sandbox" in path):
        assert reply.error["message"].startswith(said)
    assert reply.error["message"].startswith("This key")
    assert key not in reply.error["message"]
