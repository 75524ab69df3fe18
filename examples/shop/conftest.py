"""The shop under test, and a customer."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from payment_sandbox import Sandbox
from shop import create_app
from shop.processor import Processor


class Customer:
    """A customer of the shop; `sandbox` is its processor."""

    def __init__(self, app: Flask, sandbox: Sandbox) -> None:
        self.app = app
        self.sandbox = sandbox
        self.client = app.test_client()

    def order(self, *, pre_order: bool = False, **items: int) -> str:
        """Creates an order; by default for a mug."""
        body = {"items": items or {"mug": 1}, "pre_order": pre_order}
        return str(self.post("/orders", body)["order_id"])

    def pay(self, order_id: str, card: str = "success") -> dict[str, Any]:
        """Pays with one of the sandbox's test cards."""
        return self.post(f"/orders/{order_id}/pay", {"card": self.sandbox.cards[card].as_data()})

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Sends a POST; gives the shop's answer."""
        return dict(self.client.post(path, json=body).get_json())

    def look(self, order_id: str) -> dict[str, Any]:
        """The order as the shop shows it."""
        return dict(self.client.get(f"/orders/{order_id}").get_json())

    @property
    def parcels(self) -> list[str]:
        """The orders that were shipped."""
        return list(self.app.extensions["till"].parcels)


@pytest.fixture
def shop(payment_sandbox: Sandbox) -> Customer:
    """A shop with the sandbox as its processor. Instead of waiting, it advances the sandbox's clock."""

    def pause(seconds: float) -> None:
        payment_sandbox.clock.advance(seconds=seconds)

    processor = Processor(payment_sandbox.url, payment_sandbox.api_key, timeout=2, pause=pause)
    return Customer(create_app(processor, payment_sandbox.webhook_secret), payment_sandbox)
