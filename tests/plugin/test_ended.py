"""A workspace ends with its block, however it was used: it is no more on the server, and makes none of the others go.

A server keeps so many workspaces: those of tests that have ended would take the place of one that is idle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from mock_server.testing import ControlRefused, RunningServer, Sandbox, SandboxServer

KEPT: Final = 3
"""Workspaces that the server keeps."""
LATER: Final = {"version": 1, "rules": [{"on": "charge", "then": {"settles": {"after": "1h", "as": "succeeded"}}}]}


def hook(environ: Any, answers: Any) -> list[bytes]:
    answers("200 OK", [])
    return [b""]


def pays(sandbox: Sandbox) -> None:
    sandbox.client.pay()


def restores(sandbox: Sandbox) -> None:
    before = sandbox.snapshot()
    pays(sandbox)
    sandbox.restore(before)


def resets(sandbox: Sandbox) -> None:
    pays(sandbox)
    sandbox.reset()
    pays(sandbox)


def connects(sandbox: Sandbox) -> None:
    sandbox.webhooks.connect(hook)
    pays(sandbox)


def leaves_much_for_later(sandbox: Sandbox) -> None:
    sandbox.scenario(LATER)
    sandbox.clock.freeze()
    pays(sandbox)


def begins_another(sandbox: Sandbox) -> None:
    with Sandbox(server=sandbox._server) as inner:
        pays(inner)
    pays(sandbox)


USES: Final[tuple[Callable[[Sandbox], None], ...]] = (
    lambda sandbox: None, pays, restores, resets, connects, leaves_much_for_later, begins_another,
)  # fmt: skip
WAYS: Final[dict[str, dict[str, Any]]] = {
    "plain": {},
    "named": {"name": "mine", "seed": "1", "label": "a test"},
    "with a clock": {"clock": "2026-03-29T00:30:00Z"},
    "with a scenario": {"scenario": LATER},
}


def names(sandbox: Sandbox) -> list[Any]:
    return [(one["name"], one["label"]) for one in sandbox.control.get("/workspaces")["data"]]


@pytest.fixture(scope="module")
def small() -> Iterator[SandboxServer]:
    with SandboxServer({"workspaces": KEPT}) as server:
        yield server


@pytest.fixture(params=["inside", "elsewhere"])
def server(request: pytest.FixtureRequest, small: SandboxServer) -> Iterator[Any]:
    far = RunningServer(small.url)
    yield small if request.param == "inside" else far
    far.stop()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("use", USES, ids=lambda use: use.__name__)
def test_nothing_is_left_on_the_server(server: Any, use: Callable[[Sandbox], None], way: str) -> None:
    with Sandbox(server=server) as looks:
        before = names(looks)
        with Sandbox(server=server, **WAYS[way]) as sandbox:
            use(sandbox)
        assert names(looks) == before


def test_one_that_could_not_begin_leaves_nothing_either(server: Any) -> None:
    with Sandbox(server=server) as looks:
        before = names(looks)
        with pytest.raises(ControlRefused):
            Sandbox(server=server, scenario={"version": 1, "rules": [{"on": "charge"}]})
        assert names(looks) == before


def test_an_idle_one_outlives_any_number_of_others(server: Any) -> None:
    with Sandbox(server=server) as idle:
        paid = idle.client.pay()
        for _ in range(2 * KEPT):
            with Sandbox(server=server) as other:
                other.client.pay()
        assert idle.client.get(f"/payments/{paid['payment_id']}").status == 200


def test_a_key_of_somebodys_own_keeps_its_workspace(server: Any) -> None:
    for _ in range(2):
        with Sandbox(server=server, api_key="snd_somebodys_own_key") as own:
            paid = own.client.pay()
    with Sandbox(server=server, api_key="snd_somebodys_own_key") as own:
        assert own.client.get(f"/payments/{paid['payment_id']}").status == 200
        own.control.delete("/workspace")


def test_its_key_begins_a_new_one(server: Any) -> None:
    with Sandbox(server=server) as ended:
        paid = ended.client.pay()
    assert ended.client.get(f"/payments/{paid['payment_id']}").status == 404
    assert ended.control.delete("/workspace") == {"ended": True}
    assert ended.control.delete("/workspace") == {"ended": False}


def test_one_that_rests_in_a_file_leaves_nothing_either(tmp_path: Path) -> None:
    config, key = {"data": str(tmp_path / "kept.db")}, "snd_somebodys_own_key"
    with SandboxServer(config) as server, Sandbox(server=server, api_key=key) as own:
        own.client.pay()
    with SandboxServer(config) as server:
        assert [*server._sandbox.store.names()]
        server.end(key)
        assert [*server._sandbox.store.names()] == []
        assert server._sandbox.server.transact(lambda tx: dict(tx.facts("merchant:"))) == {}
