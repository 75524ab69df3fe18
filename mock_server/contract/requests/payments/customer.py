"""`customer`: who pays (facts §2.1)."""

from __future__ import annotations

from typing import Final

from mock_server.contract.requests.fields import CallerId, Free, Text, email_address
from mock_server.contract.requests.schema import Body

_F21: Final = "facts §2.1"


class Customer(Body):
    """A customer that is made, or one that exists already."""

    id = CallerId("Customer identifier.", source=_F21, example="cus_shopper_42")
    name = Text("Name.", source=_F21, example="Jane Doe")
    email = email_address("E-mail address.", source=_F21, example="jane.doe@example.com")
    phone = Text("Phone number.", source=_F21, example="5550100")
    phone_country_code = Text("Dialling code with a leading plus sign.", source=_F21, example="+1")
    customer_document_details = Free("Identity document; stored with nothing.", source=_F21)
    document_details = Free("Identity document; stored with nothing.", source=_F21)
    tax_registration_id = Text("Tax registration number.", source="facts §2.6")
