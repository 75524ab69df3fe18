"""The body of a create: what it becomes."""

from __future__ import annotations

from mock_server.shapes.requests import payments

NOW_MS = 1_800_000_000_000  # 2027-01-15
CREATE = payments.create(frozenset(("amount", "currency", "profile_id")))
LEAST = {"amount": 6540, "currency": "USD", "profile_id": "pro_1"}


def test_billing_is_shown_whole_and_in_the_documented_order() -> None:
    billing = {"phone": {"country_code": "+1"}, "address": {"country": "US", "line1": "1467 Harrison Street"}}
    request = CREATE.load({**LEAST, "billing": billing}, NOW_MS)
    assert request.echo["billing"] == (
        '{"address":{"line1":"1467 Harrison Street","line2":null,"line3":null,"city":null,"state":null,"zip":null,'
        '"country":"US","first_name":null,"last_name":null,"origin_zip":null},'
        '"phone":{"number":null,"country_code":"+1"},"email":null}'
    )
    assert request.billing_country == "US"
