"""A capture that is refused after an earlier one says what allows several, where that is the reason, and only there."""

from __future__ import annotations

from typing import Final

import pytest

from mock_server.dialects import DIALECTS, get
from tests.api.money_places import fine, paid
from tests.wire import wire

WHOLE: Final = 6540
PUBLIC: Final = (
    "This Payment could not be captured because it has a payment.status of {}."
    " The expected state is requires_capture, partially_captured_and_capturable, processing"
)


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
@pytest.mark.parametrize("method", ["automatic", "manual", "manual_multiple"])
@pytest.mark.parametrize("first", [1, WHOLE - 1, WHOLE, None])
def test_a_second_capture_names_what_allows_it(dialect: str, method: str, first: int | None) -> None:
    api = wire(dialect=get(dialect))
    path = f"/payments/{paid(api, capture_method=method)}/capture"
    status = "succeeded"
    if method != "automatic":
        amount = WHOLE if first is None and method == "manual_multiple" else first
        status = fine(api.post(path, {} if amount is None else {"amount_to_capture": amount}))["status"]
    reply = api.post(path, {"amount_to_capture": 1})
    if status == "partially_captured_and_capturable":
        fine(reply)
        return
    assert (reply.status, reply.error["code"]) == (400, "IR_14")
    said = reply.error["message"]
    if dialect == "hyperswitch":
        assert said == PUBLIC.format(status)
        said = reply.headers["X-Sandbox-Because"]
    assert ("manual_multiple" in said) is (status == "partially_captured")
