"""Replicas over one database through their front doors: what is made at one is there at the others."""

from __future__ import annotations

import re
import signal
from base64 import b64decode
from collections.abc import Iterator
from typing import Any, Final

import pytest

from mock_server.app import create_app
from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.operation import WITH_BODY
from mock_server.contract.operations import OPERATIONS
from mock_server.domain.api_keys import KeyKind
from mock_server.domain.faults import PassOn
from mock_server.lasting.saving import Writer
from mock_server.sandbox import Sandbox, build
from mock_server.settings import Settings
from tests.clocks import ManualClock
from tests.lasting.clusters import Cluster
from tests.running import until
from tests.wire import Reply, Wire, card_payment

ADMIN: Final = "an admin's key"
SHOP: Final = "mer_shop"
KEY: Final = "snd_shared_0123456789"


class SharingSandboxes:
    """Some replicas over one database under one clock, with a client that goes where a call is passed on to."""

    def __init__(self, url: str, count: int, **settings: Any) -> None:
        self.clock = ManualClock()
        self.sandboxes: list[Sandbox] = []
        self.apps = {}
        for number in range(count):
            address = f"http://replica-{number}"
            own = Settings(data=url, advertise=address, seed="tests", rate_limit=0, **settings)
            self.sandboxes.append(build(own, clock=self.clock))
            self.apps[address] = create_app(self.sandboxes[-1])

    def at(self, number: int, key: str | None = KEY) -> PassedOn:
        """A client that calls one of them first."""
        address = f"http://replica-{number}"
        return PassedOn(self, address, Wire(self.apps[address], self.sandboxes[number], key))

    def end(self) -> None:
        for sandbox in self.sandboxes:
            assert sandbox.lasting is not None
            sandbox.lasting.end()


class PassedOn:
    """A client of one replica; `passed` counts its calls that another one answered."""

    def __init__(self, replicas: SharingSandboxes, address: str, wire: Wire) -> None:
        self.replicas = replicas
        self.address = address
        self.wire = wire
        self.passed = 0

    def call(self, method: str, path: str, body: object = None, **headers: str) -> Reply:
        """Makes a call, and makes it again once where it belongs, as the server does."""
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        wire = self.wire
        for _ in range(2):
            try:
                reply = wire.call(method, path, body, headers=fields)
            except PassOn as elsewhere:
                self.passed += 1
                other = list(self.replicas.apps).index(elsewhere.url)
                wire = self.replicas.at(other, self.wire.key).wire
                continue
            self.save(wire.sandbox)
            return reply
        raise AssertionError("a call was passed on twice")

    @staticmethod
    def save(sandbox: Sandbox) -> None:
        """Has what was changed saved, as the server does before it answers."""
        assert sandbox.lasting is not None
        assert sandbox.lasting.saver.wait()

    def get(self, path: str) -> Reply:
        return self.call("GET", path)

    def post(self, path: str, body: object = None, **headers: str) -> Reply:
        return self.call("POST", path, body, **headers)


@pytest.fixture
def replicas(cluster: Cluster) -> Iterator[SharingSandboxes]:
    made = SharingSandboxes(cluster.database(), 3)
    yield made
    made.end()


def set_up(client: PassedOn, merchant_id: str = SHOP) -> tuple[str, str, str]:
    """A merchant's id, publishable key and secret key."""
    account = client.post("/accounts", {"merchant_id": merchant_id})
    assert account.status == 200, account.raw
    key = client.post(f"/api_keys/{merchant_id}", {"name": "for tests", "expiration": "never"})
    assert key.status == 200, key.raw
    return merchant_id, account["publishable_key"], key["api_key"]


def test_a_key_issued_at_one_opens_at_another_and_is_refused_there_once_revoked(replicas: SharingSandboxes) -> None:
    _, publishable, secret = set_up(replicas.at(0, ADMIN))
    shop = replicas.at(1, secret)
    payment = shop.post("/payments", card_payment("success"))
    assert (payment.status, payment["merchant_id"]) == (200, SHOP)
    assert shop.passed, "who made the merchant owns its workspace"
    page = replicas.at(2, publishable)
    secret_of = payment["client_secret"]
    assert page.get(f"/payments/{payment['payment_id']}?client_secret={secret_of}").status == 200
    keys = replicas.at(2, ADMIN).get(f"/api_keys/{SHOP}/list")["data"]
    assert replicas.at(2, ADMIN).call("DELETE", f"/api_keys/{SHOP}/{keys[0]['key_id']}").status == 200
    assert replicas.at(2, secret).get("/payments/list").error["code"] == "IR_01"
    replicas.clock.advance(1_001)
    for number in range(3):
        assert replicas.at(number, secret).get("/payments/list").status == 401
    assert page.get(f"/payments/{payment['payment_id']}?client_secret={secret_of}").status == 200


