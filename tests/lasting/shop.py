"""A shop that goes on buying while its sandbox is killed, and knows what it was answered."""

from __future__ import annotations

import json
import random
from collections import Counter
from http.client import HTTPConnection, HTTPException
from itertools import count
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any, Final

KEY: Final = "snd_outlives"
ELSEWHERE: Final = "snd_is_reset"
CARD: Final = {
    "card_number": "4242424242424242",
    "card_exp_month": "12",
    "card_exp_year": "2035",
    "card_cvc": "123",
}
AGAIN_S: Final = 0.2
"""So long a client waits that is told to come again: less than it is told, to learn soon when it is served."""
CALM_S: Final = 0.1
"""So long each thread waits between two of its works while the shop is calm."""
Answer = tuple[int, dict[str, Any]]


def call(
    port: int, method: str, path: str, body: Any = None, *, key: str = KEY, host: str = "127.0.0.1", **headers: str
) -> Answer:
    """Makes one call; OSError or HTTPException where no whole answer came."""
    connection = HTTPConnection(host, port)
    try:
        fields = {
            **({"api-key": key} if key else {}),
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        text = None if body is None else json.dumps(body)
        connection.request(method, path, text, {**fields, **({"Content-Type": "application/json"} if text else {})})
        response = connection.getresponse()
        return response.status, json.loads(response.read() or b"{}")
    finally:
        connection.close()


def order(number: int, **changed: Any) -> dict[str, Any]:
    """The body of a payment for one order."""
    return {
        "amount": 1_000 + number % 500,
        "currency": "EUR",
        "profile_id": "pro_shop",
        "confirm": True,
        "payment_method": "card",
        "payment_method_data": {"card": CARD},
        "metadata": {"order": str(number)},
        **changed,
    }


class Shop:
    """Threads that buy, capture, refund, reset and move the clock until they are told to stop or nobody answers.

    One that `stays` goes on where nobody answers for a while.
    """

    def __init__(self, seed: int, key: str = KEY, *, stays: bool = False) -> None:
        self.seed = seed
        self.key = key
        self.stays = stays
        self.numbers = count(1)
        self.lock = Lock()
        self.tried: dict[int, dict[str, Any]] = {}
        """The bodies of the orders that were sent, by their numbers."""
        self.payments: dict[int, dict[str, Any]] = {}
        """What was answered, by the order's number: each answer was read whole."""
        self.refunds: dict[str, dict[str, Any]] = {}
        self.captured: dict[str, int] = {}
        self.ends: Counter[str] = Counter()
        """How calls of its own workspace ended: by status and code, or `broken`."""
        self.gaps: list[tuple[float, float]] = []
        """When nobody was served, from the first call that failed to the next that did not (monotonic seconds)."""
        self.is_calm = False
        """Whether little is bought: enough to have calls on their way, and not all that the machine can do."""
        self._failing_since: float | None = None

    def shop(self, port: int, stop: Event) -> list[Thread]:
        """Begins to shop; each thread ends when the sandbox has gone, or with `stop`."""
        works = (self._buy, self._buy, self._take_later, self._elsewhere, self._move_time)
        threads = [Thread(target=self._until, args=(work, port, stop)) for work in works]
        for thread in threads:
            thread.start()
        return threads

    def _until(self, work: Any, port: int, stop: Event) -> None:
        chance = random.Random(f"{self.seed} {work.__name__} {port}")
        while not stop.is_set():
            if self.is_calm:
                stop.wait(CALM_S)
            try:
                work(port, chance)
            except (OSError, HTTPException, ValueError):
                # The sandbox has gone, or a fault came that was asked for.
                if stop.is_set() or not (self.stays or _is_there(port)):
                    return

    def call(self, port: int, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Makes a call in the shop's own workspace."""
        try:
            status, found = call(port, method, path, body, key=self.key, **headers)
        except (OSError, HTTPException, ValueError):
            self.note("broken")
            raise
        self.note("200" if status == 200 else f"{status} {found['error']['code']}")
        if status == 503:
            Event().wait(AGAIN_S)
        return status, found

    def note(self, end: str) -> None:
        """Counts how a call ended, and notes when nobody was served."""
        with self.lock:
            self.ends[end] += 1
            if end != "200":
                self._failing_since = self._failing_since or monotonic()
            elif self._failing_since is not None:
                self.gaps.append((self._failing_since, monotonic()))
                self._failing_since = None

    def order(self, port: int, **changed: Any) -> dict[str, Any] | None:
        """Buys something; None where it was refused."""
        with self.lock:
            number = next(self.numbers)
            body = self.tried[number] = order(number, **changed)
        return self.send(port, number, body)

    def send(self, port: int, number: int, body: dict[str, Any]) -> dict[str, Any] | None:
        """Sends an order, for the first time or again."""
        status, payment = self.call(port, "POST", "/payments", body, X_Idempotency_Key=f"order-{number}")
        if status != 200:
            return None
        with self.lock:
            self.payments[number] = payment
        return payment

    def _buy(self, port: int, chance: random.Random) -> None:
        payment = self.order(port)
        if payment is not None and chance.random() < 0.4:
            self._refund(port, payment["payment_id"], chance.randint(1, payment["amount"]))

    def _refund(self, port: int, payment_id: str, amount: int) -> None:
        status, refund = self.call(port, "POST", "/refunds", {"payment_id": payment_id, "amount": amount})
        if status == 200:
            with self.lock:
                self.refunds[refund["refund_id"]] = refund

    def _take_later(self, port: int, chance: random.Random) -> None:
        payment = self.order(port, capture_method="manual")
        if payment is None:
            return
        name, amount = payment["payment_id"], payment["amount"]
        status, _ = self.call(port, "POST", f"/payments/{name}/capture", {"amount_to_capture": amount})
        if status == 200:
            with self.lock:
                self.captured[name] = amount

    def _elsewhere(self, port: int, chance: random.Random) -> None:
        if chance.random() < 0.2:
            call(port, "POST", "/_sandbox/reset", key=ELSEWHERE)
        faults = ["lost_response", "slow_network", "none"]
        if not self.stays:  # a call that hangs ends with the sandbox alone
            faults.append("retry_after_timeout")
        scenario = chance.choice(faults)
        call(port, "POST", "/payments", order(1), key=ELSEWHERE, X_Sandbox_Scenario=scenario)

    def _move_time(self, port: int, chance: random.Random) -> None:
        # A key is kept for a day: whoever stays repeats at the end what broke off at any time.
        most_s = 3 if self.stays else 900
        self.call(port, "POST", "/_sandbox/clock/advance", {"by": f"{chance.randint(1, most_s)}s"})


def _is_there(port: int) -> bool:
    try:
        return call(port, "GET", "/_sandbox/livez")[0] == 200
    except (OSError, HTTPException):
        return False
