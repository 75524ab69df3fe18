"""Every operation in every status: allowed exactly where the table says, refused in the form that it has."""

from __future__ import annotations

import pytest

from mock_server.domain.statuses import PaymentStatus as S
from mock_server.domain.transitions import ASK_BY_NAME
from tests.api.places import PLACES
from tests.wire import Wire, card_data

OPERATIONS = {
    "update": ("", {"amount": 700}),
    "confirm": ("/confirm", {"payment_method": "card", "payment_method_data": {"card": card_data()}}),
    "capture": ("/capture", {"amount_to_capture": 100}),
    "cancel": ("/cancel", {}),
    "cancel_post_capture": ("/cancel_post_capture", {}),
    "approve": ("/approve", {}),
    "reject": ("/reject", {}),
    "increment": ("/incremental_authorization", {"amount": 7000}),
    "extend": ("/extend_authorization", {}),
    "update_metadata": ("/update_metadata", {"metadata": {"a": 1}}),
    "complete_authorize": ("/complete_authorize", {}),
}
"""How each operation is asked over HTTP."""

RULED_OUT = {
    ("confirm", S.FAILED): "IR_16",  # the profile does not allow a retry
    ("capture", S.PENDING): "IR_14",  # only a pending capture of several can be followed by another
}
"""Where the status would allow it and another rule does not."""


@pytest.mark.parametrize("status", list(S))
def test_every_status_can_be_reached(api: Wire, status: S) -> None:
    payment = PLACES[status](api)
    assert api.get(f"/payments/{payment}")["status"] == status


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("status", list(S))
def test_operation_is_allowed_exactly_where_the_table_says(api: Wire, name: str, status: S) -> None:
    payment = PLACES[status](api)
    path, body = OPERATIONS[name]
    reply = api.post(f"/payments/{payment}{path}", body)
    code = RULED_OUT.get((name, status)) or (None if status in ASK_BY_NAME[name].allowed else _refusal(name, status))
    if code is None:
        assert reply.status == 200, reply.raw
    else:
        assert (reply.status, reply.error["code"]) == (400, code)
        assert api.get(f"/payments/{payment}")["status"] == status


def _refusal(name: str, status: S) -> str:
    return "IR_14" if ASK_BY_NAME[name].refused_as else "IR_16"


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_unknown_payment_is_404_whatever_is_asked(api: Wire, name: str) -> None:
    path, body = OPERATIONS[name]
    reply = api.post(f"/payments/pay_nobody{path}", body)
    assert (reply.status, reply.error["code"]) == (404, "HE_02")
