"""A type that is not its method's is refused in the public text, and the explanation is in the words that were sent.

Every method of the public API with every type of another one, in every call that takes both.
"""

from __future__ import annotations

from typing import Final

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.domain.customer import SAVEABLE
from mock_server.domain.methods import PUBLIC_TYPES, PUBLIC_WORDS, find
from tests.counts import times
from tests.dialects.public_facts import words
from tests.wire import Reply, Wire, wire

TEXT: Final = "payment_method_type doesn't correspond to the specified payment_method"
NOT_HERE: Final = {"network_token", "venmo", "pix_key", "open_banking_pis"}
"""Types that are 501 here, whatever they are sent with."""
PAIRS: Final = [
    (group, word)
    for group in PUBLIC_TYPES
    for word in words("PaymentMethodType")
    if word not in NOT_HERE and find((group, word)) is None
]
BARE: Final = {"amount": 6540, "currency": "USD", "customer_id": "cus_1"}


@pytest.fixture(scope="module")
def api() -> Wire:
    found = wire(dialect=HYPERSWITCH)
    found.post("/customers", {"customer_id": "cus_1"})
    return found


def explained(reply: Reply) -> str:
    """The sentence beside an error."""
    return reply.headers["X-Sandbox-Because"]


def test_there_are_many() -> None:
    assert len(PAIRS) > 1_000
    assert {group for group, _ in PAIRS} == set(PUBLIC_TYPES)


@pytest.mark.parametrize("path", ["/payments", "/payments/{}", "/payments/{}/confirm", "/payment_methods"])
def test_every_type_of_another_method(api: Wire, path: str) -> None:
    made = api.post("/payments", BARE)["payment_id"]
    data = {} if path == "/payment_methods" else {**BARE, "payment_token": "token_nobody"}
    wrong = []
    for group, word in PAIRS[:: times(11, soak=1)]:
        if path == "/payment_methods" and group not in SAVEABLE:
            continue
        body = {"customer_id": "cus_1", "payment_method": group, "payment_method_type": word, **data}
        reply = api.post(path.format(made), body)
        allowed = ", ".join(PUBLIC_TYPES[group])
        told = f"payment_method_type {word} does not belong to payment_method {group}; allowed: {allowed}."
        answer = (reply.status, reply.error["code"], reply.error["message"]) if reply.status >= 400 else ()
        if answer != (422, "IR_06", TEXT) or explained(reply) != told:
            wrong.append((group, word, reply.status, reply.raw[:200], reply.headers.get("X-Sandbox-Because")))
    assert not wrong, (len(wrong), wrong[:3])


@pytest.mark.parametrize("word", [word for word in words("PaymentMethodType") if word not in NOT_HERE])
def test_a_type_alone_stays_as_it_was_sent(api: Wire, word: str) -> None:
    made = api.post("/payments", {**BARE, "payment_method_type": word})
    shown = {"touch_ngo": "touch_n_go"}.get(word, word)
    assert (made["payment_method"], made["payment_method_type"]) == (None, shown)
    assert api.get(f"/payments/{made['payment_id']}")["payment_method_type"] == shown


@pytest.mark.parametrize("group", [group for group in PUBLIC_TYPES if group not in SAVEABLE])
def test_what_cannot_be_saved_is_not_offered(api: Wire, group: str) -> None:
    reply = api.post("/payment_methods", {"customer_id": "cus_1", "payment_method": group})
    assert (reply.status, reply.error["code"]) == (501, "IR_00")
    assert f"does not offer saving {group}," in reply.error["message"]


def test_every_method_has_one_name() -> None:
    assert len(set(PUBLIC_WORDS.values())) == len(PUBLIC_WORDS)
