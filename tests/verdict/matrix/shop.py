"""A shop that makes no mistake. Each method is one thing that it does, for a mistake to override."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from itertools import count
from threading import local
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from mock_server.testing import Sandbox

PATIENCE: Final = 5
"""How often the shop tries a call."""
TIMEOUT_S: Final = 30.0
SHORT_S: Final = 0.05
"""How long it waits for an answer that does not come."""
SETTLE_S: Final = 60.0
RETRY_S: Final = 5
"""The pause before a delayed retry, by the workspace's clock."""
DONE: Final = frozenset({"succeeded", "failed", "cancelled", "expired", "partially_captured"})

FLOWS: Final[Mapping[str, Mapping[str, Any]]] = {
    "automatic": {},
    "manual": {"capture_method": "manual"},
    "separate": {"confirm": False},
}
"""How a payment is made: at once, held and captured, created and confirmed."""
FAULTS: Final = ("connection_reset", "empty_response", "truncated_body", "malformed_json", "hang", "delay")
"""How an answer is lost."""

SIZES: Final[Mapping[str, int]] = {"short": 0, "long answer": 60, "long, name first": 250, "long, name last": 250}
"""How long bodies are: how many lines an order has, and whether they stand before what names it."""

Json = Mapping[str, Any]


def lines_of(size: str, order: Json) -> dict[str, Any]:
    """An order with so many lines."""
    lines = {"order_details": [{"product_name": "p" * 40, "quantity": 1, "amount": 10}] * SIZES[size]}
    return {**lines, **order} if size.endswith("last") else {**order, **(lines if SIZES[size] else {})}


class Cell(NamedTuple):
    """One way to run a story: `fault` is how an answer is lost, `flow` how a payment is made."""

    receiver: bool
    delayed: bool
    dialect: str
    fault: str = "connection_reset"
    flow: str = "automatic"
    size: str = "short"

    def __str__(self) -> str:
        receiver = "receiver" if self.receiver else "alone"
        when = "delayed" if self.delayed else "immediate"
        return f"{receiver}-{when}-{self.dialect}-{self.fault}-{self.flow}-{self.size.replace(' ', '_')}"


class Lost(Exception):
    """No whole answer came."""


class GaveUp(Exception):
    """The shop stopped trying."""


@dataclass(frozen=True)
class Told:
    """An answer."""

    status: int
    headers: Mapping[str, str]
    body: Any

    def __getitem__(self, name: str) -> Any:
        return self.body[name]


