"""Card numbers and codes stand in no message, and in no text of a command."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract.requests.bodies import CARD, CREATE, FULL, LEAST, NOW_MS, refused, spoiled

AT = "payment_method_data.card"


@pytest.mark.parametrize(
    ("path", "value", "secret"),
    [
        (f"{AT}.card_number", "4242424242424241", "42424242"),
        (f"{AT}.card_number", "4242 4242 4242 4242", "4242 4242"),
        (f"{AT}.card_number", 4242424242424242, "42424242"),
        (f"{AT}.card_number", "4242424242424242x", "42424242"),
        (AT, "4242424242424242", "42424242"),
        ("payment_method_data", "4242424242424242", "42424242"),
        (f"{AT}.card_cvc", "98765", "98765"),
        (f"{AT}.card_cvc", 9876, "9876"),
        ("card_cvc", "98765", "98765"),
        ("payment_id", "4242424242424242!", "42424242"),
        ("email", "4242424242424242", "42424242"),
        ("currency", "4242424242424242", "42424242"),
        ("capture_method", "4242424242424242", "42424242"),
        ("order_date", "4242424242424242", "42424242"),
        ("amount", "4242424242424242", "42424242"),
    ],
)
def test_no_message_repeats_what_was_sent(path: str, value: object, secret: str) -> None:
    refusal = refused(CREATE, spoiled(path, value))
    assert secret not in str(refusal) + repr(refusal.fields) + repr(refusal.values)


def test_no_command_shows_them() -> None:
    body: dict[str, Any] = spoiled(f"{AT}.card_cvc", "9876", {**FULL, "card_cvc": "9876"})
    shown = repr(CREATE.load(body, NOW_MS))
    assert CARD["card_number"] not in shown
    assert "9876" not in shown


def test_no_payload_is_shown() -> None:
    payload = {"card_number": "4242424242424242", "card_exp_month": "03", "card_exp_year": "2035"}
    body = {**LEAST, "payment_method_data": {"bank_redirect": {"bancontact_card": payload}}}
    assert "42424242" not in repr(CREATE.load(body, NOW_MS))
