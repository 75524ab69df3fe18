"""The same calls get the same bytes over memory and over a file, with restarts, moves and readers between them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import pytest

from mock_server.contract.operations import OPERATIONS
from mock_server.store.memory import Store
from tests.api.test_determinism import seen
from tests.counts import times
from tests.lasting.starts import Starts
from tests.money.moves import CARDS
from tests.routes.good import caller, good
from tests.store.retrying import RetryingStore
from tests.wire import Reply, Wire, wire

KEYS: Final = tuple(f"snd_same_bytes_{number}" for number in range(2))
SHARED: Final = ("accounts.", "api_keys.")
"""Families of calls about what belongs to no workspace, and is in no snapshot of one."""
VIEWS: Final = (
    "/_sandbox/journal", "/_sandbox/ui", "/_sandbox/workspaces", "/_sandbox/verdicts", "/_sandbox/metrics",
    "/_sandbox/webhooks", "/_sandbox/search?text=pay_", "/_sandbox/records/payments", "/_sandbox/scenarios",
)  # fmt: skip
LISTS: Final = ("payments", "refunds", "disputes", "customers", "mandates")
CHAOS: Final = b"chaos: {error: {HE_00: 5%}, decline: {insufficient_funds: 20%}}"
YAML: Final = {"Content-Type": "application/yaml"}
OWN: Final = "/_sandbox/snapshots/own"
RULES: Final[dict[str, Any]] = {
    "name": "rules", "version": 1,
    "rules": [
        {"on": "charge", "skip": 1, "times": 2, "then": {"decline": "lost_card"}},
        {"on": "refunds.create", "every": 2, "then": {"settles": {"after": "1m", "as": "failed"}}},
        {"on": "payments.capture", "per": "payment", "times": 1, "then": {"error": "HE_00"}},
        {"on": "payments.retrieve", "probability": 0.3, "then": {"error": "HE_00"}},
    ],
    "settings": {"authorization_expiry": "1h", "unknown_fields": "ignore"},
    "given": {"payments": {"count": 3, "over": "10d", "status": {"succeeded": 0.5, "requires_capture": 0.5}}},
}  # fmt: skip
FEATURES: Final[tuple[tuple[str, str, Any], ...]] = (
    ("PUT", "/_sandbox/scenarios/rules", RULES),
    ("POST", "/_sandbox/scenarios/rules/activate", None),
    ("POST", "/_sandbox/scenarios/rules/deactivate", None),
    ("DELETE", "/_sandbox/scenarios/rules", None),
    ("POST", "/_sandbox/scenarios/decline_then_success/activate", None),
    ("POST", "/_sandbox/scenarios/chaos/deactivate", None),
    ("POST", "/_sandbox/next", {"on": "charge", "times": 2, "then": {"settles": {"after_polls": 2, "as": "failed"}}}),
    ("POST", "/_sandbox/next", {"on": "refunds.create", "then": {"outcome": "failed"}}),
    ("DELETE", "/_sandbox/next", None),
    ("DELETE", "/_sandbox/journal", None),
    ("PUT", OWN, None),
    ("PUT", f"{OWN}?journal=1", None),
    ("POST", f"{OWN}/restore", None),
    ("POST", "/_sandbox/reset", {"seed": "another"}),
    ("DELETE", "/_sandbox/workspace", None),
)
"""What changes how later calls are answered, or what a workspace is; any can come before any other."""


def told(reply: Reply) -> bytes:
    """What has to be equal of an answer: nothing of how many calls a workspace keeps, which a restart changes."""
    return re.sub(rb""""(bytes|forgotten)":\d+|'Content-Length', '\d+'""", b"", seen(reply))


class Call(NamedTuple):
    method: str
    path: str
    raw: bytes
    headers: dict[str, str]

    def sent(self, api: Wire) -> bytes:
        """What has to be equal of the answer."""
        return told(api.as_key(None).call(self.method, self.path, raw=self.raw, headers=self.headers))


Life = list[tuple[Call, bytes]]
"""Each call, and the answer that it has to get."""


class Shop(Wire):
    """A client that writes down what it sends, and what it has to get."""

    calls: Life

    def as_key(self, key: str | None) -> Shop:
        other = Shop(self.app, self.sandbox, key)
        other.calls = self.calls
        return other

    def call(self, method: str, path: str, body: object = None, *, raw: Any = None, headers: Any = None) -> Reply:
        sent = {"Content-Type": "application/json", **({"api-key": self.key} if self.key else {}), **(headers or {})}
        data = raw or (b"" if body is None else json.dumps(body).encode())
        reply = super().call(method, path, raw=data, headers=sent)
        self.calls.append((Call(method, path, data, sent), told(reply)))
        return reply


def operation(api: Shop, draw: Random, without: tuple[str, ...]) -> None:
    row = draw.choice([row for row in OPERATIONS if not row.name.startswith(without)])
    call = good(api, row)
    if draw.random() < 0.3:
        call.headers = {**call.headers, "X-Idempotency-Key": f"key-{draw.randrange(9)}"}
    call.sent(caller(api, row), row)


def pay(api: Shop, draw: Random, without: tuple[str, ...]) -> None:
    key = {"X-Idempotency-Key": f"order-{draw.randrange(9)}"} if draw.random() < 0.5 else {}
    how = draw.choice(("automatic", "manual", "manual_multiple"))
    card = draw.choice([card for card in CARDS if card])
    api.pay(card, capture_method=how, customer_id=draw.choice((None, "cus_1")), metadata=key)


def again(api: Shop, draw: Random, without: tuple[str, ...]) -> None:
    """An earlier call as it was, or with something wrong in its body."""
    call, _ = draw.choice([(call, got) for call, got in api.calls if call.headers.get("api-key") == api.key])
    body: Any = json.loads(call.raw) if call.raw.startswith(b"{") else None
    if body and draw.random() < 0.6:
        body[draw.choice([*body])] = draw.choice((None, -1, "", "x" * 300, True, {}, []))
    raw = call.raw if body is None else json.dumps(body).encode()
    api.call(call.method, call.path, raw=raw, headers=call.headers)


def wait(api: Shop, draw: Random, without: tuple[str, ...]) -> None:
    api.post("/_sandbox/clock/advance", {"by": draw.choice(("1s", "1m", "1h", "8d"))})


def feature(api: Shop, draw: Random, without: tuple[str, ...]) -> None:
    api.call(*draw.choice([row for row in FEATURES if not without or OWN not in row[1]]))
    api.post("/_sandbox/clock/freeze", {"at": api.get("/_sandbox/clock")["now"]})


STEPS: Final = (operation, operation, operation, pay, pay, feature, feature, again, again, wait)


def lived(seed: int, without: tuple[str, ...] = ()) -> Life:
    """What two shops send in turn, and what they get."""
    draw, server = Random(seed), wire()
    first = Shop(server.app, server.sandbox)
    first.calls = []
    shops = [first.as_key(key) for key in KEYS]
    for shop in shops:
        shop.post("/_sandbox/clock/freeze")
        shop.call("PUT", "/_sandbox/scenarios/chaos", raw=CHAOS, headers=YAML)
        shop.post("/_sandbox/scenarios/chaos/activate")
    for _ in range(times(25, soak=100)):
        shop = draw.choice(shops)
        try:
            draw.choice(STEPS)(shop, draw, without)
        except (AssertionError, KeyError, IndexError):
            continue  # chaos refused what the step begins with
    for shop in shops:
        for kind in LISTS:
            shop.get(f"/{kind}/list?limit=100")
        for path in ("next", "clock", "records/payments?limit=100", "scenarios/chaos"):
            shop.get(f"/_sandbox/{path}")
    return first.calls


def different(life: Life, answers: Iterator[bytes]) -> list[tuple[Call, bytes, bytes]]:
    return [(call, want, got) for (call, want), got in zip(life, answers, strict=True) if got != want]


def sent(life: Life, api: Wire, before: Callable[[Wire, Call], Wire] = lambda api, call: api) -> Iterator[bytes]:
    """Sends the calls to a server; what `before` does before each gives the server that gets it."""
    for call, _ in life:
        api = before(api, call)
        yield call.sent(api)


def reading(draw: Random) -> Callable[[Wire, Call], Wire]:
    """Looks at something of the caller's in the control API, and lets another workspace do something."""

    def before(api: Wire, call: Call) -> Wire:
        if draw.random() < 0.5:
            api.as_key(call.headers.get("api-key")).get(draw.choice(VIEWS))
            api.as_key("snd_somebody_else").pay()
        return api

    return before


