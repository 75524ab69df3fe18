"""The body of a customer, and the filters of a list of customers (facts §2.6)."""

from __future__ import annotations

from typing import Final

from mock_server.contract.kinds.base import KEPT, KEPT_TEXT, METADATA
from mock_server.contract.kinds.objects import Body, ObjectOf, OneOrMany
from mock_server.contract.kinds.texts import CallerId, Text, email_address
from mock_server.contract.kinds.values import Metadata
from mock_server.contract.requests.listing import listing
from mock_server.contract.requests.payments.parts import Address, DocumentDetails
from mock_server.contract.requests.shapes import Shape, storing
from mock_server.domain.customer import CustomerFields


class CustomersBody(Body, source="facts §2.6"):
    """A customer. All fields are optional."""

    customer_id = CallerId("Your own ID. Generated if omitted.", example="cus_shopper_42")
    name = Text("Name.", example="Jane Doe", place=KEPT)
    email = email_address("Email address.", example="jane.doe@example.com", place=KEPT)
    phone = Text("Phone number.", example="5550100", place=KEPT)
    phone_country_code = Text("Dialling code with a leading plus sign.", example="+1", place=KEPT)
    description = Text("Free text.", example="Met at the fair", place=KEPT)
    tax_registration_id = Text("Tax registration number.", place=KEPT)
    address = ObjectOf(lambda: Address, "Postal address.", place=KEPT_TEXT)
    metadata = Metadata(example={"segment": "gold"}, place=METADATA)
    document_details = ObjectOf(lambda: DocumentDetails, "Identity document.", place=KEPT_TEXT)


CUSTOMER: Final[Shape[CustomerFields]] = storing(CustomersBody, CustomerFields)
"""`POST /customers` and `POST /customers/{id}`."""
REPLACE: Final[Shape[CustomerFields]] = storing(CustomersBody, CustomerFields, whole=True)
"""`PUT /customers/{id}`."""
LIST: Final = listing(
    "customers.list",
    {
        "customer_id": OneOrMany(Text(), "Customer.", source="facts §1.4", example="cus_shopper_42"),
        "email": OneOrMany(Text(), "Email address.", source="ours", example="jane.doe@example.com"),
    },
)