class Shop:
    """Uses one key per operation, reads what it has lost, signs off what it receives, and waits when it is told to."""

    patience = PATIENCE
    card = "success"

    def __init__(self, sandbox: Sandbox, cell: Cell) -> None:
        self.sandbox = sandbox
        self.cell = cell
        self.secret = sandbox.webhook_secret.encode()
        self.seen: set[str] = set()
        self.state: dict[str, str] = {}
        """The status of each payment, as the shop's database has it."""
        self.on_event: Callable[[Json], None] = lambda event: None
        self._lines = local()
        self._all_lines: list[HTTPConnection] = []
        self._numbers = count(1)
        if cell.receiver:
            sandbox.webhooks.connect(self.receive)

    # the wire

    def call(
        self, method: str, path: str, body: Json | None = None, key: str | None = None, headers: Json | None = None
    ) -> Told:
        """One call over the connection of this thread. Raises Lost."""
        line: HTTPConnection | None = getattr(self._lines, "one", None)
        if line is None:
            line = self._lines.one = HTTPConnection(urlsplit(self.sandbox.url).netloc)
            self._all_lines.append(line)
        line.timeout = SHORT_S if self.is_losing(path) else TIMEOUT_S
        if line.sock is not None:
            line.sock.settimeout(line.timeout)
        given = {"api-key": self.sandbox.api_key, "User-Agent": "shop/1", **(headers or {})}
        sent = None
        if body is not None:
            sent, given["Content-Type"] = json.dumps(body), "application/json"
        if key is not None:
            given["X-Idempotency-Key"] = key
        try:
            line.request(method, path, sent, given)
            got = line.getresponse()
            text = got.read()
            answer = json.loads(text) if "json" in got.getheader("Content-Type", "") else text
        except (OSError, HTTPException, ValueError) as problem:
            self.hang_up()
            self.left_early = isinstance(problem, TimeoutError)
            raise Lost(path) from problem
        return Told(got.status, {name.lower(): value for name, value in got.getheaders()}, answer)

    def hang_up(self) -> None:
        """Closes the connection of this thread."""
        if getattr(self._lines, "one", None) is not None:
            self._lines.one.close()
        self._lines.one = None

    def close(self) -> None:
        """Closes the connections of all threads."""
        for line in self._all_lines:
            line.close()

    left_early = False
    """Whether it did not wait for an answer."""
    losing: str | None = None
    """The end of the path whose next answer does not come in time."""

    def is_losing(self, path: str) -> bool:
        """Whether the answer to this call will not come: nobody wants to wait for it here."""
        found = self.losing is not None and path.endswith(self.losing)
        if found:
            self.losing = None
        return found

    def lose(self, on: str, path: str) -> None:
        """The sandbox loses the next answer of an operation, whose path ends so."""
        if self.cell.fault == "delay":
            self.sandbox.next(on, delay="1s")
        else:
            self.sandbox.next(on, fault=self.cell.fault, effect="kept")
        self.losing = path if self.cell.fault in ("delay", "hang") else None

    # waiting

    def let_pass(self, seconds: float) -> None:
        """Lets time pass, by the workspace's clock, after what is being delivered."""
        self.sandbox.webhooks.settle(timeout=SETTLE_S)
        self.sandbox.clock.advance(seconds=seconds)

    def before_retry(self) -> None:
        """What lies between a lost answer and the next try."""
        if self.cell.delayed:
            self.let_pass(RETRY_S)

    def after_refusal(self, answer: Told) -> None:
        """Waits as a 429 says."""
        self.let_pass(int(answer.headers["retry-after"]) + (RETRY_S if self.cell.delayed else 0))

    def after_error(self, attempt: int) -> None:
        """Waits longer after each 5xx."""
        self.let_pass(2**attempt * 10)

    # what moves money

    def key(self, operation: str, attempt: int, body: Json) -> str | None:
        """The idempotency key of a call."""
        return operation

    def move(self, path: str, body: Json, operation: str) -> Told:
        """Makes a call until it is answered."""
        for attempt in range(self.patience):
            try:
                answer = self.call("POST", path, body, self.key(operation, attempt, body))
            except Lost:
                self.before_retry()
                continue
            if answer.status == 429:
                self.after_refusal(answer)
            elif answer.status >= 500:
                self.after_error(attempt)
            else:
                return answer
        raise GaveUp(path)

    def order(self, amount: int = 4200, **fields: Any) -> dict[str, Any]:
        """A new order, as the body of a payment."""
        number = f"order-{next(self._numbers)}"
        how = FLOWS[self.cell.flow]
        own = {"merchant_order_reference_id": number, "metadata": {"order": number}, "customer_id": "cus_anna"}
        order = {**self.sandbox.client.payment(self.card, amount=amount), **own, **how, **fields}
        return lines_of(self.cell.size, order)

    def pay(self, order: Json) -> Told:
        """Pays an order, and captures what is only held."""
        paid = self.move("/payments", order, f"pay {order.get('merchant_order_reference_id')} {order['amount']}")
        if paid.status == 200 and order.get("confirm") is False:
            paid = self.confirm(paid)
        if paid.status == 200:
            self.state[paid["payment_id"]] = paid["status"]
        if paid.status == 200 and paid["status"] == "requires_capture" and self.cell.flow == "manual":
            return self.capture(paid["payment_id"])
        return paid

    def confirm(self, paid: Told) -> Told:
        return self.move(f"/payments/{paid['payment_id']}/confirm", {}, f"confirm {paid['payment_id']}")

    def hold(self, amount: int = 4200, **fields: Any) -> str:
        """An authorization."""
        how = {"capture_method": "manual", "confirm": True, **fields}
        return str(self.move("/payments", self.order(amount, **how), f"hold {next(self._numbers)}")["payment_id"])

    def capture(self, payment_id: str, amount: int | None = None, part: int = 1) -> Told:
        body = {} if amount is None else {"amount_to_capture": amount}
        done = self.move(f"/payments/{payment_id}/capture", body, f"capture {payment_id} {part}")
        if done.status == 200:
            self.state[payment_id] = done["status"]
        return done

    def cancel(self, payment_id: str) -> Told:
        return self.move(f"/payments/{payment_id}/cancel", {}, f"cancel {payment_id}")

    def refund(self, payment_id: str, amount: int = 1000, part: int = 1) -> Told:
        body = {"payment_id": payment_id, "amount": amount, "refund_id": self.refund_id(payment_id, part)}
        sent = {name: value for name, value in body.items() if value is not None}
        return self.move("/refunds", sent, f"refund {payment_id} {part}")

    def refund_id(self, payment_id: str, part: int) -> str | None:
        return f"ref_{payment_id[-12:]}_{part}"

    # what only looks

    def read(self, payment_id: str) -> Told:
        """The payment as it is."""
        found = self.call("GET", f"/payments/{payment_id}")
        self.state[payment_id] = found["status"]
        return found

    def follow(self, paid: Told) -> None:
        """Waits until a payment has its final status: for the event, or by reading with growing pauses."""
        pause = 10
        while self.state[paid["payment_id"]] not in DONE:
            self.let_pass(pause)
            pause *= 2
            if not self.cell.receiver:
                self.read(paid["payment_id"])

    def customer_returns(self, paid: Told) -> None:
        """The customer went through the challenge, and is back on the shop's page."""
        self.read(paid["payment_id"])

    def challenge(self, paid: Told) -> None:
        """Sends the customer to the challenge."""
        self.call("GET", urlsplit(paid["next_action"]["redirect_to_url"]).path, headers={"User-Agent": "browser"})
        self.sandbox.trigger.authenticate(paid["payment_id"], "approved")
        self.customer_returns(paid)

    def listed(self) -> list[Json]:
        """All payments of the shop."""
        found: list[Json] = []
        while True:
            after = f"starting_after={found[-1]['payment_id']}" if found else ""
            page = self.call("GET", f"/payments/list?limit=100&{after}".rstrip("&"))["data"]
            if not page:
                return found
            found += page

    # receiving

    def receive(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Takes an event: is it genuine, is it new, and what is true now?"""
        body = environ["wsgi.input"].read()
        if not self.is_genuine(body, environ.get("HTTP_X_WEBHOOK_SIGNATURE_512", "")):
            start_response("401 Unauthorized", [])
            return [b""]
        event = json.loads(body)
        if self.is_new(event):
            self.take(event)
            self.on_event(event)
        start_response("200 OK", [])
        return [b""]

    def is_genuine(self, body: bytes, signature: str) -> bool:
        return hmac.compare_digest(hmac.new(self.secret, body, hashlib.sha512).hexdigest(), signature)

    def is_new(self, event: Json) -> bool:
        is_new = event["event_id"] not in self.seen
        self.seen.add(event["event_id"])
        return is_new

    def take(self, event: Json) -> None:
        """Reads the payment instead of believing the event, as the tutorial teaches."""
        payment_id = event["content"]["object"].get("payment_id")
        if payment_id:
            self.read(payment_id)

    # what a shop decides

    def buys(self, card: str) -> None:
        """The customer pays with a card, and with another one if that is declined for good."""
        order = self.order(confirm=True, capture_method="automatic")
        for number, one in enumerate((card, "success")):
            self.card = one
            data = {"payment_method_data": self.order()["payment_method_data"]}
            if self.move("/payments", {**order, **data}, f"buy {number}")["status"] == "succeeded":
                return

    def ship(self, paid: Told) -> None:
        """Captures what is held."""
        if paid["status"] == "requires_capture":
            self.capture(paid["payment_id"])

    def give_back(self, paid: Told) -> None:
        """Refunds what was paid."""
        if paid["status"] == "succeeded":
            self.refund(paid["payment_id"], 4200)

    def needs_action(self, paid: Told) -> None:
        """Does what the status says."""
        if paid["status"] in ("requires_action", "requires_customer_action"):
            self.challenge(paid)

    def renew(self, first: Told) -> None:
        """Charges by the mandate of an earlier payment, if it is still there."""
        if self.call("GET", f"/mandates/{first['mandate_id']}")["status"] == "active":
            mandate = {"mandate_id": first["mandate_id"], "customer_id": "cus_anna", "off_session": True}
            self.move("/payments", {**self._bare(), **mandate}, "renewal")

    def _bare(self) -> dict[str, Any]:
        order = self.order(confirm=True, capture_method="automatic")
        return {name: value for name, value in order.items() if not name.startswith("payment_method")}

    def capture_late(self, payment_id: str) -> None:
        """Captures after a long time, if it can."""
        if self.read(payment_id)["status"] == "requires_capture":
            self.capture(payment_id)

    def capture_goods(self, payment_id: str, amount: int) -> None:
        """Captures what the goods cost in the end."""
        self.capture(payment_id, amount)

    def sold_out(self, payment_id: str) -> None:
        """Releases an authorization that is not needed."""
        self.cancel(payment_id)

    def close_the_day(self, payment_id: str) -> None:
        """Captures what is still held."""
        if self.state[payment_id] == "requires_capture":
            self.capture(payment_id, part=2)

    def returned(self, payment_id: str) -> None:
        """The customer sends a part of the goods back."""
        self.refund(payment_id, 1000)

    def page(self, payment_id: str) -> None:
        """The customer's page shows the payment; the shop's server asks for it."""
        self.read(payment_id)
