"""A name that an answer does not have: for an error, the exception says which one, whatever its code and dialect."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.dialects.interface import INTERFACE
from mock_server.testing import Sandbox, SandboxServer


@pytest.fixture(scope="module", params=[INTERFACE.name, HYPERSWITCH.name])
def speaking(request: pytest.FixtureRequest, inside: SandboxServer) -> Iterator[Sandbox]:
    with Sandbox(server=inside, dialect=request.param) as sandbox:
        yield sandbox


@pytest.mark.parametrize("name", ["status", "payment_id"])
def test_an_error_is_said(speaking: Sandbox, name: str) -> None:
    dialect = INTERFACE if speaking.control.get("/dialect")["dialect"] == "interface" else HYPERSWITCH
    for code in sorted({row.code for row in dialect.errors.values()}):
        speaking.next("payments.create", error=code)
        answer = speaking.client.pay()
        with pytest.raises(KeyError) as raised:
            answer[name]
        said = str(raised.value)
        assert [part for part in (name, str(answer.status), code, answer.error["message"]) if part not in said] == []


def test_the_error_itself_can_be_read(speaking: Sandbox) -> None:
    answer = speaking.client.get("/payments/pay_nobody")
    assert answer["error"] == answer.error


def test_an_answer_that_is_no_error_has_the_name_alone(speaking: Sandbox) -> None:
    with pytest.raises(KeyError, match=r"^'nothing'$"):
        speaking.client.pay()["nothing"]


@pytest.mark.parametrize("body", [{"error": "bad gateway"}, {"error": {}}, {}])
def test_so_has_a_foreign_answer(speaking: Sandbox, body: dict[str, object]) -> None:
    speaking.next("payments.create", respond={"status": 502, "body": body})
    with pytest.raises(KeyError, match=r"^'status'$"):
        speaking.client.pay()["status"]


def test_what_an_error_has_besides_can_be_read(speaking: Sandbox) -> None:
    speaking.next("payments.create", respond={"status": 502, "body": {"error": {"code": "X"}, "status": "failed"}})
    assert speaking.client.pay()["status"] == "failed"
