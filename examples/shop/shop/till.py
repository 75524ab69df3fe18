"""What payments mean for orders."""

from __future__ import annotations

from typing import Any

from shop.orders import Order, Orders, State, price
from shop.processor import Payment, Processor

MEANS = {
    "succeeded": State.PAID,
    "partially_captured": State.PAID,
    "requires_capture": State.RESERVED,
    "failed": State.DECLINED,
    "cancelled": State.DECLINED,
    "expired": State.DECLINED,
}
"""What a payment's status means for the order. All others, such as `pending`, mean: wait."""


class Till:
    """Charges orders, and ships each paid order once."""

    def __init__(self, processor: Processor, orders: Orders, home: str) -> None:
        self._processor = processor
        self._orders = orders
        self._home = home
        self.parcels: list[str] = []
        """The orders that were shipped."""

    def pay(self, order: Order, card: dict[str, str]) -> Payment:
        """Charges a card. After a decline, the next attempt is a new payment, so it has a new key."""
        with order.lock:
            if order.payment_id and order.state is not State.DECLINED:
                return self._processor.payment(order.payment_id)
            if order.state is State.DECLINED:
                order.attempt += 1
                order.over.add(order.payment_id)
                order.payment_id = None
            order.state = State.WAITING
        payment = self._processor.pay(self._payment_request(order, card), order.key(f"pay-{order.attempt}"))
        self.settle(order, payment)
        return payment

    def _payment_request(self, order: Order, card: dict[str, str]) -> dict[str, Any]:
        return {
            "amount": order.amount,
            "currency": "EUR",
            "profile_id": "pro_example_shop",
            "merchant_order_reference_id": order.order_id,
            "capture_method": "manual" if order.pre_order else "automatic",
            "confirm": True,
            "return_url": f"{self._home}/orders/{order.order_id}/return",
            "payment_method": "card",
            "payment_method_data": {"card": card},
        }

    def look(self, order: Order) -> None:
        """Retrieves the state of an order's payment."""
        if order.payment_id:
            self.settle(order, self._processor.payment(order.payment_id))

    def handle_event(self, payment_id: str) -> None:
        """Handles an event: retrieves the payment, because an event can be outdated or arrive twice."""
        payment = self._processor.payment(payment_id)
        order = self._orders.get(payment["merchant_order_reference_id"])
        if order and payment_id not in order.over and order.payment_id in (None, payment_id):
            self.settle(order, payment)

    def settle(self, order: Order, payment: Payment) -> None:
        """Records the state of a payment. An older answer that arrives late changes nothing."""
        with order.lock:
            if payment["updated"] < order.updated:
                return
            before = order.state
            order.payment_id = payment["payment_id"]
            order.updated = payment["updated"]
            order.state = MEANS.get(payment["status"], State.WAITING)
            order.message = payment["error_message"] or ""
            order.booked = payment["amount_received"] or 0
            order.refunded = sum(one["amount"] for one in payment["refunds"] or () if one["status"] == "succeeded")
            if order.state is State.PAID and before is not State.PAID:
                self.parcels.append(order.order_id)

    def ship(self, order: Order, items: dict[str, int]) -> None:
        """Captures the price of the shipped items of a pre-order; other items are not charged."""
        if order.payment_id and order.state is State.RESERVED:
            self.settle(order, self._processor.capture(order.payment_id, price(items), order.key("ship")))

    def refund(self, order: Order, amount: int) -> str:
        """Refunds an amount; `pending` means that it is not settled yet."""
        if not order.payment_id:
            return "nothing to refund"
        refund = self._processor.refund(order.payment_id, amount, order.key(f"refund-{order.refunds + 1}"))
        order.refunds += 1
        self.look(order)
        return str(refund["status"])
