"""A workspace as scripts and other frameworks hold it."""

from __future__ import annotations

import asyncio
import unittest
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Final

import pytest

from mock_server.settings import SettingsRefused
from mock_server.testing import ControlRefused, RunningServer, Sandbox, SandboxServer, SandboxUnreachable
from mock_server.testing.scenarios import ExpectationFailed, collected


def test_a_server_is_started_where_none_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PAYMENT_SANDBOX_URL", raising=False)
    with Sandbox() as sandbox:
        assert sandbox.client.pay()["status"] == "succeeded"
        at = sandbox.url
    with pytest.raises(SandboxUnreachable, match=f"cannot reach a payment sandbox at {at}"), Sandbox(at):
        pass


def test_the_environment_names_a_server(inside: SandboxServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAYMENT_SANDBOX_URL", inside.url)
    with Sandbox() as sandbox:
        assert sandbox.url == inside.url


def test_the_program_under_test_gets_url_and_keys(sandbox: Sandbox) -> None:
    assert sandbox.env == {
        "PAYMENT_SANDBOX_URL": sandbox.url,
        "PAYMENT_SANDBOX_API_KEY": sandbox.api_key,
        "PAYMENT_SANDBOX_PUBLISHABLE_KEY": f"pk_{sandbox.api_key}",
    }
    assert sandbox.publishable_key == f"pk_{sandbox.api_key}"
    assert sandbox.api_key not in repr(sandbox)


def test_workspaces_do_not_see_each_other(inside: SandboxServer) -> None:
    with Sandbox(server=inside) as one, Sandbox(server=inside) as other:
        one.client.pay(payment_id="pay_mine")
        assert other.client.get("/payments/pay_mine").status == 404


def test_seed_and_name_make_the_same_ids(inside: SandboxServer) -> None:
    def first_id(**more: Any) -> str:
        with Sandbox(server=inside, **more) as sandbox:
            return str(sandbox.client.pay()["payment_id"])

    assert first_id(seed="1", name="a") == first_id(seed="1", name="a")
    assert len({first_id(seed="1", name="a"), first_id(seed="2", name="a"), first_id(seed="1", name="b")}) == 3


def test_a_long_name_is_taken(inside: SandboxServer) -> None:
    with Sandbox(server=inside, name="a" * 400) as one, Sandbox(server=inside, name="b" + "a" * 400) as other:
        assert one.name != other.name
        assert len(one.name or "") <= 255


def test_a_key_of_ones_own_is_neither_reset_nor_forgotten(inside: SandboxServer) -> None:
    with Sandbox(server=inside, api_key="snd_my_own_key") as first:
        paid = first.client.pay()["payment_id"]
        first.scenario({"name": "mine", "rules": []})
    again = Sandbox(server=inside, api_key="snd_my_own_key")
    assert again.client.get(f"/payments/{paid}").status == 200
    assert again.control.get("/scenarios")["active"] == []


def test_a_snapshot_is_gone_back_to(sandbox: Sandbox) -> None:
    paid = sandbox.client.pay()["payment_id"]
    kept = sandbox.snapshot()
    sandbox.client.post("/refunds", {"payment_id": paid, "amount": 100})
    sandbox.restore(kept)
    assert sandbox.client.get("/refunds/list").json()["total_count"] == 0
    assert sandbox.client.get(f"/payments/{paid}").status == 200


def test_snapshots_without_a_name_go_with_the_workspace(inside: SandboxServer) -> None:
    with Sandbox(server=inside) as sandbox:
        kept, named = sandbox.snapshot(), sandbox.snapshot("baseline", journal=True)
    other = Sandbox(server=inside)
    names = [one["name"] for one in other.control.get("/snapshots")["data"]]
    assert kept not in names
    assert named in names
    other.control.delete(f"/snapshots/{named}")


def test_a_workspace_begins_anew(sandbox: Sandbox) -> None:
    paid = sandbox.client.pay()["payment_id"]
    sandbox.reset()
    assert sandbox.client.get(f"/payments/{paid}").status == 404
    assert sandbox.client.pay()["payment_id"] == paid


def test_the_next_charge_is_decided_beforehand(sandbox: Sandbox) -> None:
    sandbox.next(decline="insufficient_funds", times=2)
    sandbox.next("payments.create", {"error": "HE_00"})
    assert sandbox.client.pay().status == 500
    assert [sandbox.client.pay()["status"] for _ in range(3)] == ["failed", "failed", "succeeded"]


def test_why_reads_as_text(sandbox: Sandbox) -> None:
    why = sandbox.why(sandbox.client.pay("insufficient_funds").json())
    assert why["failure"]["decline"] == "insufficient_funds"
    assert "payments.create: card visa_insufficient_funds: failed" in str(why)
    assert sandbox.timeline(why["payment_id"])[0]["kind"] == "created"
    waiting = sandbox.why(sandbox.client.pay("pending_succeeds").json())
    assert "waiting for: " in str(waiting)
    assert "due 20" in str(waiting)


def test_cards_are_found_by_name(sandbox: Sandbox) -> None:
    assert sandbox.cards["success"].number == "4242424242424242"
    assert sandbox.cards["mastercard_success"].brand == "Mastercard"
    assert sandbox.cards["amex_success"].as_data()["card_cvc"] == "1234"
    assert len(list(sandbox.cards)) == len(sandbox.cards) > 50
    with pytest.raises(KeyError, match="did you mean insufficient_funds"):
        sandbox.cards["insuficient_funds"]


# scenarios


def test_leaving_a_scenario_checks_what_it_expects(sandbox: Sandbox) -> None:
    def double_charge() -> None:
        with sandbox.scenario("lost_response") as on:
            with pytest.raises(ConnectionError):
                sandbox.client.pay()
            sandbox.client.pay()
            assert on.counters

    with pytest.raises(ExpectationFailed) as failed:
        double_charge()
    assert str(failed.value).startswith("scenario lost_response: 1 of 2 assertions failed:\n  payments (")
    assert "lost_response.yaml:" in str(failed.value)
    assert sandbox.control.get("/scenarios")["active"] == []


def test_a_scenario_that_holds_says_nothing(sandbox: Sandbox) -> None:
    with sandbox.scenario("lost_response"):
        with pytest.raises(ConnectionError):
            sandbox.client.pay(idempotency_key="k")
        sandbox.client.pay(idempotency_key="k")


def test_the_tests_own_error_goes_before_an_expectation(sandbox: Sandbox) -> None:
    with pytest.raises(KeyError, match="mine"), sandbox.scenario("lost_response"):
        raise KeyError("mine")


def test_a_workspace_checks_what_is_still_on_when_it_ends(inside: SandboxServer) -> None:
    with pytest.raises(ExpectationFailed, match="0 since activation"), Sandbox(server=inside, scenario="lost_response"):
        pass


RULES = [{"on": "charge", "then": {"decline": "lost_card"}}]
TEXT = "version: 1\nname: from_text\nrules:\n  - on: charge\n    then: {decline: lost_card}\n"


@pytest.mark.parametrize("form", ["name", "mapping", "text", "path", "path as text", "json"])
def test_a_scenario_is_given_in_any_form(sandbox: Sandbox, tmp_path: Path, form: str) -> None:
    path = tmp_path / "from_file.yaml"
    path.write_text(TEXT.replace("name: from_text\n", ""), "utf-8")
    as_json = tmp_path / "from_json.json"
    as_json.write_text('{"version": 1, "rules": [{"on": "charge", "then": {"decline": "lost_card"}}]}', "utf-8")
    sandbox.scenarios.put(collected({"named": {"rules": RULES}})[0])
    given: Any = {
        "name": "named",
        "mapping": {"rules": RULES},
        "text": TEXT,
        "path": path,
        "path as text": str(path),
        "json": as_json,
    }[form]
    with sandbox.scenario(given):
        assert sandbox.client.pay()["status"] == "failed"
    assert sandbox.client.pay()["status"] == "succeeded"


def test_a_broken_scenario_names_every_mistake(sandbox: Sandbox) -> None:
    with pytest.raises(ControlRefused) as refused:
        sandbox.scenario({"name": "broken", "rules": [{"on": "chrge", "then": {"decline": "nobody"}}]})
    assert len(refused.value.fields) == 2
    assert "did you mean" in str(refused.value)


def test_a_suites_scenarios_are_collected(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text(TEXT, "utf-8")
    (tmp_path / "two.yml").write_text("version: 1\nrules: []\n", "utf-8")
    (tmp_path / "notes.md").write_text("no scenario", "utf-8")
    assert [one.name for one in collected(tmp_path)] == ["from_text", "two"]
    assert [one.name for one in collected([tmp_path / "two.yml", TEXT])] == ["two", "from_text"]
    assert [one.name for one in collected({"mine": {"rules": []}})] == ["mine"]
    assert collected(None) == []


# settings, control token, errors


def test_settings_are_given_by_name() -> None:
    with SandboxServer({"unknown_cards": "decline", "rate_limit": 0, "keys": ["snd_only_this_one"]}) as server:
        sandbox = Sandbox(server=server, api_key="snd_only_this_one")
        number = {"card": {**sandbox.cards["success"].as_data(), "card_number": "4000007000000007"}}
        assert sandbox.client.pay(payment_method_data=number)["status"] == "failed"
        assert Sandbox(server=server, api_key="snd_another_one").client.pay().status == 401


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"rate_limt": 1}, r"there is no setting rate_limt \(did you mean rate_limit\?\)"),
        ({"workspaces": "x"}, "workspaces"),
    ],
)
def test_a_wrong_setting_stops_the_start(config: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingsRefused, match=said):
        SandboxServer(config)


