"""The same mistakes and the same correct clients, varied: how long bodies are, what names an order, how old a key is
when it is used again, how the answer was lost, and how the client looked in between.

A correct client has no finding. A mistake is found, or the rule says that it was not checked; it never passes. Where
nothing is in doubt, it is found. Every run takes some variations; `make soak` takes all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from http.client import HTTPException
from itertools import product
from random import Random
from typing import Any, Final, NamedTuple, TypeVar

import pytest

from mock_server.contract.operation import Operation
from mock_server.contract.operations import BY_NAME
from mock_server.testing import Sandbox, SandboxServer
from mock_server.verdict.evidence import gathered, read
from mock_server.verdict.money import TOOK
from mock_server.verdict.rules import State, Verdict, judge, suspected
from tests.counts import SOAK, times
from tests.verdict.matrix.mistakes import FOUND, MISTAKES, Mistake
from tests.verdict.matrix.shop import SIZES, Cell, Shop, lines_of
from tests.verdict.test_matrix import verdict

HIDDEN_OR_FOUND: Final = {State.FOUND, State.NOT_JUDGED}
Fields = Mapping[str, Any]
W = TypeVar("W")
Name = Callable[[int, int], Fields]
"""The fields that say which order it is, from its number and that of the attempt."""

STABLE: Final[Mapping[str, Name]] = {
    "reference": lambda order, attempt: {"merchant_order_reference_id": f"o{order}", "customer_id": "cus_anna"},
    "metadata": lambda order, attempt: {"metadata": {"order": f"o{order}"}},
    "nothing": lambda order, attempt: {},
}
OF_EACH_ATTEMPT: Final[Mapping[str, Name]] = {
    "attempt in the reference": lambda order, attempt: {
        "merchant_order_reference_id": f"o{order}-{attempt}",
        "metadata": {"channel": "web"},
    },
    "attempt in metadata": lambda order, attempt: {"metadata": {"order": f"o{order}", "attempt": f"{attempt}"}},
    "a customer for each attempt": lambda order, attempt: {
        "merchant_order_reference_id": f"o{order}",
        "customer_id": f"guest_{attempt}",
    },
    "an ID for each attempt": lambda order, attempt: {
        "payment_id": f"pay_{order}_{attempt}",
        "description": f"Order {order}",
    },
}
OWN: Final[Mapping[str, Name]] = {
    "its own ID": lambda order, attempt: {
        "payment_id": f"order_{order}",
        "email": f"customer{order}@shop.example",
        "description": f"Order {order}",
        "metadata": {"channel": "web"},
    },
    "one channel": lambda order, attempt: {"metadata": {"channel": "web"}},
}
LOSSES: Final[Mapping[str, Fields]] = {
    "reset": {"fault": "connection_reset"},
    "408": {"respond": {"status": 408}},
    "empty 200": {"respond": {"status": 200, "body": ""}},
    "another 200": {"respond": {"status": 200, "body": {"ok": True}}},
    "error": {"error": "IR_06"},
    "500": {"respond": {"status": 500}},
}
LOOKS: Final = ("none", "GET", "POST /payments/list", "GET /payments/list", "POST /refunds/list")
AGES: Final = (0, 1, 25)
"""After how many hours it goes on."""


class Way(NamedTuple):
    """One variation."""

    act: str
    size: str
    name: str
    loss: str
    look: str
    hours: int
    key: str

    def __str__(self) -> str:
        return "-".join(map(str, self)).replace(" ", "_")


class Client:
    """A client that makes each call in one variation."""

    def __init__(self, sandbox: Sandbox, way: Way) -> None:
        self.sandbox, self.way = sandbox, way
        self.name = {**STABLE, **OF_EACH_ATTEMPT, **OWN}[way.name]
        self.held = ""
        if way.act in ("capture", "refund"):
            how = "manual_multiple" if way.act == "capture" else "automatic"
            self.held = sandbox.client.pay(**self.fields(0, 0, capture_method=how))["payment_id"]

    def fields(self, order: int, attempt: int, **more: Any) -> Fields:
        return lines_of(self.way.size, {**self.name(order, attempt), **more})

    def loses(self) -> None:
        on = {"sale": "payments.create", "capture": "payments.capture", "refund": "refunds.create"}[self.way.act]
        self.sandbox.next(on, effect="kept", **LOSSES[self.way.loss])

    def moves(self, order: int, attempt: int = 0, key: str | None = None) -> None:
        """Pays an order, or captures or refunds a part of the payment; all parts are equal."""
        client = self.sandbox.client
        with suppress(OSError, HTTPException, ValueError):
            if self.way.act == "sale":
                client.post("/payments", client.payment(**self.fields(order, attempt)), idempotency_key=key)
            elif self.way.act == "capture":
                part: Fields = {"amount_to_capture": 1000}
                client.post(f"/payments/{self.held}/capture", part, idempotency_key=key)
            else:
                part = {"payment_id": self.held, "amount": 1000}
                client.post("/refunds", part, idempotency_key=key)

    def looks(self) -> None:
        if self.way.look == "GET":
            seen = self.held or self.sandbox.journal.calls("payments.create")[0].payment_id
            self.sandbox.client.get(f"/payments/{seen}")
        elif self.way.look != "none":
            method, path = self.way.look.split()
            self.sandbox.client.request(method, path, {} if method == "POST" else None)

    def waits(self) -> None:
        if self.way.hours:
            self.sandbox.clock.advance(hours=self.way.hours)


# mistakes


def moves_it_twice(client: Client) -> None:
    """The answer is lost, and the client does it again."""
    key = {"new": ("a", "b"), "none": (None, None), "old": ("a", "a")}[client.way.key]
    client.loses()
    client.moves(1, 0, key[0])
    client.looks()
    client.waits()
    client.moves(1, 1, key[1])


def rule_of(way: Way) -> str:
    return "refunded-twice" if way.act == "refund" else "double-charge"


def is_certain(way: Way) -> bool:
    """Whether nothing of it is in doubt."""
    is_named = way.name in ("reference", "metadata" if way.size in ("short", "long answer") else "")
    return way.look == "none" and (way.act != "sale" or (is_named and way.size != "long, name last"))


def is_double(way: Way) -> bool:
    """Whether it is a mistake at all: an old key is only one after its day, and with the same body."""
    return (way.key != "old" or way.hours >= 24) and not (way.look == "POST /refunds/list" and way.act != "refund")


SALES: Final = (
    Way("sale", size, name, loss, look, hours, key)
    for size, name, loss, look, hours, key in product(
        SIZES, (*STABLE, *OF_EACH_ATTEMPT), LOSSES, LOOKS, AGES, ("new", "none", "old")
    )
)
PARTS: Final = (
    Way(act, size, "reference", loss, look, hours, key)
    for act, size, loss, look, hours, key in product(
        ("capture", "refund"), SIZES, LOSSES, LOOKS, AGES, ("new", "none", "old")
    )
)
WRONG: Final = [way for way in (*SALES, *PARTS) if is_double(way)]


def some(ways: Sequence[W], few: int, many: int) -> list[W]:
    """So many of them, the same in every run."""
    return Random("variations").sample(ways, min(len(ways), times(few, soak=many)))


def named(one: Any) -> str:
    return str(getattr(one, "says", getattr(one, "__name__", one)))


def judged(sandbox: Sandbox) -> Verdict:
    """The verdict: by what is in memory the same as by what the control API shows."""
    found, evidence = sandbox.verdict(), sandbox.evidence()
    shown = judge(read(gathered(lambda path: sandbox.control.get(f"/{path}"))))
    assert [(one.rule.id, one.state, one.seen) for one in found.results] == [
        (one.rule.id, one.state, one.seen) for one in shown.results
    ]
    assert judge(evidence, rules=suspected(evidence)).found() == found.found()
    return found


def states(told: Verdict) -> dict[str, State]:
    return {one.rule.id: one.state for one in told.results}


@pytest.mark.parametrize("way", some(WRONG, 40, 3_000), ids=str)
def test_what_moves_twice_never_passes(server: SandboxServer, way: Way) -> None:
    with Sandbox(server=server, name=str(way), seed="tests", clock="2026-01-31T12:00:00Z") as sandbox:
        moves_it_twice(Client(sandbox, way))
        told = judged(sandbox)
    assert states(told)[rule_of(way)] in ({State.FOUND} if is_certain(way) else HIDDEN_OR_FOUND)


# correct clients


def repeats_it(client: Client) -> None:
    client.loses()
    client.moves(1, 0, "a")
    client.looks()
    client.moves(1, 0, "a")
    client.waits()
    client.moves(2, 0, "b")


def repeats_it_after_another_customers(client: Client) -> None:
    client.loses()
    client.moves(1, 0, "a")
    client.moves(2, 0, "b")
    client.looks()
    client.moves(1, 0, "a")


def looks_and_goes_on(client: Client) -> None:
    client.loses()
    client.moves(1, 0, "a")
    client.looks()
    client.waits()
    client.moves(2, 0, "b")


def charges_every_month(client: Client) -> None:
    """The order is the subscription, which is charged again a month later."""
    client.loses()
    client.moves(1, 0, "january")
    client.looks()
    client.sandbox.clock.advance(days=30)
    client.moves(1, 0, "february")


RIGHT: Final = [
    (Way(act, size, name, loss, look, hours, ""), does)
    for does, act, size, name, loss, look, hours in product(
        (repeats_it, repeats_it_after_another_customers, looks_and_goes_on, charges_every_month),
        ("sale", "capture", "refund"), SIZES, (*STABLE, *OWN), LOSSES, LOOKS, AGES,
    )
    if (act == "sale" or name == "reference")
    and (look != "none" or does in (repeats_it, repeats_it_after_another_customers))
    and not (look == "POST /refunds/list" and act != "refund")
    and not (does is charges_every_month and (act != "sale" or name == "its own ID" or hours))
]  # fmt: skip


@pytest.mark.parametrize(("way", "does"), some(RIGHT, 40, 3_000), ids=named)
def test_nothing_is_found_of_who_is_right(server: SandboxServer, way: Way, does: Callable[[Client], None]) -> None:
    with Sandbox(server=server, name=f"{does} {way}", seed="tests", clock="2026-01-31T12:00:00Z") as sandbox:
        does(Client(sandbox, way))
        told = judged(sandbox)
    found = [(one.rule.id, one.seen) for one in told.found() if one.rule.id != "authorization-open"]
    assert found == []


# every call that takes money

BEFORE: Final[Mapping[str, Fields]] = {
    "review": {"card": "review"},
    "challenge": {"card": "3ds", "return_url": "https://shop.example"},
    "unconfirmed": {"confirm": False},
    "nothing paid with": {"confirm": False, "payment_method_data": None},
    "authorized": {"capture_method": "manual"},
}
"""Payments that a call can go on with."""
ORDER: Final[Fields] = {"merchant_order_reference_id": "o1"}
LATER: Final = [row for row in BY_NAME.values() if row.changes and row.path.startswith("/payments/<payment_id>")]


def goes_on(sandbox: Sandbox, row: Operation, before: str, loss: Fields, key: str) -> tuple[str | None, str | None]:
    """The payment's status before a call that may take money, and after it."""
    if before == "challenge":
        sandbox.next("charge", challenge="approved")
    made = sandbox.client.pay(**{**ORDER, **BEFORE[before]})
    card = sandbox.client.payment()["payment_method_data"]
    body = {"payment_method": "card", "payment_method_data": card} if row.name == "payments.confirm" else {}
    sandbox.next(row.name, effect="kept", **loss)
    with suppress(OSError, HTTPException, ValueError):
        path = row.path.replace("<payment_id>", made["payment_id"])
        sandbox.client.request(row.method, path, body, idempotency_key=key)
    return made["status"], sandbox.control.get("/journal")["data"][-1]["payment_status"]


