"""The search as a call: what a hit tells, what is refused, and that the journal's own calls are not found."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from tests.wire import Wire


def test_a_hit_tells_what_it_is_and_how_it_stands(api: Wire) -> None:
    api.post("/_sandbox/clock/freeze", {"at": "2026-03-01T10:00:00.000Z"})
    paid = api.pay(amount=6540, customer={"id": "cus_ada", "name": "Ada"})["payment_id"]
    refund = api.post("/refunds", {"payment_id": paid, "amount": 100, "reason": "too big"})["refund_id"]
    found = api.get("/_sandbox/search?text=65.40%20USD").json
    hit = {
        "kind": "payment", "id": paid, "at": "2026-03-01T10:00:00.000Z", "status": "succeeded",
        "badge": "refunded in part", "tone": "plain", "amount": 6540, "currency": "USD", "payment_id": None,
        "customer_id": "cus_ada", "number": None, "says": "1.00 USD, Ada",
    }  # fmt: skip
    kinds = [{"kind": "payment", "total": 1, "is_exact": True}]
    assert found == {"data": [hit], "total_count": 1, "kinds": kinds, "looked_at": 0, "of": 1, "is_cut": False}
    (of_refund,) = api.get(f"/_sandbox/search?text={refund}")["data"]
    assert (of_refund["kind"], of_refund["payment_id"], of_refund["says"]) == ("refund", paid, "too big")


def test_calls_are_found_by_their_request_and_those_of_the_control_api_are_not(api: Wire) -> None:
    api.pay()
    api.get("/_sandbox/search?text=req_")
    calls = [hit for hit in api.get("/_sandbox/search?text=req_")["data"] if hit["kind"] == "call"]
    assert [(hit["number"], hit["says"]) for hit in calls] == [(1, "POST /payments 200")]


@pytest.mark.parametrize("query", ["", "?text=", "?text=x", f"?text={'x' * 201}", "?q=abc"])
def test_what_is_no_text_to_look_for_is_refused(api: Wire, query: str) -> None:
    reply = api.get(f"/_sandbox/search{query}")
    assert reply.status == 400 and reply.json["error"]["fields"]


@pytest.mark.parametrize("text", ["a\0b\0", "%_", "\n\n", "..", "[a-z]+", "{}"])
def test_signs_mean_themselves(api: Wire, text: str) -> None:
    api.pay()
    assert api.get(f"/_sandbox/search?text={quote(text)}")["data"] == []


def test_a_card_number_that_is_looked_for_is_not_kept(api: Wire) -> None:
    api.get(f"/_sandbox/search?text={quote('4242424242424242')}")
    assert "4242424242424242" not in api.get("/_sandbox/journal?operation=control.*").raw.decode()


def test_what_is_told_by_bytes_is_found_as_what_is_read(api: Wire) -> None:
    """Amounts of every number of decimals, declines by name and code, in any case."""
    amounts = {"USD": "65.40", "JPY": "6540", "BHD": "6.540", "EUR": "0.05", "GBP": "123456.78"}
    made = {
        currency: api.pay(amount=int(text.replace(".", "")), currency=currency)["payment_id"]
        for currency, text in amounts.items()
    }
    for currency, text in amounts.items():
        for said in (text, f"{text} {currency}", f"{text} {currency.lower()}", text.replace(".", ",")):
            assert made[currency] in found(api, said), said
    assert found(api, "6540") == [made["BHD"], made["JPY"], made["USD"]]
    assert found(api, "6540 EUR") == found(api, "6540 USD") == found(api, "65.41") == []
    failed = {name: api.pay(name) for name in ("insufficient_funds", "lost_card", "expired_card")}
    for name, reply in failed.items():
        for said in (name, name.upper(), name.replace("_", " "), name.replace("_", "-")):
            assert found(api, said) == [reply["payment_id"]], said
        for code in (reply["error_code"], reply["error_code"].lower()):  # which several declines share
            assert reply["payment_id"] in found(api, code), code


def found(api: Wire, text: str) -> list[str]:
    return [hit["id"] for hit in api.get(f"/_sandbox/search?text={quote(text)}")["data"] if hit["kind"] == "payment"]
