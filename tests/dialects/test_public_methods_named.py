"""An error of the public dialect names a method only as the call does: `voucher`, not the interface's `bank_transfer`.

Every method, wrong in each way in which a refusal names one: for a mandate, with the data of another method, with a
saved card, and to be saved.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.domain.methods import ALL_METHODS, PAYLOADS, PUBLIC_PAYLOADS, public_words
from tests.api.saving import ACCEPTANCE, CUSTOMER, save, token
from tests.counts import times
from tests.wire import Wire, card_data, wire

Said = dict[str, Any]
PAYS: Final = {"amount": 6540, "currency": "EUR", "customer_id": CUSTOMER, "confirm": True, "email": "jo@example.com"}
NAMES: Final = {row.type: (row.group, row.name) for row in (*PUBLIC_PAYLOADS, *PAYLOADS)}
"""Where the data of a type are."""
ROWS: Final = [row for row in ALL_METHODS if row.category != "card" and row.type in NAMES]
WORDS: Final = {word for row in ALL_METHODS for word in (*row[:2], *public_words(*row[:2])) if word} - {"card"}


def of_mandate(api: Wire, said: Said, data: Said) -> Said:
    limit = {"multi_use": {"amount": 6540, "currency": "EUR"}}
    agreed = {"customer_acceptance": ACCEPTANCE, "mandate_type": limit}
    return {**said, "setup_future_usage": "off_session", "mandate_data": agreed, "payment_method_data": data}


def with_a_card(api: Wire, said: Said, data: Said) -> Said:
    return {**said, "payment_method_data": {"card": card_data()}}


def for_a_card(api: Wire, said: Said, data: Said) -> Said:
    return {"payment_method": "card", "payment_method_data": data}


def with_a_token(api: Wire, said: Said, data: Said) -> Said:
    return {**said, "payment_token": token(api)}


def with_data_of_its_category(api: Wire, said: Said, data: Said) -> Said:
    ((group, own),) = data.items()
    others = (name for kind, name in NAMES.values() if kind == group and name not in own)
    return {**said, "payment_method_data": {group: {next(others, None): {}} if group != "crypto" else own}}


def to_be_saved(api: Wire, said: Said, data: Said) -> Said:
    return {**said, "card": card_data()}


WAYS: Final = (of_mandate, with_a_card, for_a_card, with_a_token, with_data_of_its_category, to_be_saved)


def words_of(body: Said) -> set[str]:
    """The words of a body, and the types whose data it has."""
    words = set(re.findall(r"\w+", json.dumps(body)))
    return words | {type_ for type_, (_, name) in NAMES.items() if name in words}


def named(text: str) -> Iterator[str]:
    """The methods that a text names."""
    return (word for word in re.findall(r"\w+", text) if word in WORDS)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_an_error_names_a_method_as_the_call_did(way: Callable[[Wire, Said, Said], Said]) -> None:
    api, wrong, refused = wire(dialect=HYPERSWITCH), [], 0
    save(api)
    for row in ROWS[:: times(4, soak=1)]:
        said = dict(zip(("payment_method", "payment_method_type"), public_words(*row[:2]), strict=True))
        group, name = NAMES[row.type]
        sent = way(api, said, {group: {name: {}}})
        is_saved = way is to_be_saved
        body = {"customer_id": CUSTOMER, **sent} if is_saved else {**PAYS, **sent}
        reply = api.post("/payment_methods" if is_saved else "/payments", body)
        if reply.status != 200:
            refused += 1
            told = " ".join(str(reply.error.get(part, "")) for part in ("message", "reason"))
            wrong += [(said, told)] if not set(named(told)) <= words_of(body) else []
    assert refused
    assert not wrong, (len(wrong), wrong[:3])
