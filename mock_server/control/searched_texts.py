"""Whether a record has a text that is looked for: a part of its texts, or the name of its card or decline."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from mock_server.domain import declines
from mock_server.domain.payment import Failure, Payment

_CARD: Final = re.compile(r"([a-z ]*?)[\s•*·.…]*(\d{4})")
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9_ -]{2,60}")


class TextTests(NamedTuple):
    """Two tests of a record: of its encoded bytes, and, if they may match, of the record.

    The first excludes most records, in a tenth of the time that decoding them takes.
    """

    may_be: Callable[[bytes], bool]
    is_it: Callable[[Any], bool]


def in_payment(text: str) -> TextTests:
    """The tests for a part of a payment's texts, the digits of its card, its error code or its decline."""
    small, words = text.lower(), list[bytes]()
    card = _CARD.fullmatch(small)
    named = ""
    if card is not None:
        words.append(card[2].encode())
    if _WORD.fullmatch(text) is not None:
        named = _underscored(text)
        of_code = [row.name for row in declines.DECLINES if _underscored(row.error_code) == named]
        words += [word.encode() for word in (named, *of_code)]
        if _underscored(Failure("").error_code) == named:  # the code of declines with any name that no table has
            words.append(b"")

    def is_it(payment: Payment) -> bool:
        kept, failure = payment.card, payment.failure
        if kept and card and kept.last4 == card[2] and card[1].strip() in ("", kept.brand.lower()):
            return True
        if failure is not None and named and named in (failure.decline, _underscored(failure.error_code)):
            return True
        texts = (payment.customer_name, payment.email, payment.customer_id, payment.merchant_order_reference_id)
        return _contain(small, *texts, kept.holder if kept is not None else None)

    return TextTests(_has(text, words), is_it)


def _underscored(text: str) -> str:
    return re.sub(r"[ -]", "_", text.lower())


def _contain(small: str, *texts: str | None) -> bool:
    return any(text is not None and small in text.lower() for text in texts)


def in_customer(text: str) -> TextTests:
    """The tests for a part of a customer's texts."""
    small = text.lower()
    return TextTests(_has(text, []), lambda who: _contain(small, who.name, who.email, who.customer_id))


def _has(text: str, words: Sequence[bytes]) -> Callable[[bytes], bool]:
    """A test whether bytes can contain a text in any case, or one of some words in small letters."""
    plain = max(re.findall(r"[ -~]+", text), key=len, default="")
    small = text.lower()
    if len(plain) < 2 and small != text.upper():  # letters that have a case, and are not of one byte
        return lambda row: small in row.decode("utf-8", "ignore").lower()
    is_whole = bool(words) or text.isascii()
    wanted = (plain.lower().encode() if len(plain) > 1 else text.encode(), *words)

    def may_be(row: bytes) -> bool:
        low = row.lower()
        return any(word in low for word in wanted) and (is_whole or small in row.decode("utf-8", "ignore").lower())

    return may_be
