"""The text behind a PIX QR code: a BR Code after EMV's QRCPS-MPM, with its CRC (Banco Central do Brasil)."""

from __future__ import annotations

import re
import unicodedata
from binascii import crc_hqx
from typing import Final

from mock_server.domain.instructions.context import Context
from mock_server.domain.money import exponent_of, format_plain

_CRC_FIELD: Final = "6304"
_FOREIGN: Final = re.compile(r"[^A-Za-z0-9]")


def br_code(context: Context) -> str:
    """The text to copy or to draw: for one payment of a fixed amount, to a random key of our bank."""
    account = _field("00", "br.gov.bcb.pix") + _field("01", _key(context))
    text = "".join((
        _field("00", "01"),
        _field("01", "12"),
        _field("26", account),
        _field("52", "0000"),
        _field("53", "986"),  # BRL
        _field("54", format_plain(context.amount, exponent_of(context.currency))),
        _field("58", "BR"),
        _field("59", _plain(context.merchant_name)[:25] or "PAYMENT SANDBOX"),
        _field("60", "SAO PAULO"),
        _field("62", _field("05", _FOREIGN.sub("", context.payment_id)[-25:] or "***")),
    ))  # fmt: skip
    return text + _CRC_FIELD + crc(text + _CRC_FIELD)


def crc(text: str) -> str:
    """CRC-16/CCITT-FALSE of the text before it, in four upper-case hexadecimal digits."""
    return f"{crc_hqx(text.encode('ascii'), 0xFFFF):04X}"


def _field(tag: str, value: str) -> str:
    return f"{tag}{len(value):02d}{value}"


def _key(context: Context) -> str:
    """A random key (EVP), which has the form of a version 4 UUID."""
    drawn = context.digits(30)
    return f"{drawn[:8]}-{drawn[8:12]}-4{drawn[12:15]}-8{drawn[15:18]}-{drawn[18:30]}"


def _plain(name: str) -> str:
    """The name in ASCII, without accents: readers of BR Codes disagree about anything else."""
    return unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().strip()