def test_a_control_token_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    with SandboxServer({"control_token": "open"}) as server:
        with Sandbox(server=server) as sandbox:
            assert sandbox.clock.now.tzinfo
        with pytest.raises(ControlRefused, match="control_token"), Sandbox(server.url):
            pass
        monkeypatch.setenv("PAYMENT_SANDBOX_CONTROL_TOKEN", "open")
        with Sandbox(server.url) as sandbox:
            assert sandbox.clock.now.tzinfo


@pytest.mark.parametrize("url", ["127.0.0.1:many", "ftp://x", "http://"])
def test_an_address_that_is_none_is_said(url: str) -> None:
    with pytest.raises(ValueError, match="must be an http or https URL"):
        RunningServer(url)


# unittest, asyncio


class InUnittest(unittest.TestCase):
    """How unittest uses it."""

    def setUp(self) -> None:
        self.sandbox = self.enterContext(Sandbox())

    def test_pay(self) -> None:
        assert self.sandbox.client.pay()["status"] == "succeeded"


def test_everything_can_be_awaited(sandbox: Sandbox) -> None:
    async def story() -> None:
        paid = await sandbox.aio.client.pay()
        told = await sandbox.aio.webhooks.wait_for("payment_succeeded", payment_id=paid["payment_id"])
        assert told.type == "payment_succeeded"
        await sandbox.aio.journal.assert_called("payments.create", times=1)
        assert (await sandbox.aio.clock.advance(hours=1)).now <= await sandbox.aio.clock.now
        assert sandbox.aio.url == sandbox.url
        async with sandbox.aio.scenario({"rules": RULES}):
            assert (await sandbox.aio.client.pay())["status"] == "failed"

    asyncio.run(story())


