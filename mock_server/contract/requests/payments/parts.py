"""Parts of a payment: addresses, browser, customer, order, and the result of external 3-D Secure."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from mock_server.contract.kinds.objects import Body, ObjectOf, ShownBody
from mock_server.contract.kinds.rules import ValueRule, matches
from mock_server.contract.kinds.texts import CallerId, Choice, ListedName, Text, country_code, email_address
from mock_server.contract.kinds.values import Amount, Decimal, Flag, Whole
from mock_server.domain.limits import SESSION_EXPIRY_MAX_S, SESSION_EXPIRY_MIN_S

_I25: Final = "interface §2.5"
_F21: Final = "facts §2.1"
_IS_DIALLING_CODE: Final = matches(
    r"(\+[0-9][0-9 -]*)?", "must be a dialling code with a leading plus sign", loose=ValueRule(lambda _: True, "")
)
_F211: Final = "facts §2.11"
_SECONDS: Final = partial(Whole, least=SESSION_EXPIRY_MIN_S, most=SESSION_EXPIRY_MAX_S, rule="out_of_range")
session_expiry: Final = partial(_SECONDS, "Seconds that a client secret is valid.", source="facts §4.4", example=900)


class Address(ShownBody, source=_I25):
    """A postal address."""

    line1 = Text("Address line 1.", example="1467 Harrison Street")
    line2 = Text("Address line 2.")
    line3 = Text("Address line 3.", source=_F211)
    city = Text("City.", example="San Francisco")
    state = Text("State or province.", example="CA")
    zip = Text("Postal code.", example="94122")
    country = country_code("Two-letter ISO country code.", example="US")
    first_name = Text("First name.", example="Jane")
    last_name = Text("Last name.", example="Doe")
    origin_zip = Text("Postal code from which the goods are sent.", source=_F211)


class Phone(ShownBody, source=_I25):
    """A telephone number."""

    number = Text("Phone number.", example="5550100")
    country_code = Text("Dialling code with a leading plus sign.", example="+1", rules=[_IS_DIALLING_CODE])


class Contact(ShownBody, source=_I25):
    """An address with telephone number and email address."""

    address = ObjectOf(lambda: Address, "Postal address.")
    phone = ObjectOf(lambda: Phone, "Telephone number.")
    email = email_address("Email address.", source=_F211, example="jane.doe@example.com")


_HEADER: Final = 2_048
"""Headers of a browser may be longer than other texts (ours)."""


class BrowserInfo(ShownBody, source="interface §2.3"):
    """Recommended for all card payments, at least `ip_address` and `user_agent`."""

    ip_address = Text("Client IP address.", example="203.0.113.7")
    user_agent = Text("Browser user agent.", most=_HEADER, example="Mozilla/5.0")
    accept_header = Text("Accepted content types of the browser.", most=_HEADER, example="text/html")
    accept_language = Text("Accept-language header of the browser.", most=_HEADER, example="en-US,en;q=0.9")
    language = Text("Browser language, such as a language tag.", example="en-US")
    color_depth = Whole("Colour depth.", least=0, example=24)
    screen_height = Whole("Pixels.", least=0, example=1080)
    screen_width = Whole("Pixels.", least=0, example=1920)
    time_zone = Whole("Client UTC offset in minutes.", example=-60)
    java_enabled = Flag("Whether Java is enabled.", example=False)
    java_script_enabled = Flag("Whether JavaScript is enabled.", example=True)
    os_type = Text("Client OS type.", example="Linux")
    os_version = Text("Client OS version.")
    device_model = Text("Client device model.")
    referer = Text("Source that initiated the request.", most=_HEADER)


class DocumentDetails(Body, source="facts §2.6"):
    """An identity document."""

    document_type = Choice(("cpf", "cnpj", "psn", "other"), "Kind of document.", required=True, example="cpf")
    document_number = Text("Its number.", required=True)


class CustomerBody(Body, source=_F21):
    """A new or existing customer."""

    id = CallerId("ID of the customer.", example="cus_shopper_42")
    name = Text("Name.", example="Jane Doe")
    email = email_address("Email address.", example="jane.doe@example.com")
    phone = Text("Phone number.", example="5550100")
    phone_country_code = Text("Dialling code.", example="+1")
    customer_document_details = ObjectOf(lambda: DocumentDetails, "Identity document. Not stored.")
    document_details = ObjectOf(lambda: DocumentDetails, "Identity document; stored of a new customer.")
    tax_registration_id = Text("Tax registration number; stored of a new customer.", source="facts §2.6")


class OrderLine(ShownBody, source=_F21):
    """One product of an order."""

    product_name = Text("Name.", required=True, example="Shirt")
    quantity = Whole("Quantity.", least=0, most=65_535, required=True, example=1)
    amount = Amount("Unit price.", required=True, example=6540)
    tax_rate = Decimal("Tax rate.")
    total_tax_amount = Amount("Tax.")
    requires_shipping = Flag("Whether the item is shipped.")
    product_img_link = Text("Picture.", most=2_048)
    product_id = Text("Identifier.")
    category = Text("Category.")
    sub_category = Text("Sub-category.")
    brand = Text("Brand.")
    product_type = ListedName("Product type, such as `physical`.", named="ProductType")
    product_tax_code = Text("Tax code.")
    description = Text("Description.")
    sku = Text("Stock keeping unit.")
    upc = Text("Universal product code.")
    commodity_code = Text("Commodity code.")
    unit_of_measure = Text("Unit.")
    total_amount = Amount("Total price.")
    unit_discount_amount = Amount("Discount per unit.")


class SurchargeDetails(ShownBody, source=_F21):
    """An additional fee."""

    surcharge_amount = Amount("Amount of the fee.", required=True, example=100)
    tax_amount = Amount("Tax on the fee.", example=19)


_OUTCOMES: Final = ("Y", "N", "U", "A", "R", "C", "D", "I")
"""EMV 3-D Secure's transStatus."""


def comp_ind(says: str = "Whether the device check was done.", **more: Any) -> Choice:
    """`threeds_method_comp_ind`: whether the issuer's device check was done, failed or was not tried."""
    return Choice(("Y", "N", "U"), says, source=_F21, example="Y", **more)


class Cavv(Body, source=_F21):
    """Cryptogram of an authentication."""

    authentication_cryptogram = Text("The value itself.")


class Cryptogram(Body, source=_F21):
    """Network-specific part of a cryptogram."""

    cavv = ObjectOf(lambda: Cavv, "Cardholder authentication verification value.", required=True)


class ThreeDsData(Body, source=_F21):
    """`three_ds_data`: result of external 3-D Secure; returned as it was sent."""

    authentication_cryptogram = ObjectOf(lambda: Cryptogram, "The cryptogram.")
    ds_trans_id = Text("ID at the directory server.")
    version = Text("Version of the protocol.", example="2.2.0")
    eci = Text("Electronic commerce indicator.", example="05")
    transaction_status = Choice(_OUTCOMES, "Result.", required=True, example="Y")


class ClickToPay(Body, source=_F21):
    """`ctp_service_details`: data of a click-to-pay service; returned as it was sent."""

    merchant_transaction_id = Text("Your own ID for the checkout.")
    correlation_id = Text("The service's ID of the checkout.")
    x_src_flow_id = Text("The service's ID of the flow.")
    provider = Choice(("visa", "mastercard"), "Provider of the service.", example="visa")
    encrypted_payload = Text("Encrypted payload of the service.", most=10_000)