def take_money() -> list[tuple[str, str]]:
    """The calls by which a payment that held no money comes to hold some, found by making all of them."""
    with SandboxServer() as server, Sandbox(server=server) as sandbox:
        tried = [(row, before) for row in LATER for before in BEFORE]
        seen = [
            (*goes_on(sandbox, row, before, LOSSES["reset"], f"{row.name} {before}"), row, before)
            for row, before in tried
        ]
    return [(row.name, before) for first, then, row, before in seen if first not in TOOK and then in TOOK]


def test_each_of_them_is_found_again(server: SandboxServer) -> None:
    """A lost answer of any call that takes money, and the order paid anew, is a double charge."""
    found = take_money()
    assert {name for name, _ in found} >= {"payments.confirm", "payments.approve", "payments.complete_authorize"}
    for (name, before), loss in product(found, LOSSES if SOAK else ["reset"]):
        for again, wanted in (("new", {State.FOUND}), ("the same call", {State.WELL})):
            with Sandbox(server=server, name=f"{name} {before} {loss} {again}", seed="tests") as sandbox:
                goes_on(sandbox, BY_NAME[name], before, LOSSES[loss], "a")
                if again == "new":
                    sandbox.client.pay(**ORDER, idempotency_key="b")
                else:
                    lost = sandbox.journal.calls()[-1]
                    sandbox.client.request("POST", lost.path, lost.request, idempotency_key="a")
                told = judged(sandbox)
            assert states(told)["double-charge"] in wanted, (name, before, loss, again)


# every mistake of the table, in long bodies

LONG: Final = [
    (one, Cell(False, bool(number % 2), ("interface", "hyperswitch")[number % 2], size=size))
    for number, one in enumerate(MISTAKES)
    for size in list(SIZES)[1:]
    if one.alone == FOUND
]


@pytest.mark.parametrize(("mistake", "cell"), some(LONG, 16, len(LONG)), ids=named)
def test_a_planted_mistake_does_not_pass_in_a_long_body(server: SandboxServer, mistake: Mistake, cell: Cell) -> None:
    told = verdict(server, mistake.shop, mistake.story, cell)
    assert mistake.rule is not None
    assert states(told)[mistake.rule] in HIDDEN_OR_FOUND
    assert {one.rule.id for one in told.found()} <= {
        mistake.rule,
        *ids_of(mistake, cell._replace(size="short"), server),
    }
    assert [one.seen for one in verdict(server, Shop, mistake.story, cell).found()] == []


def ids_of(mistake: Mistake, cell: Cell, server: SandboxServer) -> set[str]:
    return {one.rule.id for one in verdict(server, mistake.shop, mistake.story, cell).found()}
