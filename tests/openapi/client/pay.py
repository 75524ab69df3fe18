"""A client of openapi-generator in Python: authorizes and captures a payment, and captures once more."""

from __future__ import annotations

import json
import sys
from typing import Any

import openapi_client as api  # type: ignore[import-not-found]  # made by the test

CARD = {"card_number": "4242424242424242", "card_exp_month": "12", "card_exp_year": "2035", "card_cvc": "123"}
BODY = {
    "amount": 6540, "currency": "USD", "profile_id": "pro_generated", "confirm": True, "capture_method": "manual",
    "payment_method": "card", "payment_method_data": {"card": CARD},
}  # fmt: skip


def payment_of(answer: Any) -> Any:
    """A create can be answered with an error and 200, so that its answer is one of two."""
    return getattr(answer, "actual_instance", answer)


key = {"secretKey": "snd_generated_python"}
with api.ApiClient(api.Configuration(host=sys.argv[1], api_key=key)) as client:
    payments = api.PaymentsApi(client)
    created = payment_of(payments.payments_create(api.PaymentsCreateRequest.from_dict(BODY)))
    captured = payment_of(payments.payments_capture(created.payment_id))
    try:
        payments.payments_capture(created.payment_id)
    except api.ApiException as refused:
        again = json.loads(refused.body)["error"]["code"]

told = {"created": created.status, "captured": captured.status, "received": captured.amount_received, "again": again}
sys.stdout.write(json.dumps(told))
