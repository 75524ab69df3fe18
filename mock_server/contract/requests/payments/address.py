"""Where somebody lives and how to reach them: `billing` and `shipping` (interface §2.5, facts §2.11)."""

from __future__ import annotations

from typing import Final

from mock_server.contract.requests.fields import Part, Text, country_code, email_address
from mock_server.contract.requests.schema import Shown

_I25: Final = "interface §2.5"
_F211: Final = "facts §2.11"


class Address(Shown):
    """A postal address."""

    line1 = Text("Address line 1.", source=_I25, example="1467 Harrison Street")
    line2 = Text("Address line 2.", source=_I25)
    line3 = Text("Address line 3.", source=_F211)
    city = Text("City.", source=_I25, example="San Francisco")
    state = Text("State or province.", source=_I25, example="CA")
    zip = Text("Postal code.", source=_I25, example="94122")
    country = country_code("Two-letter ISO country code.", source=_I25, example="US")
    first_name = Text("First name.", source=_I25, example="Jane")
    last_name = Text("Last name.", source=_I25, example="Doe")
    origin_zip = Text("Postal code that the goods are sent from.", source=_F211)


class Phone(Shown):
    """A telephone number."""

    number = Text("Phone number.", source=_I25, example="5550100")
    country_code = Text("Dialling code with a leading plus sign.", source=_I25, example="+1")


class Contact(Shown):
    """An address with telephone and e-mail."""

    address = Part(lambda: Address, "Postal address.", source=_I25)
    phone = Part(lambda: Phone, "Telephone number.", source=_I25)
    email = email_address("E-mail address.", source=_F211, example="jane.doe@example.com")
