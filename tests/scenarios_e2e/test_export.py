"""What happened to a payment, exported as a scenario: playing it leads to the same statuses."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from mock_server.cli.playing import perform, stage
from mock_server.control.export import rehearse
from mock_server.scenario.loading.load import load_text
from tests.clocks import ManualClock
from tests.running import environment
from tests.wire import Wire, card_payment, wire

UNLISTED: Final = "4539578763621486"


def put(api: Wire, text: str) -> None:
    api.call("PUT", "/_sandbox/scenarios/mine", raw=text.encode(), headers={"Content-Type": "application/yaml"})
    assert api.post("/_sandbox/scenarios/mine/activate").status == 200


def advance(api: Wire, by: str) -> None:
    api.post("/_sandbox/clock/advance", {"by": by})


def rule(on: str, then: str) -> str:
    return f"version: 1\nrules:\n  - {{on: {on}, then: {then}}}\n"


def simple(api: Wire) -> str:
    return str(api.pay()["payment_id"])


def by_card(api: Wire) -> str:
    return str(api.pay("visa_insufficient_funds")["payment_id"])


def outside_the_table(api: Wire) -> str:
    put(api, "version: 1\nsettings: {unknown_cards: succeed}\n")
    return str(api.pay(UNLISTED)["payment_id"])


def two_attempts(api: Wire) -> str:
    put(api, rule("charge", "[{decline: lost_card}, {outcome: succeeded}]"))
    payment = str(api.pay()["payment_id"])
    data = api.pay("mastercard_success").json  # another payment, which is no part of the story
    assert data["status"] == "succeeded"
    return payment


def captured_in_part_and_refunded(api: Wire) -> str:
    payment = str(api.pay(capture_method="manual")["payment_id"])
    advance(api, "1h")
    api.post(f"/payments/{payment}/capture", {"amount_to_capture": 4000})
    refund = api.post("/refunds", {"payment_id": payment, "amount": 1000})["refund_id"]
    api.get(f"/refunds/{refund}")
    return payment


def settled_by_the_clock(api: Wire) -> str:
    put(api, rule("charge", "{settles: {after: 30s, as: failed}}"))
    payment = str(api.pay()["payment_id"])
    api.get(f"/payments/{payment}")
    advance(api, "1m")
    return payment


def settled_by_polls(api: Wire) -> str:
    put(api, rule("charge", "{settles: {after_polls: 2, as: succeeded}}"))
    payment = str(api.pay()["payment_id"])
    for _ in range(3):
        api.get(f"/payments/{payment}")
    return payment


def challenged(api: Wire) -> str:
    payment = str(api.pay("visa_3ds_required")["payment_id"])
    api.post(f"/_sandbox/payments/{payment}/authenticate", {"result": "declined"})
    return payment


def lost_and_retried(api: Wire) -> str:
    put(api, "version: 1\nrules:\n  - {on: payments.create, times: 1, then: {fault: connection_reset, effect: kept}}\n")
    headers = {"X-Idempotency-Key": "order-1"}
    body = {**card_payment(), "confirm": True}
    with pytest.raises(ConnectionResetError):
        api.call("POST", "/payments", body, headers=headers)
    return str(api.call("POST", "/payments", body, headers=headers)["payment_id"])


def from_the_queue(api: Wire) -> str:
    api.post("/_sandbox/next", {"on": "charge", "then": {"decline": "stolen_card"}})
    return str(api.pay()["payment_id"])


def by_the_calls_own_word(api: Wire) -> str:
    body = api.post("/payments", {**card_payment(), "confirm": True}, X_Sandbox_Outcome="failed:lost_card")
    return str(body["payment_id"])


def with_its_own_scenario(api: Wire) -> str:
    put(api, rule("charge", "{decline: expired_card}"))
    api.post("/_sandbox/scenarios/mine/deactivate")
    return str(api.pay(metadata={"sandbox_scenario": "mine", "order_id": "42"})["payment_id"])


def by_a_card_of_its_scenario(api: Wire) -> str:
    put(api, 'version: 1\ncards: {"4000000000001232": {name: house, decline: do_not_honor, brand: visa}}\n')
    return str(api.pay("4000000000001232")["payment_id"])


def reviewed_and_disputed(api: Wire) -> str:
    payment = str(api.pay("visa_review")["payment_id"])
    api.post(f"/payments/{payment}/approve")
    api.post(f"/_sandbox/payments/{payment}/dispute", {"reason": "fraudulent"})
    return payment


def for_a_customer(api: Wire) -> str:
    api.post("/customers", {"customer_id": "cus_anna", "name": "Anna"})
    return str(api.pay(customer_id="cus_anna")["payment_id"])


def given_by_a_scenario(api: Wire) -> str:
    put(api, "version: 1\ngiven: {payments: [{payment_id: pay_given, amount: 100, status: failed}]}\n")
    return "pay_given"


def disputed_by_its_bank(api: Wire) -> str:
    payment = str(api.pay("visa_dispute_twice")["payment_id"])
    for dispute in api.get("/disputes/list")["data"]:
        assert api.post(f"/disputes/accept/{dispute['dispute_id']}").status == 200
    return payment


def authorization_gone(api: Wire) -> str:
    payment = str(api.pay(capture_method="manual")["payment_id"])
    advance(api, "8d")
    return payment


def after_a_change_of_the_profile(api: Wire) -> str:
    """The profile's automatic retries decide that a second attempt is made, which the queue lets through."""
    made = api.post("/payments", {**card_payment(), "profile_id": "pro_retrying"})
    path = f"/account/{made['merchant_id']}/business_profile/pro_retrying"
    assert api.post(path, {"is_auto_retries_enabled": True, "max_auto_retries_enabled": 1}).status == 200
    put(api, rule("charge", "[{decline: issuer_not_available}, {outcome: succeeded}]"))
    paid = api.pay(profile_id="pro_retrying")
    assert (paid["status"], paid["attempt_count"]) == ("succeeded", 2)
    return str(paid["payment_id"])


