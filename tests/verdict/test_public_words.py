"""A workspace in the words of the public API is judged as any other, or it is said that it is not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mock_server.dialects.interface import INTERFACE
from mock_server.domain.errors import Cause
from mock_server.testing import Sandbox, SandboxServer
from mock_server.verdict.evidence import gathered, read
from mock_server.verdict.outcomes import met
from tests.verdict.clients import broken
from tests.verdict.clients_by_kind import Client


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with SandboxServer() as server:
        found = Sandbox(server=server, name="public words", seed="tests", dialect="hyperswitch")
        yield found
        found.close()


def test_its_outcomes_are_counted_under_the_names_of_all(sandbox: Sandbox) -> None:
    waiting = sandbox.client.pay("visa_3ds", return_url="https://shop.example")
    assert waiting["status"] == "requires_customer_action"
    sandbox.control.post(f"/payments/{waiting['payment_id']}/authenticate", {"result": "approved"})
    begun = sandbox.client.post("/payments", {"amount": 1, "currency": "USD"})["payment_id"]
    assert sandbox.client.post(f"/payments/{begun}/confirm", {})["error"]["code"] == "IR_06"
    counts = met(read(gathered(lambda path: sandbox.control.get(f"/{path}")))).counts
    assert {"status/requires_action", "challenge/approved", "transition/requires_action->succeeded"} <= counts.keys()
    assert f"error/payments.confirm/{INTERFACE.errors[Cause.METHOD_MISSING_AT_CONFIRM].code}" in counts
    assert not [one for one in counts if "customer_action" in one or one.endswith("/IR_06")]


def test_rules_about_money_find_what_they_find(sandbox: Sandbox) -> None:
    broken.double_charge(sandbox)
    assert [one.rule.id for one in sandbox.verdict().found("error")] == ["double-charge"]


@pytest.mark.parametrize("client", [broken.amount_not_whole, broken.unknown_fields])
def test_a_wrong_field_is_known_from_the_message(sandbox: Sandbox, client: Client) -> None:
    client(sandbox)
    assert [one.rule.id.replace("-", "_") for one in sandbox.verdict().found("error")] == [client.__name__]
