"""The next_action of every method: its type and exactly that type's fields (facts §2.3)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mock_server.domain.instants import iso
from mock_server.domain.instructions import next_action
from mock_server.domain.methods import METHODS, NEXT_ACTIONS, PUBLIC_METHODS, Flow, Method
from tests.domain.instructions.contexts import NOW, PAGE, PICTURE, context

QR = ["image_data_url", "qr_code_url", "display_to_timestamp", "display_text", "border_color", "raw_qr_data"]
WAIT = ["display_from_timestamp", "display_to_timestamp", "poll_config"]
SIBLINGS = {
    "redirect_to_url": ["redirect_to_url"],
    "display_bank_transfer_information": ["bank_transfer_steps_and_charges_details"],
    "qr_code_information": QR,
    "display_voucher_information": ["voucher_details"],
    "wait_screen_information": WAIT,
    "invoke_upi_intent_sdk": ["sdk_uri", *WAIT],
}
OPEN = [method for method in METHODS if method.flow is not Flow.CHARGE]


@pytest.mark.parametrize("method", OPEN, ids=lambda method: method.type)
def test_every_method_shows_its_own_type_and_fields(method: Method) -> None:
    shown = next_action(method.flow, method.type, context())
    assert shown["type"] == NEXT_ACTIONS.get(method.flow)
    assert list(shown) == ["type", *SIBLINGS[str(shown["type"])]]
    json.dumps(shown)


@pytest.mark.parametrize("method", OPEN, ids=lambda method: method.type)
def test_the_same_payment_shows_the_same(method: Method) -> None:
    assert next_action(method.flow, method.type, context(9)) == next_action(method.flow, method.type, context(9))


@pytest.mark.parametrize("kind", ["challenge", "one_time_code", "captcha", "redirect"])
def test_a_cards_challenge_is_a_page(kind: str) -> None:
    assert next_action(kind, "credit", context()) == {"type": "redirect_to_url", "redirect_to_url": PAGE}


def test_a_wallets_code_leads_to_the_page() -> None:
    shown = next_action(Flow.QR_CODE, "ali_pay", context())
    assert (shown["raw_qr_data"], shown["qr_code_url"]) == (PAGE, PICTURE)
    assert shown["image_data_url"] is None


def test_a_code_is_drawn_where_somebody_can_draw() -> None:
    drawn: list[str] = []

    def draw(text: str) -> str:
        drawn.append(text)
        return "data:image/svg+xml,x"

    shown = next_action(Flow.QR_CODE, "pix", context(qr_image=draw))
    assert shown["image_data_url"] == "data:image/svg+xml,x"
    assert drawn == [shown["raw_qr_data"]]


def test_a_boleto_can_be_typed_and_scanned() -> None:
    details: Any = next_action(Flow.VOUCHER, "boleto", context())["voucher_details"]
    assert len(details["barcode"]) == 44
    assert details["barcode"][-11:] == details["reference"]
    assert len(details["digitable_line"]) == 54
    assert details["entry_date"] == "2026-03-01"
    assert details["expires_at"] == "2026-03-04T12:00:00.000Z"
    assert details["download_url"] == details["instructions_url"] == PAGE


def test_a_multibanco_voucher_has_entity_and_reference() -> None:
    details: Any = next_action(Flow.VOUCHER, "multibanco", context())["voucher_details"]
    assert (len(details["entity"]), len(details["reference"])) == (5, 9)


def test_a_wait_screen_says_how_long_and_how_often() -> None:
    shown: Any = next_action(Flow.WAIT_SCREEN, "upi_collect", context())
    assert shown["display_from_timestamp"] == iso(NOW)
    assert set(shown["poll_config"]) == {"delay_in_secs", "frequency"}


@pytest.mark.parametrize("method", PUBLIC_METHODS, ids=lambda method: method.type)
def test_every_public_method_shows_what_its_flow_says(method: Method) -> None:
    if method.flow in (Flow.CHARGE, Flow.DEBIT):
        return
    shown: dict[str, Any] = next_action(method.flow, method.type, context())
    assert shown["type"] == NEXT_ACTIONS.get(method.flow)
    assert shown == next_action(method.flow, method.type, context())
    if method.flow is Flow.BANK_TRANSFER:
        ((_, account), *_) = shown["bank_transfer_steps_and_charges_details"].items()
        assert len(account["reference"]) == 16
        assert (account["expires_at"], account["instructions_url"]) == ("2026-03-04T12:00:00.000Z", PAGE)
    if method.flow is Flow.UPI_QR:
        assert shown["display_from_timestamp"] == "2026-03-01T12:00:00.000Z"
        assert shown["display_to_timestamp"] == "2026-03-04T12:00:00.000Z"
        drawn: dict[str, Any] = next_action(method.flow, method.type, context(qr_image=lambda text: f"drawn {text}"))
        assert drawn["qr_code_url"].startswith("drawn upi://pay?")
    if method.flow is Flow.CODE:
        assert shown["consent_data_required"] == "consent_required"
