"""No workspace goes on sending events to an app that was disconnected, however it was connected and left."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count, product
from typing import Any, Final

import pytest

from mock_server.testing import Sandbox, SandboxServer, SandboxUnreachable

ELSEWHERE: Final = "http://127.0.0.1:9/elsewhere"
NUMBERS: Final = count()
Act = Callable[[Sandbox], object]


def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    start_response("200 OK", [])
    return [b""]


ACTS: Final[dict[str, Act]] = {
    "app": lambda sandbox: sandbox.webhooks.connect(app),
    "app by url": lambda sandbox: sandbox.webhooks.connect(app, url=f"http://shop-{next(NUMBERS)}.test/hooks"),
    "address": lambda sandbox: sandbox.webhooks.send_to(ELSEWHERE),
    "no address": lambda sandbox: sandbox.webhooks.send_to(None),
}
LEAVES: Final[dict[str, tuple[Act, ...]]] = {
    "disconnected": (lambda sandbox: sandbox.webhooks.disconnect(),),
    "closed": (Sandbox.close,),
    "disconnected and closed": (lambda sandbox: sandbox.webhooks.disconnect(), Sandbox.close),
}
RUNS: Final = [acts for length in (0, 1, 2) for acts in product(ACTS, repeat=length)]


@pytest.mark.parametrize("leaves", LEAVES)
def test_only_an_address_stays_the_target_of_a_key_of_ones_own(leaves: str, inside: SandboxServer) -> None:
    for acts in RUNS:
        key = f"snd_own_key_{next(NUMBERS):06}"
        sandbox = Sandbox(server=inside, api_key=key)
        for act in acts:
            ACTS[act](sandbox)
        for leave in LEAVES[leaves]:
            leave(sandbox)
        left = Sandbox(server=inside, api_key=key).control.get("/webhooks/target")["url"]
        assert left == (ELSEWHERE if acts[-1:] == ("address",) else None), acts


@pytest.mark.parametrize("is_own", [True, False])
def test_a_stopped_server_keeps_no_app_connected_and_no_workspace_of_a_test(is_own: bool) -> None:
    with SandboxServer() as server:
        made = [
            (acts, Sandbox(server=server, api_key=None if is_own else f"snd_own_key_{next(NUMBERS):06}"))
            for acts in RUNS
        ]
        for acts, sandbox in made:
            for act in acts:
                ACTS[act](sandbox)
    raised = []
    for acts, sandbox in made:
        try:
            sandbox.close()
        except SandboxUnreachable:
            raised.append(acts)
    assert raised == [acts for acts in RUNS if not is_own and acts[-1:] in (("app",), ("app by url",))]
    assert not server._sandbox.post.routing._inside
    assert len(server._sandbox.store.names()) == (0 if is_own else len([*filter(None, RUNS)]))


def test_an_app_can_be_connected_again(inside: SandboxServer) -> None:
    with Sandbox(server=inside) as sandbox:
        for _ in range(2):
            sandbox.webhooks.connect(app)
            sandbox.client.pay()
            assert sandbox.webhooks.wait_for("payment_succeeded").deliveries[-1]["status"] == 200
            sandbox.webhooks.disconnect()
            sandbox.journal.clear()
            sandbox.reset()