def test_waiting_leaves_the_event_loop_free(sandbox: Sandbox) -> None:
    async def story() -> None:
        waiting = asyncio.ensure_future(asyncio.gather(sandbox.aio.webhooks.wait_for("payment_succeeded")))
        await sandbox.aio.client.pay()
        ((told,),) = (await waiting,)
        assert told.type == "payment_succeeded"

    asyncio.run(story())


def test_scenarios_go_with_the_workspace_that_a_reset_replaces(sandbox: Sandbox) -> None:
    sandbox.scenario("lost_response")
    sandbox.scenario({"rules": []})
    baseline = sandbox.snapshot()
    sandbox.reset()
    assert sandbox.scenarios.on() == []
    with pytest.raises(ExpectationFailed, match="lost_response: reset or restore ended it with its assertions"):
        sandbox.check()
    sandbox.restore(baseline)
    assert sorted(sandbox.scenarios.on()) == ["inline", "lost_response"]
    with pytest.raises(ExpectationFailed, match="of 2 assertions failed"):
        sandbox.check()


ASSERTING: Final = {"expect": [{"calls": "payments.create", "exactly": 1}]}


@pytest.mark.parametrize("given", ["lost_response", ASSERTING, {"rules": []}], ids=["by name", "inline", "silent"])
@pytest.mark.parametrize("replaced", ["reset", "restore"])
@pytest.mark.parametrize("within", [True, False], ids=["in its block", "until the end"])
def test_no_assertion_is_lost_with_a_workspace(
    inside: SandboxServer, within: bool, replaced: str, given: str | dict[str, Any]
) -> None:
    asserts = given == "lost_response" or "expect" in given

    def replace(sandbox: Sandbox) -> None:
        sandbox.reset() if replaced == "reset" else sandbox.restore(baseline)

    with (
        pytest.raises(ExpectationFailed, match="ended it") if asserts else nullcontext(),
        Sandbox(server=inside) as one,
    ):
        baseline = one.snapshot()
        if within:
            with one.scenario(given):
                replace(one)
        else:
            one.scenario(given)
            replace(one)
    with Sandbox(server=inside) as one:  # who has no more need of it says so
        baseline = one.snapshot()
        scenario = one.scenario(given)
        replace(one)
        scenario.stop()


