"""A security code is kept nowhere, however the field is called that it stands in."""

from __future__ import annotations

import json
from typing import Final

import pytest

from mock_server.http.redaction import cleaned_accepted
from tests.wire import card_payment, wire

CODE: Final = "846"
FIELDS: Final = ("card_cvc", "card_cvc2", "card_cvc_code", "my_card_cvc", "CARD_CVV", "security_code", "cid")


@pytest.mark.parametrize("code", [CODE, int(CODE)], ids=["text", "number"])
@pytest.mark.parametrize("field", FIELDS)
def test_a_code_in_metadata_is_not_kept(field: str, code: str | int) -> None:
    api = wire()
    assert api.post("/payments", {**card_payment(), "metadata": {field: code}}).status == 200
    (line,) = api.get("/_sandbox/journal")["data"]
    assert CODE not in str(line["request"])
    assert field in str(line["request"])


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")], ids=["close", "wide"])
def test_a_usual_body_is_cleaned_as_it_stands(separators: tuple[str, str]) -> None:
    raw = json.dumps(card_payment(), separators=separators).encode()
    kept = cleaned_accepted(raw)
    assert kept is not None
    assert json.loads(kept)["payment_method_data"]["card"]["card_cvc"] == "[hidden]"
