"""BR Codes: taken apart again by a reader of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.instructions import pix
from tests.domain.instructions.contexts import AMOUNTS, SEEDS, context


def crc_by_the_book(text: str) -> int:
    """CRC-16/CCITT-FALSE, bit by bit: polynomial 0x1021, beginning 0xFFFF, nothing reflected."""
    register = 0xFFFF
    for byte in text.encode("ascii"):
        register ^= byte << 8
        for _ in range(8):
            register = (register << 1 ^ 0x1021 if register & 0x8000 else register << 1) & 0xFFFF
    return register


def fields(text: str) -> dict[str, str]:
    """Two digits of tag, two of length, and the value."""
    return dict(_walk(text))


def _walk(text: str) -> Iterator[tuple[str, str]]:
    while text:
        length = int(text[2:4])
        assert len(text) >= 4 + length
        yield text[:2], text[4 : 4 + length]
        text = text[4 + length :]


@given(SEEDS, AMOUNTS, st.text(max_size=60), st.text("pay_ABCxyz019-", min_size=1, max_size=64))
def test_a_code_can_be_read(seed: int, amount: int, name: str, payment_id: str) -> None:
    made = context(seed, amount=amount, currency="BRL", merchant_name=name, payment_id=payment_id)
    text = pix.br_code(made)
    read = fields(text)
    assert list(read) == ["00", "01", "26", "52", "53", "54", "58", "59", "60", "62", "63"]
    assert int(read["63"], 16) == crc_by_the_book(text[:-4])
    assert read["00"] == "01"
    assert read["53"] == "986"
    assert read["58"] == "BR"
    assert read["54"] == f"{amount // 100}.{amount % 100:02d}"
    assert 1 <= len(read["59"]) <= 25
    assert fields(read["62"])["05"] == (re.sub(r"[^A-Za-z0-9]", "", payment_id)[-25:] or "***")
    assert read["52"] == "0000"


def test_the_account_is_a_random_key() -> None:
    account = fields(fields(pix.br_code(context()))["26"])
    assert account["00"] == "br.gov.bcb.pix"
    assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", account["01"])


def test_accents_are_left_out() -> None:
    assert fields(pix.br_code(context(merchant_name="Café São João")))["59"] == "Cafe Sao Joao"


@pytest.mark.parametrize(("text", "crc"), [("123456789", "29B1"), ("", "FFFF")])
def test_the_crc_of_published_examples(text: str, crc: str) -> None:
    assert pix.crc(text) == crc == f"{crc_by_the_book(text):04X}"
