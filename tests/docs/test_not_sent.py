"""Where the guide to webhooks says that one reads why an event was not sent, one does, whatever the reason was."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from click.testing import CliRunner

from mock_server.cli import main
from mock_server.domain.events import WHY, SkipReason
from mock_server.testing import Sandbox, SandboxServer
from tests.architecture.sources import ROOT

GUIDE: Final = " ".join((ROOT / "docs/how-to/receive-webhooks.md").read_text("utf-8").split())
SENTENCE: Final = re.search(r"Why an event was not sent is printed by (.*?), and is `(\w+)` in the inbox", GUIDE)
COMMANDS: Final = re.findall(r"`(?:payment-sandbox )?([a-z]+)[^`]*`", SENTENCE[1]) if SENTENCE else []
ARGUMENTS: Final = {"events": (), "timeline": ("last",), "tail": ("--no-follow",)}


def rule(then: dict[str, Any]) -> dict[str, Any]:
    return {"name": "kept", "rules": [{"on": "webhook.payment_succeeded", "then": then}]}


def filtered(sandbox: Sandbox) -> None:
    merchant = sandbox.client.post("/payments", sandbox.client.payment() | {"confirm": False})["merchant_id"]
    only = {"webhook_url": "http://127.0.0.1:9/", "payment_statuses_enabled": ["failed"]}
    profile = sandbox.client.payment()["profile_id"]
    answer = sandbox.client.post(f"/account/{merchant}/business_profile/{profile}", {"webhook_details": only})
    assert answer.status == 200, answer.text
    sandbox.client.pay()


def after_rule(**then: Any) -> Callable[[Sandbox], None]:
    def act(sandbox: Sandbox) -> None:
        sandbox.webhooks.send_to("http://127.0.0.1:9/")
        sandbox.scenarios.turn_on(rule(then))
        sandbox.client.pay()

    return act


CAUSED: Final[dict[SkipReason, Callable[[Sandbox], object]]] = {
    SkipReason.UNHEARD: lambda sandbox: sandbox.client.pay(),
    SkipReason.FILTERED: filtered,
    SkipReason.DROPPED: after_rule(drop=True),
    SkipReason.FOLLOWS: after_rule(deliver={"following": "payment_failed"}),
    SkipReason.REDIRECT: after_rule(deliver="during_redirect"),
}


@pytest.fixture(scope="module")
def server() -> Iterator[SandboxServer]:
    with SandboxServer() as one:
        yield one


@pytest.fixture(scope="module", params=CAUSED)
def caused(request: pytest.FixtureRequest, server: SandboxServer) -> Iterator[tuple[Sandbox, SkipReason]]:
    with Sandbox(server=server) as sandbox:
        CAUSED[request.param](sandbox)
        yield sandbox, request.param


def test_every_reason_is_caused_and_the_guide_names_places() -> None:
    assert CAUSED.keys() == WHY.keys() - {SkipReason.GIVEN_UP}, "that was sent, and shows its attempts"
    assert set(COMMANDS) == ARGUMENTS.keys()


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_guide_prints_the_reason(command: str, caused: tuple[Sandbox, SkipReason]) -> None:
    sandbox, reason = caused
    given = [command, *ARGUMENTS[command], "--url", sandbox.url, "--key", sandbox.api_key]
    done = CliRunner().invoke(main, given, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert WHY[reason] in " ".join(done.output.split())


def test_the_inbox_has_it_under_the_guides_name(caused: tuple[Sandbox, SkipReason]) -> None:
    sandbox, reason = caused
    assert SENTENCE is not None
    assert WHY[reason] in [one.raw[SENTENCE[2]] for one in sandbox.webhooks.all()]
