"""Accounts and people in the data of methods other than cards: never shown whole, and never taken for one another."""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

import pytest

from mock_server.contract.dialect import Dialect
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.domain.methods import METHODS, PAYLOADS, PUBLIC_PAYLOADS, Payload, find
from tests.wire import Wire, wire

NAMES_ACCOUNT: Final = re.compile(
    r"(iban|account_number|bank_account_id|vpa_id|cpf|cnpj|pix_key|social_security_number|msisdn)$"
)
"""What belongs to one account or person, by its name (facts §2.2: masked)."""
BESIDE: Final = {
    "country": "DE", "bank_name": "ing", "vpa_id": "somebody@okbank", "iban": "DE89370400440532013000",
    "account_number": "000123456789", "routing_number": "110000000", "sort_code": "108800", "bsb_number": "000000",
    "number": "6006491727005748013", "cvc": "1234", "pin": "1234", "cvv2": "123",
    "expiration_date": "12/2035", "msisdn": "15550100", "date_of_birth": "1990-01-31",
}  # fmt: skip
"""What a method asks for, by the last part of its path."""


class Case(NamedTuple):
    """One field of one method's data, in one dialect."""

    dialect: Dialect | None
    row: Payload
    field: str

    def __str__(self) -> str:
        return f"{'public' if self.dialect else 'interface'}-{self.row.name}-{self.field}"


CASES: Final = [
    Case(dialect, row, field)
    for dialect in (None, HYPERSWITCH)
    for row in (*PAYLOADS, *PUBLIC_PAYLOADS)
    for field in row.fields or ()
    if NAMES_ACCOUNT.search(field)
    if dialect or (row.category, row.type) in {method[:2] for method in METHODS}
]


def value(case: Case, middle: str) -> str:
    """A text of the field's form that is known by its middle alone: both ends are what a mask may show."""
    return f"so{middle}me@okbank" if case.field == "vpa_id" else f"DE{middle}00003000"


def paid(api: Wire, case: Case, middle: str, **more: Any) -> Any:
    """A payment with this text in the field."""
    group = case.row.group if case.dialect else case.row.category
    method = find((case.row.category, case.row.type))
    assert method is not None
    asked = {path.split(".")[-1]: BESIDE[path.split(".")[-1]] for path in case.row.required}
    data = {case.row.group: {case.row.name: {**asked, case.field: value(case, middle)}}}
    body = {
        "amount": 6540, "currency": (method.currencies or ("EUR",))[0], "profile_id": "pro_tests", "confirm": True,
        "payment_method": group, "payment_method_type": case.row.type, "payment_method_data": data,
        "return_url": "https://shop.example/", "email": "jo@example.com", **more,
    }  # fmt: skip
    reply = api.post("/payments", body)
    assert reply.status == 200, reply.raw
    return reply.json


@pytest.mark.parametrize("case", CASES, ids=str)
def test_no_answer_and_no_event_shows_it_whole(case: Case) -> None:
    api = wire(dialect=case.dialect)
    made = paid(api, case, "abcdef")
    path = f"/payments/{made['payment_id']}"
    answers = [made, api.get(path).json, api.get("/payments/list").json]
    events = [one["body"] for one in api.get("/_sandbox/webhooks")["data"]]
    for shown in (*answers, *events):
        assert value(case, "abcdef") not in str(shown)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_two_accounts_are_not_one_saved_method(case: Case) -> None:
    api = wire(dialect=case.dialect)
    agreed = {"acceptance_type": "offline", "accepted_at": "2026-01-01T00:00:00Z"}
    saving = {"customer_id": "cus_1", "setup_future_usage": "off_session", "customer_acceptance": agreed}
    ids = []
    for middle in ("abcdef", "ghijkl", "abcdef"):
        made = paid(api, case, middle, **saving)
        api.post(f"/_sandbox/payments/{made['payment_id']}/settle", {"as": "succeeded"})
        api.post(f"/_sandbox/payments/{made['payment_id']}/authenticate", {"result": "approved"})
        ids.append(api.get(f"/payments/{made['payment_id']}")["payment_method_id"])
    listed = api.get("/customers/cus_1/payment_methods").raw.decode()
    assert not [one for one in ("abcdef", "ghijkl") if value(case, one) in listed]
    assert ids[0] == ids[2]
    assert ids[0] != ids[1] or ids[0] is None
