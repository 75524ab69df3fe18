"""A workspace is in the file from its first object on: reading with a new key writes nothing."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from mock_server.app import create_app
from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.operations import OPERATIONS
from mock_server.sandbox import Sandbox, build
from mock_server.settings import Settings
from tests.clocks import ManualClock
from tests.counts import times
from tests.http.from_pages import path_of
from tests.lasting.shop import call, order
from tests.running import RunningSandbox
from tests.wire import Wire, card_payment

MAKES_A_PROFILE: Final = "payment_methods.list"
"""Without a payment, it lists the methods of the default profile, which it creates: the workspace's first object."""
READS: Final = [
    row for row in (*OPERATIONS, *CONTROL_OPERATIONS) if row.method == "GET" and row.name != MAKES_A_PROFILE
]
ROUNDS: Final = times(1, soak=20)
"""How often each is called, every time with another key."""
KEPT: Final = 3
FIRST: Final = {
    "payment": ("POST", "/payments", card_payment("success")),
    "customer": ("POST", "/customers", {"customer_id": "cus_1"}),
    "clock": ("POST", "/_sandbox/clock/freeze", {}),
    "reset": ("POST", "/_sandbox/reset", {"seed": "another"}),
    "default profile": ("GET", "/payment_methods", None),
    "refused call": ("POST", "/payments", {}),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.sqlite"


def server(path: Path, dialect: str = "interface") -> Sandbox:
    settings = Settings(seed="tests", rate_limit=0, data=str(path), workspaces=KEPT, dialect=dialect)
    return build(settings, clock=ManualClock())


def written(sandbox: Sandbox, path: Path) -> tuple[list[str], int]:
    """The workspaces in the file, and the number of their and of the server's rows; the server ends."""
    assert sandbox.lasting is not None
    sandbox.lasting.end()
    with closing(sqlite3.connect(path)) as database:
        names = [name for (name,) in database.execute("SELECT name FROM workspaces WHERE name <> ''")]
        return names, database.execute("SELECT count(*) FROM rows").fetchone()[0]


def commits(sandbox: Sandbox) -> int:
    """The number of commits to the file so far, with one of what is unsaved."""
    assert sandbox.lasting is not None
    sandbox.lasting.saver.save()
    return sum(sandbox.lasting.saver.took)


@pytest.mark.parametrize("dialect", ["interface", "hyperswitch"])
def test_reading_with_a_new_key_writes_nothing(path: Path, dialect: str) -> None:
    before = written(server(path, dialect), path)
    sandbox = server(path, dialect)
    app, wrote = create_app(sandbox), []
    start = commits(sandbox)
    for number, row in enumerate(READS * ROUNDS):
        headers = {"api-key": f"snd_reads_{number:012}"}
        with app.test_client() as client:
            assert client.get(path_of(row), headers=headers).status_code < 500
        if (now := commits(sandbox)) != start:
            wrote.append(row.name)
            start = now
    assert not wrote, f"{len(wrote)} of {len(READS) * ROUNDS}: {wrote[:20]}"
    assert len(sandbox.workspaces()) == KEPT, "each key begins a workspace, and those without an object make room"
    assert written(sandbox, path) == before


@pytest.mark.parametrize("first", FIRST.values(), ids=FIRST)
def test_the_first_object_writes_all_of_it(path: Path, first: tuple[str, str, object]) -> None:
    sandbox = server(path)
    api = Wire(create_app(sandbox), sandbox, "snd_first_0123456789")
    api.get("/payments/list")
    (workspace,) = sandbox.workspaces()
    merchant_id = workspace.merchant_id
    assert sandbox.merchants.workspace_of(merchant_id) is workspace
    method, target, body = first
    api.call(method, target, body)
    (identity,) = [one.identity for one in sandbox.workspaces()]
    assert written(sandbox, path)[0] == [workspace.space.name]
    again = server(path)
    found = again.merchants.workspace_of(merchant_id)
    assert found is not None
    assert found.identity == identity
    written(again, path)


def test_a_workspace_without_an_object_makes_room_and_begins_again(path: Path) -> None:
    sandbox = server(path)
    app = create_app(sandbox)
    first = Wire(app, sandbox, "snd_room_0123456789")
    first.get("/payments/list")
    merchant_id = sandbox.workspaces()[0].merchant_id
    for number in range(KEPT):
        Wire(app, sandbox, f"snd_other_{number:012}").get("/payments/list")
    assert sandbox.merchants.workspace_of(merchant_id) is None
    payment = first.post("/payments", card_payment("success"))
    found = sandbox.merchants.workspace_of(merchant_id)
    assert found is not None
    assert found.find_payment(payment["payment_id"]) is not None
    written(sandbox, path)


def test_the_first_object_outlives_a_kill(path: Path) -> None:
    flags = ("--data", str(path), "--log-level", "error")
    with RunningSandbox(*flags) as sandbox:
        port = sandbox.ready["port"]
        assert call(port, "GET", "/payments/list")[0] == 200
        status, made = call(port, "POST", "/payments", order(1, confirm=False, payment_method_data=None))
        assert status == 200
        sandbox.process.kill()
        sandbox.process.wait()
    with RunningSandbox(*flags) as sandbox:
        status, found = call(sandbox.ready["port"], "GET", f"/payments/{made['payment_id']}")
    assert status == 200
    assert all(found[name] == made[name] for name in ("payment_id", "merchant_id", "client_secret", "created"))
