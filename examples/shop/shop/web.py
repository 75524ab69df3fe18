"""The routes for customers and the processor."""

from __future__ import annotations

import hashlib
import hmac
import os
from typing import Any

from flask import Blueprint, Flask, abort, current_app, request

from shop.orders import Order, Orders
from shop.processor import Processor, Unreachable
from shop.till import Till

site = Blueprint("shop", __name__)


def create_app(processor: Processor | None = None, webhook_secret: str | None = None) -> Flask:
    """The shop. Arguments that are not given come from the environment."""
    app = Flask("shop")
    orders = Orders()
    known = processor or Processor(os.environ["PAYMENTS_URL"], os.environ["PAYMENTS_KEY"])
    home = os.environ.get("SHOP_URL", "http://127.0.0.1:5000")
    app.config["WEBHOOK_SECRET"] = webhook_secret or os.environ["PAYMENTS_WEBHOOK_SECRET"]
    app.extensions["orders"] = orders
    app.extensions["till"] = Till(known, orders, home)
    app.register_blueprint(site)
    app.register_error_handler(Unreachable, lambda problem: ({"message": "we will know soon"}, 503))
    return app


@site.post("/orders")
def order_something() -> tuple[dict[str, Any], int]:
    wanted = request.get_json()
    order = current_app.extensions["orders"].new(wanted["items"], pre_order=wanted.get("pre_order", False))
    return order.shown(), 201


@site.get("/orders/<order_id>")
def show(order_id: str) -> dict[str, Any]:
    return _order(order_id).shown()


@site.post("/orders/<order_id>/pay")
def pay(order_id: str) -> dict[str, Any]:
    """The card is sent to the processor and never stored."""
    order = _order(order_id)
    payment = _till().pay(order, request.get_json()["card"])
    step = payment["next_action"] or {}
    return {**order.shown(), "go_to": step.get("redirect_to_url")}


@site.get("/orders/<order_id>/return")
def come_back(order_id: str) -> dict[str, Any]:
    """The customer returns from the bank. The URL contains the result, but anybody can type a URL."""
    order = _order(order_id)
    _till().look(order)
    return order.shown()


@site.post("/orders/<order_id>/ship")
def ship(order_id: str) -> dict[str, Any]:
    order = _order(order_id)
    _till().ship(order, request.get_json()["items"])
    return order.shown()


@site.post("/orders/<order_id>/refund")
def refund(order_id: str) -> dict[str, Any]:
    order = _order(order_id)
    status = _till().refund(order, request.get_json()["amount"])
    return {**order.shown(), "refund": status}


@site.post("/webhooks")
def hear() -> tuple[str, int]:
    """An event: verify that it comes from the processor, then retrieve the payment."""
    secret = current_app.config["WEBHOOK_SECRET"].encode()
    signed = hmac.new(secret, request.get_data(), hashlib.sha512).hexdigest()
    if not hmac.compare_digest(signed, request.headers.get("X-Webhook-Signature-512", "")):
        return "not signed by the processor", 401
    payment_id = request.get_json()["content"]["object"].get("payment_id")
    if payment_id:
        _till().handle_event(payment_id)
    return "", 200


def _order(order_id: str) -> Order:
    order: Order | None = current_app.extensions["orders"].get(order_id)
    return order or abort(404)


def _till() -> Till:
    till: Till = current_app.extensions["till"]
    return till