async def forgets(sandbox: Sandbox) -> None:
    sandbox.aio.journal.assert_called("refunds.create", times=7)
    sandbox.aio.webhooks.none("payment_succeeded")
    _ = sandbox.aio.clock.now
    await sandbox.aio.check()
    async with sandbox.aio.scenario({"rules": []}):
        pass


def test_what_is_never_awaited_warns(sandbox: Sandbox) -> None:
    with pytest.warns(RuntimeWarning, match="was never awaited: nothing was done") as said:
        asyncio.run(forgets(sandbox))
    names = [str(one.message).partition(" ")[0] for one in said]
    assert names == ["Journal.assert_called", "Webhooks.none", "WorkspaceClock.now"]


def test_leaving_a_scenario_waits_for_what_is_on_its_way(sandbox: Sandbox) -> None:
    expect = {"webhooks": {"type": "payment_succeeded", "delivered": True}, "exactly": 1}
    sandbox.webhooks.connect(receiver)
    for _ in range(5):
        with sandbox.scenario({"rules": [], "expect": [expect]}):
            sandbox.client.pay()


def test_what_is_due_later_is_not_waited_for(sandbox: Sandbox) -> None:
    sandbox.clock.freeze()
    sandbox.webhooks.connect(receiver)
    later = {"on": "webhook.payment_succeeded", "then": {"deliver": {"delay": "1h"}}}
    with sandbox.scenario({"rules": [later], "expect": [{"webhooks": {"delivered": True}, "exactly": 0}]}):
        sandbox.client.pay()
        sandbox.webhooks.settle(timeout=3600)


def receiver(environ: dict[str, object], start_response: Callable[..., object]) -> list[bytes]:
    start_response("200 OK", [])
    return [b""]
