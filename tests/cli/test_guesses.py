"""What was meant by a name that is none, wherever one is said."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from mock_server.cli import main
from mock_server.testing import Sandbox
from mock_server.testing.control import ControlRefused
from tests.running import RunningSandbox, call
from tests.wire import card_payment, wire


@pytest.mark.parametrize(
    ("words", "meant"), [(["scenaros"], "scenarios"), (["scenarios", "chek"], "check"), (["lisen"], "listen")]
)
def test_a_command(words: list[str], meant: str) -> None:
    result = CliRunner().invoke(main, words, prog_name="payment-sandbox")
    assert result.exit_code == 2
    assert f"No such command '{words[-1]}' (did you mean {meant}?)" in result.output
    assert "did you mean" not in CliRunner().invoke(main, ["xyzzy"]).output


def test_a_scenario_of_the_control_api() -> None:
    api = wire()
    put = {"Content-Type": "application/yaml"}
    api.call("PUT", "/_sandbox/scenarios/my_outage", raw=b"version: 1", headers=put)
    for name, meant in (("lost_respons", "lost_response"), ("my_outrage", "my_outage")):
        refused = api.post(f"/_sandbox/scenarios/{name}/activate")
        assert (refused.status, refused.error["code"]) == (404, "HE_02")
        assert f"(did you mean {meant}?)" in refused.error["fields"][0]["message"]


def test_a_scenario_of_a_header() -> None:
    refused = wire().post("/payments", card_payment(), X_Sandbox_Scenario="lost_respons")
    assert refused.status == 400
    assert "lost_respons (did you mean lost_response?)" in refused.raw.decode()


def test_a_scenario_of_the_fixture() -> None:
    with Sandbox() as sandbox, pytest.raises(ControlRefused, match=r"did you mean lost_response\?"):
        sandbox.scenario("lost_respons")


def test_last_where_there_is_no_payment_says_what_to_do() -> None:
    with RunningSandbox() as server:
        for command in ("why", "timeline"):
            done = call(command, "last", "--url", server.base, "--key", "snd_guesses_0123456789")
            assert done.returncode == 1
            assert "this workspace has no payment yet: create one" in done.stderr