def test_a_new_payments_answer_tells_of_the_accounts_publishable_key(cluster: Cluster) -> None:
    made = SharingSandboxes(cluster.database(), 2, dialect="hyperswitch")
    try:
        _, publishable, secret = set_up(made.at(0, ADMIN))
        for number in range(2):
            payment = made.at(number, secret).post("/payments", card_payment("success"))
            assert publishable in b64decode(payment["sdk_authorization"]).decode()
    finally:
        made.end()


def test_ids_and_keys_of_merchants_never_repeat(replicas: SharingSandboxes) -> None:
    made = [replicas.at(number % 3, ADMIN).post("/accounts", {}) for number in range(6)]
    ids = [account["merchant_id"] for account in made]
    keys = [
        replicas.at(number, ADMIN).post(f"/api_keys/{ids[0]}", {"name": "one", "expiration": "never"})["api_key"]
        for number in range(3)
    ]
    assert len({*ids}) == 6
    assert len({*keys}) == 3
    assert replicas.at(1, ADMIN).post("/accounts", {"merchant_id": ids[0]}).status == 400


def test_ids_of_calls_never_repeat(replicas: SharingSandboxes) -> None:
    ids = [replicas.at(number % 3, None).get("/payments/list").headers["X-Request-Id"] for number in range(9)]
    assert len(set(ids)) == 9


def test_a_page_made_at_one_opens_at_all(replicas: SharingSandboxes) -> None:
    shop = replicas.at(0)
    payment = shop.post(
        "/payments", {**card_payment("visa_3ds_required"), "confirm": True, "return_url": "https://shop.example"}
    )
    link = payment["next_action"]["redirect_to_url"].partition("/payments/")[2]
    for number in range(3):
        shown = replicas.at(number, None).get(f"/payments/{link}")
        assert shown.status == 200, shown.raw
    wrong = link.replace(payment["payment_id"], "pay_unknown")
    assert replicas.at(2, None).get(f"/payments/{wrong}").status == 404


def test_what_was_dropped_with_a_lease_is_not_waited_for(replicas: SharingSandboxes) -> None:
    """An event of it is not sent, and nobody waits until something else is changed."""
    assert replicas.at(0).wire.post("/payments", card_payment("success")).status == 200
    saver = replicas.sandboxes[0].lasting and replicas.sandboxes[0].lasting.saver
    assert isinstance(saver, Writer)
    saver.forget()
    assert not saver.wait()


def test_a_page_of_a_workspace_that_shares_its_merchant(replicas: SharingSandboxes) -> None:
    """Each replica owns a workspace of one snapshot: the database knows which of them has the payment."""
    assert replicas.at(0).call("PUT", "/_sandbox/snapshots/base").status == 200
    keys = [f"snd_worker_{number}_0123456" for number in range(3)]
    for number, key in enumerate(keys):
        assert replicas.at(number, key).post("/_sandbox/snapshots/base/restore").status == 200
    for number, key in enumerate(keys):
        worker = replicas.at(number, key)
        body = {
            **card_payment("visa_3ds_required"),
            "confirm": True,
            "payment_id": f"pay_of_worker_{number}_0123456789abcd",
        }
        payment = worker.post("/payments", body)
        link = payment["next_action"]["redirect_to_url"].partition("/payments/")[2]
        for other in range(3):
            shown = replicas.at(other, None).get(f"/payments/{link}")
            assert shown.status == 200, (number, other, shown.raw)


def test_a_snapshot_taken_at_one_is_restored_at_another(replicas: SharingSandboxes) -> None:
    payment = replicas.at(0).post("/payments", card_payment("success"))
    taken = replicas.at(0).call("PUT", "/_sandbox/snapshots/one")
    assert taken.status == 200, taken.raw
    again = replicas.at(1, "snd_elsewhere_0123456")
    assert again.post("/_sandbox/snapshots/one/restore").status == 200
    assert again.get(f"/payments/{payment['payment_id']}")["payment_id"] == payment["payment_id"]
    assert [one["name"] for one in replicas.at(2).get("/_sandbox/snapshots")["data"]] == ["one"]
    assert replicas.at(2).call("DELETE", "/_sandbox/snapshots/one").status == 200
    assert replicas.at(0).get("/_sandbox/snapshots/one").status == 404


def test_all_snapshots_together_are_bounded(cluster: Cluster) -> None:
    made = SharingSandboxes(cluster.database(), 2, snapshots_bytes=5_000)
    try:
        statuses = [made.at(number % 2).call("PUT", f"/_sandbox/snapshots/s{number}").status for number in range(30)]
        kept = made.at(0).get("/_sandbox/snapshots")["data"]
        assert set(statuses) == {200, 413}
        assert sum(one["bytes"] for one in kept) <= 5_000
        assert len(kept) == statuses.count(200) < 30
    finally:
        made.end()


