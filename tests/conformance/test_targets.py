"""Targets that lack something, or were set up otherwise."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from mock_server.cli.conformance import listening
from mock_server.conformance.checks import CHECKS
from mock_server.conformance.client import CheckOutcome, CheckResult, MerchantClient, Suite, spoken
from mock_server.conformance.target import (
    LACKING,
    NONE,
    Ability,
    ConformanceTarget,
    Means,
    abilities,
    problems,
)
from mock_server.testing.servers import SandboxServer
from tests.conformance.mutants.calls import CONTROL, instead, refusal
from tests.conformance.mutants.mutant import Mutant
from tests.conformance.mutants.server import SOUND, MutantServer

CLOSED = instead(lambda ask: ask.path.startswith(CONTROL), lambda ask, proceed: refusal(404, "IR_02"))
NO_CONTROL = Mutant("no_control", "There is no control API.", (), CLOSED)
URL = "http://127.0.0.1:1"


def all_of(target: ConformanceTarget, means: Means) -> list[CheckResult]:
    suite = Suite(target, means)
    results = [suite.run(check) for check in spoken(CHECKS, target.dialect)]
    suite.close()
    return results


def failed(results: list[CheckResult]) -> list[str]:
    return [f"{result.check.name}: {result.broken}" for result in results if result.outcome is CheckOutcome.FAILED]


def test_without_control_api_and_with_one_key_the_rest_is_asked(server: MutantServer) -> None:
    server.mutant = NO_CONTROL
    results = all_of(replace(server.target, key="snd_the_only_one_0123"), server.means)
    server.mutant = SOUND
    assert failed(results) == []
    assert {result.reason for result in results} - {""} == set(LACKING.values()) - {LACKING[Ability.LISTENER]}
    assert Counter(result.outcome for result in results)[CheckOutcome.PASSED] > 130


def test_a_guarded_sandbox_that_hides_what_it_is(server: MutantServer) -> None:
    means = Means(server.means.clock, server.means.names, listening)
    with SandboxServer({"plain_headers": True, "control_token": "between us", "seed": "7"}) as hidden:
        results = all_of(ConformanceTarget(url=hidden.url, token="between us"), means)
    assert failed(results) == []
    assert {result.outcome for result in results} == {CheckOutcome.PASSED}


@pytest.mark.parametrize(
    ("target", "host"),
    [
        (ConformanceTarget(url=URL), "127.0.0.1"),
        (ConformanceTarget(url="http://localhost:1"), "127.0.0.1"),
        (ConformanceTarget(url="http://[::1]:1"), "127.0.0.1"),
        (ConformanceTarget(url="https://sandbox.example"), None),
        (ConformanceTarget(url="https://sandbox.example", listener="203.0.113.7"), "203.0.113.7"),
        (ConformanceTarget(url=URL, listener=NONE), None),
    ],
)
def test_where_webhooks_are_sent(target: ConformanceTarget, host: str | None) -> None:
    assert target.listens_at == host
    assert (Ability.LISTENER in abilities(target, True)) is (host is not None)


@pytest.mark.parametrize(
    ("target", "lacking"),
    [
        (ConformanceTarget(url=URL), set()),
        (ConformanceTarget(url=URL, key="snd_a"), {Ability.OWN_WORKSPACES, Ability.OTHER_KEY, Ability.ADMIN_KEY}),
        (ConformanceTarget(url=URL, key="snd_a", other_key="snd_b"), {Ability.OWN_WORKSPACES, Ability.ADMIN_KEY}),
        (ConformanceTarget(url=URL, key="snd_a", other_key="snd_b", admin_key="c"), {Ability.OWN_WORKSPACES}),
    ],
)
def test_what_keys_are_good_for(target: ConformanceTarget, lacking: set[Ability]) -> None:
    assert set(Ability) - abilities(target, True) == lacking
    more = {Ability.CONTROL} | ({Ability.PUBLISHABLE_KEY} if target.key else {Ability.ADMIN_KEY})
    assert set(Ability) - abilities(target, False) == lacking | more


@pytest.mark.parametrize("url", ["", "localhost:1", "ftp://localhost", "http://", "http://localhost:x"])
def test_an_address_that_is_none(url: str) -> None:
    assert problems(ConformanceTarget(url=url)) == [f"{url} is not an http or https URL"]


@pytest.mark.parametrize("base", ["", "/", "/api", "/api/"])
def test_addresses_become_paths_of_the_target(base: str, server: MutantServer) -> None:
    client = MerchantClient(ConformanceTarget(url=f"https://host{base}"), server.means, None)
    assert client.path_of(f"https://other{base.rstrip('/')}/payments/redirect/a?b=c") == "/payments/redirect/a?b=c"
