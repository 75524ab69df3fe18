"""The statuses in the public API's words (facts §3)."""

from __future__ import annotations

from typing import Final

from mock_server.contract.dialect import KINDS, readings_of, words_of
from mock_server.dialects.interface.words import READINGS as INTERFACES
from mock_server.domain.statuses import ALIASES, PaymentStatus

WORDS: Final = words_of(KINDS, {PaymentStatus: {status.value: word for word, status in ALIASES.items()}})
READINGS: Final = readings_of(
    WORDS, ((word, member) for words in INTERFACES.values() for word, member in words.items())
)