def refused_by_an_error_of_the_api(api: Wire) -> str:
    payment = str(api.post("/payments", card_payment())["payment_id"])
    put(api, rule("payments.confirm", "[{error: HE_00}, {delay: 300ms}]"))
    assert api.post(f"/payments/{payment}/confirm", {}).status >= 500
    assert api.post(f"/payments/{payment}/confirm", {}).status == 200
    return payment


LIVES: Final[tuple[Callable[[Wire], str], ...]] = (
    simple,
    by_card,
    outside_the_table,
    two_attempts,
    captured_in_part_and_refunded,
    settled_by_the_clock,
    settled_by_polls,
    challenged,
    lost_and_retried,
    from_the_queue,
    by_the_calls_own_word,
    with_its_own_scenario,
    by_a_card_of_its_scenario,
    reviewed_and_disputed,
    for_a_customer,
    disputed_by_its_bank,
    authorization_gone,
    given_by_a_scenario,
    after_a_change_of_the_profile,
    refused_by_an_error_of_the_api,
)


@pytest.mark.parametrize("live", LIVES, ids=lambda live: live.__name__)
def test_playing_an_export_leads_to_the_same_statuses(live: Callable[[Wire], str]) -> None:
    api = wire()
    api.post("/_sandbox/clock/freeze")
    payment = live(api)
    status = api.get(f"/_sandbox/payments/{payment}/timeline")["status"]
    exported = api.get(f"/_sandbox/payments/{payment}/export")
    text = exported.raw.decode()
    assert (exported.status, exported.headers["Content-Type"]) == (200, "application/yaml; charset=utf-8")
    scenario = load_text(text, "export.yaml").scenario
    assert scenario.expect[0].where[0].expected == status
    with stage(1.0) as client:
        lines = list(perform(scenario, (), client))
    assert [str(line) for line in lines if not line.holds] == [], text


def nothing(api: Wire, payment: str) -> None:
    """The life ends as it is."""


def changed_profile(api: Wire, payment: str) -> None:
    """The payment's profile is changed afterwards, and the payment looked at once more."""
    one = api.get(f"/payments/{payment}")
    path = f"/account/{one['merchant_id']}/business_profile/{one['profile_id']}"
    assert api.post(path, {"is_manual_retry_enabled": True}).status == 200
    assert api.get(f"/payments/{payment}").status == 200


@pytest.mark.parametrize("after", [nothing, changed_profile], ids=lambda after: after.__name__)
@pytest.mark.parametrize("live", LIVES, ids=lambda live: live.__name__)
def test_an_export_was_played_before_it_is_handed_out(
    live: Callable[[Wire], str], after: Callable[[Wire, str], None]
) -> None:
    api = wire()
    api.post("/_sandbox/clock/freeze")
    payment = live(api)
    after(api, payment)
    looks = ("/payments/list", "/refunds/list", "/_sandbox/scenarios", "/_sandbox/next", "/_sandbox/clock")
    before = [api.get(look).json for look in looks]
    text = api.get(f"/_sandbox/payments/{payment}/export").raw.decode()
    assert text.startswith("# verified: "), text
    assert [api.get(look).json for look in looks] == before
    assert len(api.sandbox.workspaces()) == 1


def test_an_export_that_does_not_come_out_says_where() -> None:
    sandbox = wire().sandbox
    step = {"do": "payments.create", "with": {"amount": 1, "currency": "EUR"}, "see": {"status": "succeeded"}}
    said = rehearse(sandbox, {"name": "replay", "story": [step]})
    assert said.startswith(
        "not verified: step 1, payments.create (POST /payments): 200 requires_payment_method; status is"
    )
    assert rehearse(sandbox, {"name": "replay", "rulez": []}).startswith("not verified: ")


def test_a_rehearsal_ends_in_time() -> None:
    """A clock on which every look takes a minute."""

    class Slow(ManualClock):
        def monotonic(self) -> float:
            self.advance(60_000)
            return super().monotonic()

    step = {"do": "payments.list", "see": {"http": 200}}
    said = rehearse(wire(clock=Slow()).sandbox, {"name": "replay", "story": [step, step]})
    assert said == "not verified: the replay took more than 10 seconds"


def test_exported_tests_pass_where_they_are_run(tmp_path: Path) -> None:
    """Every life as a test of its own file, and all of them run by pytest."""
    for live in LIVES:
        api = wire()
        api.post("/_sandbox/clock/freeze")
        exported = api.get(f"/_sandbox/payments/{live(api)}/export", Accept="text/x-python")
        assert exported.headers["Content-Type"] == "text/x-python; charset=utf-8"
        assert "Verified: " in exported.raw.decode()
        (tmp_path / f"test_{live.__name__}.py").write_bytes(exported.raw)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert f"{len(LIVES)} passed" in done.stdout, done.stdout


def test_an_export_as_json_is_the_same_scenario() -> None:
    api = wire()
    exported = api.get(f"/_sandbox/payments/{simple(api)}/export", Accept="application/json")
    assert exported.headers["X-Sandbox-Verified"].startswith("verified: ")
    assert load_text(exported.raw.decode(), "export.yaml").scenario.expect


def test_an_export_holds_no_card_number() -> None:
    api = wire()
    text = api.get(f"/_sandbox/payments/{simple(api)}/export").raw.decode()
    assert "4242424242424242" not in text
    assert "card: visa_success" in text


def test_an_unknown_payment_has_no_export() -> None:
    assert wire().get("/_sandbox/payments/pay_nobody/export").error["code"] == "HE_02"
