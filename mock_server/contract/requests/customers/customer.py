"""The body of a customer, and what a list of them can be filtered by (facts §2.6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mock_server.contract.requests.fields import CallerId, Free, Metadata, OneOrMany, Part, Text, email_address
from mock_server.contract.requests.payments.address import Address
from mock_server.contract.requests.schema import Body
from mock_server.domain import limits

_F: Final = "facts §2.6"


class CustomerBody(Body):
    """Who pays; everything is optional."""

    customer_id = CallerId("Your own id; generated when absent.", source=_F, example="cus_shopper_42")
    name = Text("Name.", source=_F, example="Jane Doe")
    email = email_address("E-mail address.", source=_F, example="jane.doe@example.com")
    phone = Text("Phone number.", source=_F, example="5550100")
    phone_country_code = Text("Dialling code with a leading plus sign.", source=_F, example="+1")
    description = Text("Free text.", most=limits.DESCRIPTION, source=_F, example="Met at the fair")
    tax_registration_id = Text("Tax registration number.", source=_F)
    address = Part(lambda: Address, "Postal address.", source=_F)
    metadata = Metadata("Up to 50 pairs of your own.", source=_F, example={"segment": "gold"})
    document_details = Free("Identity document; given back as it came.", source=_F)


def customer_filters() -> Mapping[str, OneOrMany]:
    """The filters by the engine's names."""
    return {
        "customer_id": OneOrMany(Text(), "Customer.", source="facts §1.4", example="cus_shopper_42"),
        "email": OneOrMany(Text(), "E-mail address.", source="ours", example="jane.doe@example.com"),
    }
