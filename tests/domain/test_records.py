"""Records and commands: what no text shows of them, and that nothing changes them."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import Struct, structs

from mock_server.domain import api_keys, commands, dispute, report
from mock_server.domain.records import Discreet, Record
from mock_server.scenario.model import scenario

CANARY = "the-canary-that-no-text-may-show"
SECRETS: dict[type, set[str]] = {
    api_keys.ApiKey: {"rest"},
    commands.CardInput: {"number", "cvc"},
    commands.MethodInput: {"payload"},
    commands.PaymentRequest: {"card_cvc", "client_secret"},
    commands.RetrievePayment: {"client_secret"},
    dispute.SubmitEvidence: {"texts"},
    api_keys.EphemeralKey: {"secret"},
    dispute.Upload: {"content"},
    dispute.EvidenceFile: {"kept"},
    api_keys.IssuedKey: {"secret"},
    scenario.Scenario: {"text", "index"},
    report.Report: {"token"},
}


@pytest.mark.parametrize("kind", SECRETS, ids=lambda kind: kind.__name__)
def test_what_is_secret_is_never_in_a_text(kind: type[Struct]) -> None:
    filled: dict[str, Any] = {name: CANARY if name in SECRETS[kind] else "open" for name in kind.__struct_fields__}
    text = repr(kind(**filled))
    assert CANARY not in text
    assert all(f"{name}='open'" in text for name in filled.keys() - SECRETS[kind])


def test_only_fields_that_there_are_can_be_left_out() -> None:
    kinds = [*Discreet.__subclasses__(), *Record.__subclasses__()]
    assert set(SECRETS) <= set(kinds)
    assert all(set(kind.__struct_fields__) >= kind.HIDDEN for kind in kinds)


def test_a_value_is_changed_by_making_another() -> None:
    customer = commands.CustomerInput(name="Ada")
    with pytest.raises(AttributeError):
        customer.name = "Eve"  # type: ignore[misc]  # this is what is refused
    assert structs.replace(customer, name="Eve") == commands.CustomerInput(name="Eve")
