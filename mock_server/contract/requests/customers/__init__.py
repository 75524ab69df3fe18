"""The requests of the customers API (facts §1.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mock_server.contract.requests.listing import listing
from mock_server.contract.requests.load import Shape
from mock_server.contract.requests.metadata import text_of
from mock_server.domain.customer import CustomerFields
from mock_server.domain.paging import Query
from mock_server.jsontext import canonical


def _customer() -> Any:
    from mock_server.contract.requests.customers.customer import CustomerBody

    return CustomerBody()


def fields_of(loaded: Mapping[str, Any]) -> CustomerFields:
    """The command of create, update and replace."""
    sent = {name: value for name, value in loaded.items() if value is not None}
    for name in ("address", "document_details"):
        if name in sent:
            sent[name] = canonical(sent[name])
    if "metadata" in sent:
        sent["metadata"] = text_of(sent["metadata"])
    return CustomerFields(**sent)


CUSTOMER: Final[Shape[CustomerFields]] = Shape(_customer, fields_of)
"""`POST /customers`, `POST` and `PUT /customers/{id}`."""


def customers_list(names: Mapping[str, str]) -> Shape[Query]:
    """`GET` and `POST /customers/list`; `names` gives the wire's name of a parameter by the engine's."""

    def filters() -> Mapping[str, Any]:
        from mock_server.contract.requests.customers.customer import customer_filters

        return customer_filters()

    return listing(filters, names)
