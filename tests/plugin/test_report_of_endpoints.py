"""A report counts the events that had no endpoint, whenever one came or went, and has a ticket if one can repeat it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, Final

import pytest

from mock_server.testing import Sandbox, SandboxServer

Acts = tuple[str, ...]
SEQUENCES: Final[list[Acts]] = list(product(("pay", "connect", "disconnect"), repeat=3))
"""Every order of payments, of which each raises one event, and of an app that comes and goes."""


def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    environ["wsgi.input"].read()
    start_response("200 OK", [])
    return [b""]


def unheard(acts: Acts) -> tuple[int, int]:
    """How many events come while no app is connected, and how many come."""
    is_connected, missed, came = False, 0, 0
    for act in acts:
        is_connected = act == "connect" if act != "pay" else is_connected
        missed += act == "pay" and not is_connected
        came += act == "pay"
    return missed, came


@pytest.mark.parametrize("acts", SEQUENCES, ids="-".join)
def test_the_report_counts_events_without_an_endpoint(acts: Acts, inside: SandboxServer) -> None:
    with Sandbox(server=inside) as sandbox:
        does: dict[str, Callable[[], object]] = {
            "pay": sandbox.client.pay,
            "connect": lambda: sandbox.webhooks.connect(app),
            "disconnect": lambda: sandbox.webhooks.send_to(None),
        }
        for act in acts:
            does[act]()
            sandbox.webhooks.settle()  # so that no event is on its way when the app goes
        said = [line for line in sandbox.report().splitlines() if "no endpoint" in line]
    missed, came = unheard(acts)
    assert [line.rpartition("): ")[2] for line in said] == ([f"{missed} of {came}"] if missed else [])


@pytest.mark.parametrize("seed", [None, "42"])
@pytest.mark.parametrize("name", [None, "order-1"])
def test_only_what_can_be_repeated_has_a_ticket(seed: str | None, name: str | None, inside: SandboxServer) -> None:
    with Sandbox(server=inside, seed=seed, name=name) as sandbox:
        said = [line for line in sandbox.report().splitlines() if line.startswith("ticket")]
    assert said == (["ticket: seed=42 name=order-1"] if seed and name else [])
