"""Orders, in memory; a real shop stores them in its database."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count
from threading import RLock

PRICES = {"mug": 1990, "poster": 2450, "gift_card": 5000}
"""Prices in cents. Always use integers for money: as a float, 19.90 * 100 is 1989.9999999999998."""


class State(StrEnum):
    """The state of an order."""

    OPEN = "open"
    WAITING = "waiting"
    RESERVED = "reserved"
    PAID = "paid"
    DECLINED = "declined"


@dataclass
class Order:
    """What a customer wants to buy, and the state of its payment. Amounts are in cents."""

    order_id: str
    items: dict[str, int]
    pre_order: bool = False
    state: State = State.OPEN
    message: str = ""
    payment_id: str | None = None
    updated: str = ""
    attempt: int = 1
    booked: int = 0
    refunded: int = 0
    refunds: int = 0
    over: set[str | None] = field(default_factory=set)
    """The payments of declined attempts: their events come late, and say nothing about the next attempt."""
    lock: RLock = field(default_factory=RLock, repr=False)

    @property
    def amount(self) -> int:
        """The total price."""
        return price(self.items)

    def key(self, what: str) -> str:
        """The idempotency key of one operation for this order: the same for all retries."""
        return f"{self.order_id}-{what}"

    def shown(self) -> dict[str, object]:
        """What the customer sees."""
        names = ("order_id", "amount", "state", "message", "booked", "refunded")
        return {name: getattr(self, name) for name in names}


class Orders:
    """All orders, by id."""

    def __init__(self) -> None:
        self._orders: dict[str, Order] = {}
        self._numbers = count(1)

    def new(self, items: dict[str, int], *, pre_order: bool) -> Order:
        """A new order."""
        order = Order(f"order-{next(self._numbers)}", items, pre_order)
        self._orders[order.order_id] = order
        return order

    def get(self, order_id: str | None) -> Order | None:
        """The order with that id, or None."""
        return self._orders.get(order_id or "")


def price(items: dict[str, int]) -> int:
    """The total price of these items."""
    return sum(PRICES[name] * number for name, number in items.items())