def test_a_browsers_key_of_a_customer_works_at_all(replicas: SharingSandboxes) -> None:
    shop = replicas.at(0)
    customer = shop.post("/customers", {"name": "A Person"})["customer_id"]
    key = shop.post("/ephemeral_keys", {"customer_id": customer})["secret"]
    for number in range(3):
        assert replicas.at(number, key).get(f"/customers/{customer}").status in (200, 403)
    assert replicas.at(1, key[:-1] + ("0" if key[-1] != "0" else "1")).get(f"/customers/{customer}").status == 401


def test_all_workspaces_are_listed_and_reset_at_any(replicas: SharingSandboxes) -> None:
    keys = [f"snd_listed_{number}_0123456" for number in range(6)]
    for number, key in enumerate(keys):
        assert replicas.at(number % 3, key).post("/payments", card_payment("success")).status == 200
    replicas.at(0).call("PUT", "/_sandbox/snapshots/stays")
    _, _, secret = set_up(replicas.at(1, ADMIN))
    lists = [replicas.at(number, None).get("/_sandbox/workspaces")["data"] for number in range(3)]
    names = [sorted(one["merchant_id"] for one in found) for found in lists]
    assert names[0] == names[1] == names[2]
    assert len(names[0]) >= 8
    assert sum(one["payments"] for one in lists[2]) == 6
    shop = replicas.at(2, secret)
    assert shop.post("/payments", card_payment("success"))["merchant_id"] == SHOP
    reset = replicas.at(2, None).post("/_sandbox/reset")
    assert (reset.status, reset["reset"]) == (200, len(names[0]))
    assert shop.post("/payments", card_payment("success"))["merchant_id"] != SHOP, "it knows at once"
    for number, key in enumerate(keys):
        assert replicas.at((number + 1) % 3, key).get("/payments/list")["data"] == []
    assert [one["name"] for one in replicas.at(0).get("/_sandbox/snapshots")["data"]] == ["stays"]
    replicas.clock.advance(1_001)
    assert replicas.at(0, secret).get("/payments/list").status == 200, "as a key that nobody handed out"
    assert replicas.at(0, ADMIN).get(f"/accounts/{SHOP}").status == 404


def test_what_a_workspace_is_for_is_known_to_all(replicas: SharingSandboxes) -> None:
    assert replicas.at(0).call("POST", "/customers", {}, X_Sandbox_Label="checkout, branch sepa").status == 200
    for number in range(3):
        (found,) = replicas.at(number, None).get("/_sandbox/workspaces")["data"]
        assert found["label"] == "checkout, branch sepa"


OPEN: Final = {"livez", "version", "metrics", "cards", "errors", "states", "scenario_schema"}
"""Which calls of the control API tell of nothing that is kept."""


def test_without_the_database_nothing_is_told_wrongly(cluster: Cluster) -> None:
    made = SharingSandboxes(cluster.database(), 2)
    _, publishable, secret = set_up(made.at(0, ADMIN))
    shop = made.at(1, secret)
    payment = shop.post("/payments", card_payment("visa_3ds_required", confirm=True))
    page = "/payments/" + payment["next_action"]["redirect_to_url"].partition("/payments/")[2]
    customer = shop.post("/customers", {"name": "A Person"})["customer_id"]
    keys = {
        KeyKind.SECRET: secret,
        KeyKind.PUBLISHABLE: publishable,
        KeyKind.EPHEMERAL: shop.post("/ephemeral_keys", {"customer_id": customer})["secret"],
        KeyKind.ADMIN: ADMIN,
    }
    rows = [(row.method, row.path, keys[kind]) for row in OPERATIONS for kind in row.keys]
    rows += [
        (row.method, row.path, secret)
        for row in CONTROL_OPERATIONS
        if row.name.removeprefix("control.") not in {*OPEN, "readyz"}
    ]
    cluster.stop(signal.SIGQUIT)
    made.clock.advance(5_000)
    told = {}
    for method, path, key in [*rows, ("GET", page, None)]:
        filled = re.sub(r"<[^>]+>", "x_1", re.sub(r"<(\w+:)?merchant_id>", SHOP, path))
        body: dict[str, Any] | None = {} if method in WITH_BODY else None
        told[method, filled, key] = [made.at(number, key).wire.call(method, filled, body).status for number in (0, 1)]
    assert {call: statuses for call, statuses in told.items() if statuses != [503, 503]} == {}
    assert made.at(0, secret).wire.get("/_sandbox/openapi.json").status == 200
    cluster.start()
    for nobody in (made.at(0, None), made.at(1, None)):
        until(lambda asks=nobody: asks.wire.get("/_sandbox/readyz").status == 200)  # type: ignore[misc]  # a default cannot be inferred
        assert nobody.wire.get("/_sandbox/workspaces").status == 200
    assert shop.get(f"/payments/{payment['payment_id']}")["status"] == "requires_action"
    made.end()
