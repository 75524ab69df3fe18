"""The objects inside a payment that are given back: which keys they show, in the documented order.

The order's one home is the schemas' own fields; here others can ask for it without marshmallow being imported sooner.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from mock_server.domain.payment_echo import ECHO_FIELDS, ECHO_WHEN_SENT

__all__ = ["ECHO_FIELDS", "ECHO_WHEN_SENT", "filled", "keys_of"]


@cache
def keys_of(what: str) -> tuple[str, ...]:
    """The keys of one kind of object; KeyError for a kind that is not shown."""
    from mock_server.contract.requests.payments import address, browser, consent, order

    kinds = {
        "address": address.Address,
        "phone": address.Phone,
        "billing": address.Contact,
        "browser_info": browser.BrowserInfo,
        "order_details": order.OrderLine,
        "surcharge_details": order.SurchargeDetails,
        "customer_acceptance": consent.CustomerAcceptance,
        "mandate_data": consent.MandateData,
    }
    return tuple(kinds[what]().load_fields)


def filled(what: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """An object with all its keys in their order, null where there is no value."""
    return {key: values.get(key) for key in keys_of(what)}
