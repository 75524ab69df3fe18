"""Same seed, same name, same calls: the same bytes; and nothing shared between workspaces (decisions "Determinism")."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from mock_server.domain.statuses import PaymentStatus
from mock_server.store.memory import Store
from tests.api.places import PLACES
from tests.store.retrying import RetryingStore
from tests.wire import Reply, Wire, wire

VOLATILE = {"Date", "X-Request-Id", "X-RateLimit-Remaining", "X-RateLimit-Reset"}

SCRIPT = """
import sys
from tests.api.test_determinism import run
sys.stdout.buffer.write(run(sys.argv[1]))
"""


def calls(api: Wire) -> list[Reply]:
    """A bit of everything that draws a random value."""
    manual = api.pay(capture_method="manual", customer_id="cus_jane")
    return [
        manual,
        api.post(f"/payments/{manual['payment_id']}/capture", {"amount_to_capture": 100}),
        api.pay("visa_insufficient_funds", metadata={"10": 1, "2": 2.5, "a": 1e20}),
        api.pay("visa_3ds_required"),
        api.pay("visa_review"),
        api.post("/payments", {"amount": 5, "currency": "BRL", "profile_id": "p", "confirm": True, **_pix()}),
        api.get("/payments/list?limit=50"),
        api.post("/payments", {"amount": "wrong"}),
    ]


def _pix() -> dict[str, object]:
    data: dict[str, object] = {"bank_transfer": {"pix": {}}}
    return {"payment_method": "bank_transfer", "payment_method_type": "pix", "payment_method_data": data}


def seen(reply: Reply) -> bytes:
    """What has to be equal of an answer."""
    headers = sorted((name, value) for name, value in reply.headers.items() if name not in VOLATILE)
    return f"{reply.status} {headers}\n".encode() + reply.raw + b"\n"


def run(seed: str, store: Store | None = None) -> bytes:
    """The bytes of a run under a seed, from a server of its own."""
    return b"".join(seen(reply) for reply in calls(wire(seed=seed, store=store)))


def in_a_process(seed: str) -> bytes:
    """The same run in a process of its own."""
    return subprocess.run([sys.executable, "-c", SCRIPT, seed], capture_output=True, check=True).stdout


def test_two_processes_give_the_same_bytes() -> None:
    assert in_a_process("seven") == in_a_process("seven") == run("seven")


def test_another_seed_gives_other_bytes() -> None:
    assert run("seven") != run("eight")


def test_without_a_seed_every_run_differs_but_the_merchant_stays() -> None:
    first, second = wire(seed=None).pay(), wire(seed=None).pay()
    assert first["payment_id"] != second["payment_id"]
    assert first["merchant_id"] == second["merchant_id"]


def test_workspaces_under_one_seed_share_no_id() -> None:
    one = wire(seed="s")
    other = one.as_key("snd_somebody_else")
    mine, yours = ([word for reply in calls(api) for word in ids_in(reply)] for api in (one, other))
    assert mine
    assert not set(mine) & set(yours)


def ids_in(reply: Reply) -> list[str]:
    """Every id and secret of an answer that the sandbox made."""
    return re.findall(r"[a-z]+_(?=[A-Za-z]*[A-Z0-9])[A-Za-z0-9]{20}", reply.raw.decode())


def test_the_order_of_other_workspaces_calls_changes_nothing() -> None:
    alone = wire(seed="s")
    expected = [seen(reply) for reply in calls(alone)]
    shared = wire(seed="s")
    calls(shared.as_key("snd_somebody_else"))
    assert [seen(reply) for reply in calls(shared)] == expected


def test_a_store_that_runs_every_transaction_twice_changes_nothing() -> None:
    assert run("seven", RetryingStore(Store())) == run("seven")


@pytest.mark.parametrize("status", list(PaymentStatus))
def test_every_status_is_reached_over_such_a_store(status: PaymentStatus) -> None:
    api = wire(store=RetryingStore(Store()))
    payment = PLACES[status](api)
    assert api.get(f"/payments/{payment}")["status"] == status
