"""A payment with a link, and what its customer sees and sends."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode, urlsplit

from tests.api.money_places import fine
from tests.wire import Reply, Wire

MADE: dict[str, Any] = {
    "amount": 6540,
    "currency": "USD",
    "profile_id": "pro_shop",
    "payment_link": True,
    "return_url": "https://shop.example/done",
    "session_expiry": 900,
}

CARD = {"method": "card", "card_exp_month": "03", "card_exp_year": "35", "card_cvc": "737"}


def linked(api: Wire, **fields: Any) -> dict[str, Any]:
    made: dict[str, Any] = fine(api.post("/payments", {**MADE, **fields})).json
    return made


def page(api: Wire, made: dict[str, Any], **form: str) -> Reply:
    """The page as it is shown, or what comes of its form."""
    path = urlsplit(made["payment_link"]["link"]).path
    shown = api.as_key(None).get(path)
    if not form:
        return shown
    token = re.search(r'name="token" value="(\w+)"', shown.raw.decode())
    sent = urlencode({"token": token[1] if token else "", **form}).encode()
    return api.as_key(None).call("POST", path, raw=sent, headers={"Content-Type": "application/x-www-form-urlencoded"})


def stands(api: Wire, made: dict[str, Any]) -> object:
    return api.get(f"/payments/{made['payment_id']}")["status"]
