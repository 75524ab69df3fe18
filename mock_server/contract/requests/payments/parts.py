"""Parts of a payment: addresses, browser, customer, order, and the result of external 3-D Secure."""

from __future__ import annotations

from typing import Any, Final

from mock_server.contract.kinds.objects import Body, ObjectOf, ShownBody
from mock_server.contract.kinds.texts import CallerId, Choice, Text, country_code, email_address
from mock_server.contract.kinds.values import Amount, Decimal, Flag, Free, Whole

_I23: Final = "interface §2.3"
_I25: Final = "interface §2.5"
_F21: Final = "facts §2.1"
_F211: Final = "facts §2.11"


class Address(ShownBody):
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
    origin_zip = Text("Postal code from which the goods are sent.", source=_F211)


class Phone(ShownBody):
    """A telephone number."""

    number = Text("Phone number.", source=_I25, example="5550100")
    country_code = Text("Dialling code with a leading plus sign.", source=_I25, example="+1")


class Contact(ShownBody):
    """An address with telephone number and email address."""

    address = ObjectOf(lambda: Address, "Postal address.", source=_I25)
    phone = ObjectOf(lambda: Phone, "Telephone number.", source=_I25)
    email = email_address("Email address.", source=_F211, example="jane.doe@example.com")


_HEADER: Final = 2_048
"""Headers of a browser may be longer than other texts (ours)."""


class BrowserInfo(ShownBody):
    """Recommended for all card payments, at least `ip_address` and `user_agent`."""

    ip_address = Text("Client IP address.", source=_I23, example="203.0.113.7")
    user_agent = Text("Browser user agent.", most=_HEADER, source=_I23, example="Mozilla/5.0")
    accept_header = Text("Accepted content types of the browser.", most=_HEADER, source=_I23, example="text/html")
    accept_language = Text(
        "Accept-language header of the browser.", most=_HEADER, source=_I23, example="en-US,en;q=0.9"
    )
    language = Text("Browser language, such as a language tag.", source=_I23, example="en-US")
    color_depth = Whole("Colour depth.", source=_I23, least=0, example=24)
    screen_height = Whole("Pixels.", source=_I23, least=0, example=1080)
    screen_width = Whole("Pixels.", source=_I23, least=0, example=1920)
    time_zone = Whole("Client UTC offset in minutes.", source=_I23, example=-60)
    java_enabled = Flag("Whether Java is enabled.", source=_I23, example=False)
    java_script_enabled = Flag("Whether JavaScript is enabled.", source=_I23, example=True)
    os_type = Text("Client OS type.", source=_I23, example="Linux")
    os_version = Text("Client OS version.", source=_I23)
    device_model = Text("Client device model.", source=_I23)
    referer = Text("Source that initiated the request.", most=_HEADER, source=_I23)


class CustomerBody(Body):
    """A new or existing customer."""

    id = CallerId("Id of the customer.", source=_F21, example="cus_shopper_42")
    name = Text("Name.", source=_F21, example="Jane Doe")
    email = email_address("Email address.", source=_F21, example="jane.doe@example.com")
    phone = Text("Phone number.", source=_F21, example="5550100")
    phone_country_code = Text("Dialling code with a leading plus sign.", source=_F21, example="+1")
    customer_document_details = Free("Identity document. Not stored.", source=_F21)
    document_details = Free("Identity document. Not stored.", source=_F21)
    tax_registration_id = Text("Tax registration number.", source="facts §2.6")


class OrderLine(ShownBody):
    """One product of an order."""

    product_name = Text("Name.", required=True, source=_F21, example="Shirt")
    quantity = Whole("Quantity.", least=0, most=65_535, required=True, source=_F21, example=1)
    amount = Amount("Unit price.", required=True, source=_F21, example=6540)
    tax_rate = Decimal("Tax rate.", source=_F21)
    total_tax_amount = Amount("Tax.", source=_F21)
    requires_shipping = Flag("Whether the item is shipped.", source=_F21)
    product_img_link = Text("Picture.", most=2_048, source=_F21)
    product_id = Text("Identifier.", source=_F21)
    category = Text("Category.", source=_F21)
    sub_category = Text("Sub-category.", source=_F21)
    brand = Text("Brand.", source=_F21)
    product_type = Text("Product type, such as `physical`.", source=_F21)
    product_tax_code = Text("Tax code.", source=_F21)
    description = Text("Description.", source=_F21)
    sku = Text("Stock keeping unit.", source=_F21)
    upc = Text("Universal product code.", source=_F21)
    commodity_code = Text("Commodity code.", source=_F21)
    unit_of_measure = Text("Unit.", source=_F21)
    total_amount = Amount("Total price.", source=_F21)
    unit_discount_amount = Amount("Discount per unit.", source=_F21)


class SurchargeDetails(ShownBody):
    """An additional fee."""

    surcharge_amount = Amount("Amount of the fee.", required=True, source=_F21, example=100)
    tax_amount = Amount("Tax on the fee.", source=_F21, example=19)


_PAYLOAD: Final = 10_000
_OUTCOMES: Final = ("Y", "N", "U", "A", "R", "C", "D", "I")
"""EMV 3-D Secure's transStatus."""


def comp_ind(**more: Any) -> Choice:
    """`threeds_method_comp_ind`: whether the issuer's device check was done, failed or was not tried."""
    return Choice(("Y", "N", "U"), "Whether the device check was done.", source=_F21, example="Y", **more)


class Cavv(Body):
    """Cryptogram of an authentication."""

    authentication_cryptogram = Text("The value itself.", source=_F21)


class Cryptogram(Body):
    """Network-specific part of a cryptogram."""

    cavv = ObjectOf(lambda: Cavv, "Cardholder authentication verification value.", required=True, source=_F21)


class ThreeDsData(Body):
    """`three_ds_data`: result of external 3-D Secure; returned as it was sent."""

    authentication_cryptogram = ObjectOf(lambda: Cryptogram, "The cryptogram.", source=_F21)
    ds_trans_id = Text("Id at the directory server.", source=_F21)
    version = Text("Version of the protocol.", source=_F21, example="2.2.0")
    eci = Text("Electronic commerce indicator.", source=_F21, example="05")
    transaction_status = Choice(_OUTCOMES, "Result.", required=True, source=_F21, example="Y")


class ClickToPay(Body):
    """`ctp_service_details`: data of a click-to-pay service; returned as it was sent."""

    merchant_transaction_id = Text("Your own id for the checkout.", source=_F21)
    correlation_id = Text("The service's id of the checkout.", source=_F21)
    x_src_flow_id = Text("The service's id of the flow.", source=_F21)
    provider = Choice(("visa", "mastercard"), "Provider of the service.", source=_F21, example="visa")
    encrypted_payload = Text("Encrypted payload of the service.", most=_PAYLOAD, source=_F21)
