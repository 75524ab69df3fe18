"""The shop under test, and a customer who walks through it."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from payment_sandbox import Sandbox
from shop import create_app
from shop.processor import Processor


class Customer:
    """Somebody at the shop's counter; `sandbox` is the processor behind it."""

    def __init__(self, app: Flask, sandbox: Sandbox) -> None:
        self.app = app
        self.sandbox = sandbox
        self.client = app.test_client()

    def order(self, *, pre_order: bool = False, **items: int) -> str:
        """Puts things into the basket; a mug if nothing is said."""
        body = {"items": items or {"mug": 1}, "pre_order": pre_order}
        return str(self.post("/orders", body)["order_id"])

    def pay(self, order_id: str, card: str = "success") -> dict[str, Any]:
        """Pays by one of the sandbox's test cards."""
        return self.post(f"/orders/{order_id}/pay", {"card": self.sandbox.cards[card].as_data()})

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Does something; gives what the shop shows."""
        return dict(self.client.post(path, json=body).get_json())

    def look(self, order_id: str) -> dict[str, Any]:
        """The order as the shop shows it."""
        return dict(self.client.get(f"/orders/{order_id}").get_json())

    @property
    def parcels(self) -> list[str]:
        """The orders whose goods have left the house."""
        return list(self.app.extensions["till"].parcels)


@pytest.fixture
def shop(payment_sandbox: Sandbox) -> Customer:
    """A shop whose processor is the sandbox. Where it would wait, the sandbox's clock moves on instead."""

    def pause(seconds: float) -> None:
        payment_sandbox.clock.advance(seconds=seconds)

    processor = Processor(payment_sandbox.url, payment_sandbox.api_key, timeout=2, pause=pause)
    return Customer(create_app(processor, payment_sandbox.webhook_secret), payment_sandbox)
