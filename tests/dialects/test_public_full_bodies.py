"""Every call with all that the public API lets it send: what the answer has of it too, it has as it was sent.

The client of these tests holds every answer against the table (public.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.domain.dispute import EVIDENCE_FILES
from tests.dialects.parameters import operation
from tests.dialects.public_values import ROUTES, SCHEMAS, value
from tests.routes.good import GOOD, caller, good
from tests.wire import Wire, wire

NAMES: Final = [route for route in ROUTES if operation(route).name in GOOD]
APART: Final = {
    **dict.fromkeys(
        ("payment_token", "mandate_id", "recurring_details", "client_secret", "payment_id", "customer_id", "dispute_id",
         "default_profile", "profile_id", "object_id", "event_id"), "names what is not there"),
    **dict.fromkeys(("mandate_data", "ctp_service_details", "off_session", "setup_future_usage", "confirm",
                     "payment_link", "capture_method", "enable_overcapture", "amount_to_capture"), "another payment"),
    **dict.fromkeys(EVIDENCE_FILES, "ids of files"),
    **dict.fromkeys(("payment_method", "payment_method_type", "payment_method_data", "amount", "merchant_id"),
                    "as in the good call"),
    "connector": "a list there, and the one that took the charge here",
    "customer": "names what also stands beside it, and its answer has another shape",
    **dict.fromkeys(("frm_routing_algorithm", "primary_business_details"), "of another type than said (public.py)"),
}  # fmt: skip
"""What is not sent, with the reason; the calls about these are elsewhere."""
_SECRET: Final = "a secret, which no answer shows"
_OF_THE_NUMBER: Final = "follows from the number"
_OF_A_PROFILE: Final = {
    "outgoing_webhook_custom_http_headers.a": "masked", "network_tokenization_credentials": _SECRET,
}  # fmt: skip
OTHERWISE: Final = {
    "POST /payments/{payment_id}/capture": {"statement_descriptor_suffix": "no effect (docs/reference/api)"},
    "POST /accounts": {"publishable_key": "the server's", "network_tokenization_credentials": _SECRET},
    "POST /accounts/{account_id}": {
        "merchant_id": "the path's", "publishable_key": "the server's", "network_tokenization_credentials": _SECRET,
    },
    "POST /account/{account_id}/connectors": dict.fromkeys(
        ("connector_account_details", "connector_webhook_details", "connector_wallets_details"), _SECRET),
    "POST /account/{account_id}/connectors/{merchant_connector_id}": dict.fromkeys(
        ("connector_account_details", "connector_webhook_details", "connector_wallets_details"), _SECRET),
    "POST /payment_methods": {
        **dict.fromkeys(("card.card_issuer", "card.card_type"), _OF_THE_NUMBER), "bank_transfer": "of a payout",
    },
    "POST /payment_methods/{method_id}/update": dict.fromkeys(
        ("card.last4_digits", "card.card_issuer", "card.issuer_country", "card.issuer_country_code"), _OF_THE_NUMBER),
    "POST /account/{account_id}/business_profile": _OF_A_PROFILE,
    "POST /account/{account_id}/business_profile/{profile_id}": _OF_A_PROFILE,
}  # fmt: skip
"""Fields that an answer has otherwise than they were sent, with the reason."""


def differing(sent: Any, shown: Any, way: str = "") -> Iterator[str]:
    """Places of both that are not alike."""
    if isinstance(sent, dict) and isinstance(shown, dict):
        for name in sent.keys() & shown.keys():
            yield from differing(sent[name], shown[name], f"{way}.{name}" if way else name)
    elif isinstance(sent, list) and isinstance(shown, list) and len(sent) == len(shown):
        for one, other in zip(sent, shown, strict=True):
            yield from differing(one, other, way)
    elif sent != shown:
        yield way


def full(api: Wire, route: str) -> tuple[dict[str, Any], Any]:
    """The whole body of a call, and its answer."""
    row, schema = operation(route), SCHEMAS[ROUTES[route]]
    call = good(api, row)
    whole = {name: one for name, one in value(schema, whole=True).items() if name not in APART}
    body = {**value(schema), **whole, **(call.body or {})}
    reply = caller(api, row).call(row.method, call.path(row), body, headers=dict(call.headers))
    assert reply.status == 200, reply.raw[:300]
    return body, reply.json if reply.raw else {}


@pytest.mark.parametrize("route", NAMES)
def test_a_whole_body_is_taken_and_returned(route: str) -> None:
    sent, shown = full(wire(dialect=HYPERSWITCH), route)
    wrong = set(differing(sent, shown))
    known = OTHERWISE.get(route, {})
    assert not [one for one in wrong if one not in known and one.split(".")[0] not in known], wrong


def test_the_exceptions_are_of_calls_that_are_tried() -> None:
    assert OTHERWISE.keys() <= set(NAMES)
    assert len(NAMES) > 30
