"""Scenarios that stand from the start, what they set, and their files while the server runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mock_server.sandbox import build
from mock_server.settings import Settings
from tests.running import RunningSandbox, call, until
from tests.scenarios_e2e.wire import control, pay, raw_call
from tests.wire import Wire, card_payment, wire

GOOD = "version: 1\nrules:\n  - {on: charge, then: {decline: lost_card}}\n"
OTHER = "version: 1\nrules:\n  - {on: charge, then: {decline: stolen_card}}\n"
BROKEN = "version: 1\nrules:\n  - {on: chrge, then: {decline: lost_card}}\n"


def put(api: Wire, text: str, name: str = "mine") -> None:
    api.call("PUT", f"/_sandbox/scenarios/{name}", raw=text.encode(), headers={"Content-Type": "application/yaml"})
    assert api.post(f"/_sandbox/scenarios/{name}/activate").status == 200


# from the start


def test_a_scenario_of_the_server_is_on_in_every_workspace_with_what_it_gives() -> None:
    api = wire(scenario=("month_of_history", "decline_then_success"))
    for key in ("snd_first_workspace_01", "snd_second_workspace_02"):
        one = api.as_key(key)
        assert one.get("/payments/list?limit=1")["total_count"] == 250
        assert one.get("/_sandbox/scenarios")["active"] == ["month_of_history", "decline_then_success"]


def test_a_reset_makes_the_workspace_as_the_first_call_did() -> None:
    api = wire(scenario=("month_of_history",))
    api.pay()
    assert api.get("/payments/list?limit=1")["total_count"] == 251
    api.post("/_sandbox/reset")
    assert api.get("/payments/list?limit=1")["total_count"] == 250


def test_what_is_given_is_given_once() -> None:
    api = wire(scenario=("month_of_history",))
    for _ in range(2):
        api.post("/_sandbox/scenarios/month_of_history/activate")
    assert api.get("/payments/list?limit=1")["total_count"] == 250


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--scenario", "lost_responce"), "there is no scenario lost_responce (did you mean lost_response?)"),
        (("--scenario", "own.yaml"), "there is no scenario own.yaml; --scenarios adds yours"),
        (("--scenarios", "nowhere"), "nowhere: is not a directory of scenarios"),
        (("--scenarios-inline", BROKEN), 'PAYMENT_SANDBOX_SCENARIOS_INLINE:3:10: on is not a valid operation: "chrge"'),
    ],
)
def test_a_server_with_a_broken_scenario_does_not_start(flags: tuple[str, ...], said: str) -> None:
    done = call("serve", "--port", "0", *flags)
    assert done.returncode == 2
    assert said in done.stderr


def test_every_mistake_of_every_file_is_said_at_once(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text(BROKEN)
    done = call("serve", "--port", "0", "--scenarios", str(tmp_path))
    assert done.returncode == 2
    assert f"{tmp_path}/a.yaml:3:10" in done.stderr
    assert f"{tmp_path}/b.yaml:3:10" in done.stderr


# what they set


def test_the_limit_of_a_scenario_refuses_also_while_the_clock_stands(api_with: Wire) -> None:
    put(api_with, "version: 1\nsettings: {rate_limit: 2}\n")
    assert [api_with.get("/payments/list").status for _ in range(3)] == [200, 200, 429]


def test_unknown_cards_decline_while_the_scenario_is_on(api_with: Wire) -> None:
    unlisted = "4539578763621486"
    put(api_with, "version: 1\nsettings: {unknown_cards: decline}\n")
    assert api_with.pay(unlisted)["error_code"] == "DC_04"
    api_with.post("/_sandbox/scenarios/mine/deactivate")
    assert api_with.pay(unlisted)["status"] == "succeeded"


def test_unknown_fields_are_passed_over_while_the_scenario_is_on(api_with: Wire) -> None:
    assert api_with.pay(nobody_knows=1).status == 400
    put(api_with, "version: 1\nsettings: {unknown_fields: ignore}\n")
    assert api_with.pay(nobody_knows=1).status == 200


def test_unknown_profiles_are_refused_while_the_scenario_is_on(api_with: Wire) -> None:
    put(api_with, "version: 1\nsettings: {unknown_profiles: refuse}\n")
    assert api_with.pay(profile_id="pro_nobody").status == 404


def test_sessions_and_authorizations_last_as_the_scenario_says(api_with: Wire) -> None:
    put(api_with, "version: 1\nsettings: {session_expiry: 60s, authorization_expiry: 1h}\n")
    made = api_with.pay(capture_method="manual").json
    assert (made["created"], made["expires_on"]) == ("2026-01-01T00:00:00.000Z", "2026-01-01T00:01:00.000Z")
    api_with.post("/_sandbox/clock/freeze")
    api_with.post("/_sandbox/clock/advance", {"by": "61m"})
    assert api_with.get(f"/payments/{made['payment_id']}")["status"] == "expired"


def test_of_several_the_most_recent_ones_setting_holds(api_with: Wire) -> None:
    put(api_with, "version: 1\nsettings: {rate_limit: 50}\n", "first")
    put(api_with, "version: 1\nsettings: {rate_limit: 70}\n", "second")
    assert api_with.get("/payments/list").headers["X-RateLimit-Limit"] == "70"


@pytest.fixture
def api_with() -> Wire:
    return wire()


# which scenario is on


def test_a_payment_keeps_the_scenario_that_its_metadata_named(api_with: Wire) -> None:
    text = "version: 1\nrules:\n  - {on: payments.retrieve, times: 1, then: {error: HE_00}}\n"
    put(api_with, text)
    api_with.post("/_sandbox/scenarios/mine/deactivate")
    made = api_with.pay(metadata={"sandbox_scenario": "mine"})
    other = api_with.pay()
    assert [api_with.get(f"/payments/{other['payment_id']}").status for _ in range(2)] == [200, 200]
    assert [api_with.get(f"/payments/{made['payment_id']}").status for _ in range(2)] == [500, 200]


def test_a_scenarios_own_answer_can_be_any_text(api_with: Wire) -> None:
    put(api_with, 'version: 1\nrules:\n  - {on: "*", then: {respond: {status: 500, body: "{no json"}}}\n')
    assert (api_with.pay().status, api_with.pay().raw) == (500, b"{no json")


# reload


def test_a_file_that_changes_is_taken_over_and_a_broken_one_keeps_its_last_good_version(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(GOOD)
    api = wire(scenarios=str(tmp_path), scenario=("mine",))
    assert api.pay()["error_details"]["unified_details"]["standardised_code"]  # it is declined
    changes = []
    for number, text in enumerate((OTHER, BROKEN, GOOD)):
        before = api.pay().json["error_message"]
        file.write_text(text)
        os.utime(file, ns=(number, number))
        changes += [change.what for change in api.sandbox.scenarios.run_once()]
        assert (api.pay().json["error_message"] == before) is (text == BROKEN)
        ready = api.get("/_sandbox/readyz")
        assert (ready.status, ready["scenarios"]) == (200, "stale" if text == BROKEN else "ok")
        assert ("mistakes" in ready.json) is (text == BROKEN)
    assert changes == ["changed", "broken", "changed"]


def test_the_served_command_watches_its_files(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(GOOD)
    with RunningSandbox("--scenarios", str(tmp_path), "--scenario", "mine") as sandbox:
        base = sandbox.base
        assert "lost" in pay(base).json["error_message"]
        file.write_text(OTHER)
        until(lambda: "stolen" in pay(base).json["error_message"])
        file.write_text(BROKEN)
        until(lambda: control(base, "GET", "readyz")["scenarios"] == "stale")
        assert "stolen" in pay(base).json["error_message"]
        _, _, log = sandbox.stop()
    assert "scenario mine changed" in log
    assert "previous version stays in use" in log
    assert f"{file}:3:10: on is not a valid operation" in log


def test_nobody_watches_where_there_is_no_directory() -> None:
    sandbox = build(Settings())
    sandbox.scenarios.start()
    assert "sandbox-scenarios" not in {thread.name for thread in __import__("threading").enumerate()}
    sandbox.scenarios.stop()


def test_a_call_may_name_a_scenario_for_itself() -> None:
    with RunningSandbox() as sandbox:
        body = {**card_payment(), "confirm": True}
        lost = raw_call(sandbox.base, "POST", "/payments", body, {"X-Sandbox-Scenario": "lost_response"})
        assert (lost.raw, lost.end) == (b"", "reset")
        assert pay(sandbox.base).status == 200
        unknown = raw_call(sandbox.base, "POST", "/payments", body, {"X-Sandbox-Scenario": "nope"})
        assert (unknown.status, unknown.json["error"]["code"]) == (400, "IR_04")
