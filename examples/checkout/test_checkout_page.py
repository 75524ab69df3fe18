"""A shop's checkout page in a browser, offline: `pytest test_checkout_page.py`."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect


@pytest.mark.parametrize(
    ("card", "says"),
    [("visa_success", "succeeded"), ("visa_insufficient_funds", "Payment declined: insufficient funds")],
)
def test_a_card(page, shop, payment_sandbox, card, says):
    checkout = payment_sandbox.checkout(page)
    page.goto(f"{shop}/pay")
    checkout.fill_card(card)
    page.get_by_role("button", name="Pay").click()
    expect(page.get_by_role("status")).to_have_text(says)


def test_a_challenge(page, shop, payment_sandbox):
    checkout = payment_sandbox.checkout(page)
    page.goto(f"{shop}/pay")
    checkout.fill_card("visa_3ds_required")
    page.get_by_role("button", name="Pay").click()
    page.get_by_test_id("approved").click()
    expect(page.get_by_role("heading")).to_have_text("Thank you")
    assert "status=succeeded" in page.url


def test_a_bank_redirect_that_the_customer_leaves(page, shop, payment_sandbox):
    checkout = payment_sandbox.checkout(page)
    page.goto(f"{shop}/pay")
    checkout.form.get_by_role("radio", name="iDEAL").check()
    page.get_by_role("button", name="Pay").click()
    page.get_by_test_id("cancelled").click()
    expect(page.get_by_role("heading")).to_have_text("Thank you")
    assert "status=failed" in page.url


def test_an_answer_that_is_lost(page, shop, payment_sandbox):
    """The charge is made, but the browser gets no answer: the script asks for the payment."""
    lost = {"on": "payments.confirm", "then": {"fault": "connection_reset", "effect": "kept"}}
    with payment_sandbox.scenario({"version": 1, "rules": [lost]}):
        checkout = payment_sandbox.checkout(page)
        page.goto(f"{shop}/pay")
        checkout.fill_card("visa_success")
        page.get_by_role("button", name="Pay").click()
        expect(page.get_by_role("status")).to_have_text("succeeded")


def test_a_script_that_does_not_load(page, shop, payment_sandbox):
    gone = {"on": "checkout.script", "then": {"respond": {"status": 503}}}
    with payment_sandbox.scenario({"version": 1, "rules": [gone]}):
        payment_sandbox.checkout(page)
        page.goto(f"{shop}/pay")
        assert page.evaluate("typeof window.Hyper") == "undefined"