def moving(draw: Random) -> Callable[[Wire, Call], Wire]:
    """Takes all workspaces to another server, now and then."""

    def before(api: Wire, call: Call) -> Wire:
        if draw.random() >= 0.1:
            return api
        other = wire()
        for key in KEYS:
            one, there = api.as_key(key), other.as_key(key)
            assert one.put("/_sandbox/snapshots/all?journal=1").status == 200
            taken = one.get("/_sandbox/snapshots/all").raw
            assert there.call("PUT", "/_sandbox/snapshots/all", raw=taken).status == 200
            assert there.post("/_sandbox/snapshots/all/restore").status == 200
        return other

    return before


@pytest.mark.parametrize("seed", range(times(3, soak=15)))
def test_every_way_gets_the_same_bytes(seed: int, tmp_path: Path) -> None:
    life, draw = lived(seed), Random(seed)
    assert len(life) > 40
    starts = Starts(str(tmp_path / "state.sqlite"))
    wrong = {
        "retrying": different(life, sent(life, wire(store=RetryingStore(Store())))),
        "reading": different(life, sent(life, wire(), reading(draw))),
        "restarting": different(
            life, sent(life, starts.wire(), lambda api, _: starts.wire() if draw.random() < 0.1 else api)
        ),
    }
    starts.end()
    assert {way: found for way, found in wrong.items() if found} == {}


@pytest.mark.parametrize("seed", range(times(2, soak=15)))
def test_a_workspace_that_moves_goes_on_with_the_same_bytes(seed: int) -> None:
    life = lived(seed, SHARED)
    assert different(life, sent(life, wire(), moving(Random(seed)))) == []
