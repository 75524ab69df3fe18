"""A scenario that is replaced by another of its name is checked before, in every form and by every way; and pages."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from mock_server.testing import Sandbox, SandboxServer, webhooks
from mock_server.testing.scenarios import ExpectationFailed
from tests.counts import times

ASSERTS: Final = {"version": 1, "name": "m", "expect": [{"calls": "payments.create", "exactly": 1}]}
OTHER: Final = {"version": 1, "name": "m", "rules": [{"on": "charge", "then": {"decline": "lost_card"}}]}
SAME: Final = ASSERTS


def unnamed(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name != "name"}


def in_file(values: dict[str, Any], folder: Path) -> Path:
    """A file of the same name in a folder of its own."""
    path = folder / str(len([*folder.iterdir()])) / "m.yaml"
    path.parent.mkdir()
    path.write_text(json.dumps(unnamed(values)))
    return path


FORMS: Final[dict[str, Callable[[dict[str, Any], Path], Any]]] = {
    "mapping": lambda values, folder: values,
    "text": lambda values, folder: json.dumps(values),
    "file": in_file,
    "file as text": lambda values, folder: str(in_file(values, folder)),
}
WAYS: Final[dict[str, Callable[[Sandbox, Any], object]]] = {
    "scenario": lambda it, given: it.scenario(given),
    "turn_on": lambda it, given: it.scenarios.turn_on(given),
    "put": lambda it, given: it.scenarios.put(given),
}


@pytest.mark.parametrize("by", [OTHER, SAME], ids=["another", "the same"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("second", FORMS)
@pytest.mark.parametrize("first", FORMS)
def test_assertions_are_checked_before_they_are_replaced(
    first: str, second: str, way: str, by: dict[str, Any], inside: SandboxServer, tmp_path: Path
) -> None:
    sandbox = Sandbox(server=inside)
    sandbox.scenario(FORMS[first](ASSERTS, tmp_path))
    with pytest.raises(ExpectationFailed, match="m: 1 of 1 assertions failed"):
        WAYS[way](sandbox, FORMS[second](by, tmp_path))
    assert sandbox.scenarios.results("m"), "the first is still there"
    sandbox.client.pay()
    WAYS[way](sandbox, FORMS[second](by, tmp_path))
    sandbox.scenarios.turn_off("m")
    WAYS[way](sandbox, FORMS[second](by, tmp_path))  # what is off has nothing to check
    sandbox.close()


@pytest.mark.parametrize("way", WAYS)
def test_one_that_asserts_nothing_is_replaced_at_once(way: str, inside: SandboxServer) -> None:
    with Sandbox(server=inside) as sandbox:
        sandbox.scenario(OTHER)
        WAYS[way](sandbox, {**OTHER, "summary": "again"})


def test_counters_are_those_since_it_was_turned_on(inside: SandboxServer) -> None:
    with Sandbox(server=inside) as sandbox:
        on = sandbox.scenario(OTHER)
        for version in (OTHER, {**OTHER, "summary": "again"}, OTHER, "m"):
            for count in (1, 2):
                sandbox.client.pay()
                assert [*on.counters.values()] == [count], on.counters
            on = sandbox.scenario(version)
            assert on.counters == {}


# pages


@pytest.mark.parametrize("page", [1, 2, 3, 7])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 6, 7])
def test_every_event_is_listed_and_sent_again(
    count: int, page: int, inside: SandboxServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhooks, "MOST", page)
    with Sandbox(server=inside) as sandbox:
        wanted = [sandbox.client.pay()["payment_id"] for _ in range(count)]
        sandbox.client.pay("lost_card")
        assert [one.payment_id for one in sandbox.webhooks.all("payment_succeeded")] == wanted
        assert [one.payment_id for one in sandbox.webhooks.all()][:-1] == wanted
        ids = [one.event_id for one in sandbox.webhooks.all("payment_succeeded")]
        assert sandbox.webhooks.resend_all("payment_succeeded") == ids
        assert [one.event_id for one in sandbox.webhooks.all(payment_id=wanted[-1])] == ids[-1:] if wanted else True


def test_more_are_sent_again_than_a_call_sends(inside: SandboxServer) -> None:
    received = []

    def app(environ: Any, start_response: Any) -> list[bytes]:
        received.append(environ["wsgi.input"].read())
        start_response("200 OK", [("Content-Length", "0")])
        return [b""]

    with Sandbox(server=inside) as sandbox:
        for _ in range(count := times(105, soak=1_005)):
            sandbox.client.pay()
        assert len(sandbox.webhooks.all()) == count
        sandbox.webhooks.connect(app)
        assert len(set(sandbox.webhooks.resend_all(delivered=None))) == count
        sandbox.clock.advance(seconds=1)
        assert len(received) == count
