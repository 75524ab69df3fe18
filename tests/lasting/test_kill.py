"""The process is killed at any moment, and what it had answered is there when it comes back."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from tests.counts import SOAK, times
from tests.lasting.shop import Shop
from tests.running import RunningSandbox, until
from tests.webhooks.receivers import Receiver, answers

FLAGS = ("--rate-limit", "0", "--log-level", "error", "--workspaces", "50", "--inbox", "100000", "--journal", "200")


@pytest.mark.parametrize("rules", [0, *([3_000] if SOAK else [])])
def test_what_was_answered_outlives_any_number_of_kills(tmp_path: Path, rules: int) -> None:
    """Calls are made on the loop, or with many rules on threads, where others come between their steps."""
    flags = [*FLAGS, "--data", str(tmp_path / "state.sqlite")]
    shop, chance = Shop(seed=1), random.Random(17)
    with Receiver(answers()) as receiver:
        flags = [*flags, "--webhook-url", receiver.url]
        for _ in range(times(3, soak=20 if rules else 200)):
            with RunningSandbox(*flags) as sandbox:
                with_rules(shop, sandbox.ready["port"], 0)
                look_after(shop, sandbox.ready["port"])
                with_rules(shop, sandbox.ready["port"], rules)
                stop = Event()
                threads = shop.shop(sandbox.ready["port"], stop)
                calls = shop.ends.total() + chance.randrange(5, 100)
                until(lambda enough=calls: shop.ends.total() >= enough)  # type: ignore[misc]  # a default cannot be inferred
                sandbox.process.kill()
                sandbox.process.wait()
                stop.set()
                for thread in threads:
                    thread.join()
        with RunningSandbox(*flags, anew=True) as sandbox:  # with a hash seed of its own: no set is as before
            port = sandbox.ready["port"]
            with_rules(shop, port, 0)
            look_after(shop, port, newest=len(shop.tried))
            repeat_everything(shop, port)
            until(lambda: not undelivered(shop, port, receiver))
    assert shop.payments
    assert shop.refunds
    assert shop.captured


def with_rules(shop: Shop, port: int, many: int) -> None:
    """Gives the shop's workspace so many rules, which match nothing."""
    rules = [
        {
            "on": "charge",
            "when": {"payment.amount": at, f"payment.metadata.{at}": "x"},
            "then": {"decline": "expired_card"},
        }
        for at in range(10**8, 10**8 + many)
    ]
    assert shop.call(port, "PUT", "/_sandbox/scenarios/slow", {"version": 1, "name": "slow", "rules": rules})[0] == 200
    assert shop.call(port, "POST", "/_sandbox/scenarios/slow/activate")[0] == 200


def look_after(shop: Shop, port: int, newest: int = times(40, soak=200)) -> None:
    """What was answered is there, money adds up, and time can be moved; at the end all of it is looked after."""
    assert shop.call(port, "POST", "/_sandbox/clock/advance", {"by": "1s"})[0] == 200
    refunded: Counter[str] = Counter()
    for refund in shop.refunds.values():
        refunded[refund["payment_id"]] += refund["amount"]
    for refund_id, refund in tuple(shop.refunds.items())[-newest:]:
        status, found = shop.call(port, "GET", f"/refunds/{refund_id}")
        assert status == 200, refund_id
        assert all(found[name] == refund[name] for name in ("payment_id", "amount", "status")), refund_id
    for number, payment in tuple(shop.payments.items())[-newest:]:
        name = payment["payment_id"]
        status, found = shop.call(port, "GET", f"/payments/{name}")
        assert status == 200, name
        assert (found["amount"], found["metadata"]) == (payment["amount"], {"order": str(number)})
        received = found["amount_received"] or 0
        assert refunded[name] <= received <= found["amount"]
        if name in shop.captured:
            assert (found["status"], received) == ("succeeded", shop.captured[name])
        repeated = shop.send(port, number, shop.tried[number])
        assert repeated is not None
        assert repeated["payment_id"] == name


def repeat_everything(shop: Shop, port: int) -> None:
    """Every order that was ever sent is sent again, and there is one payment for each."""
    for number, body in shop.tried.items():
        until(lambda at=number, sent=body: shop.send(port, at, sent) is not None)  # type: ignore[misc]  # a default cannot be inferred
    orders = Counter(payment["metadata"]["order"] for payment in listed(shop, port, "payments"))
    assert set(orders.values()) == {1}
    assert set(orders) == {str(number) for number in shop.tried}


def listed(shop: Shop, port: int, what: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while True:
        page = shop.call(port, "GET", f"/{what}/list?limit=100&offset={len(found)}")[1]
        found += page["data"]
        if len(found) >= page["total_count"]:
            return found


def undelivered(shop: Shop, port: int, receiver: Receiver) -> set[str]:
    """The events of the inbox that the receiver has not got under their own ids."""
    events: list[dict[str, Any]] = []
    while True:
        after = events[-1]["number"] if events else 0
        found = shop.call(port, "GET", f"/_sandbox/webhooks?limit=1000&after={after}")[1]["data"]
        if not found:
            break
        events += found
    got = {json.loads(request.partition(b"\r\n\r\n")[2])["event_id"] for request in receiver.requests}
    return {event["event_id"] for event in events} - got
