"""What is bought and what it costs beside the amount (facts §2.1)."""

from __future__ import annotations

from typing import Final

from mock_server.contract.requests.fields import Amount, Decimal, Flag, Text, Whole
from mock_server.contract.requests.schema import Shown

_F21: Final = "facts §2.1"


class OrderLine(Shown):
    """One product of an order."""

    product_name = Text("Name.", required=True, source=_F21, example="Shirt")
    quantity = Whole("How many.", least=0, most=65_535, required=True, source=_F21, example=1)
    amount = Amount("Price of one.", required=True, source=_F21, example=6540)
    tax_rate = Decimal("Tax rate.", source=_F21)
    total_tax_amount = Amount("Tax.", source=_F21)
    requires_shipping = Flag("Whether it is shipped.", source=_F21)
    product_img_link = Text("Picture.", most=2_048, source=_F21)
    product_id = Text("Identifier.", source=_F21)
    category = Text("Category.", source=_F21)
    sub_category = Text("Category below it.", source=_F21)
    brand = Text("Brand.", source=_F21)
    product_type = Text("Kind, such as `physical`.", source=_F21)
    product_tax_code = Text("Tax code.", source=_F21)
    description = Text("Description.", source=_F21)
    sku = Text("Stock keeping unit.", source=_F21)
    upc = Text("Universal product code.", source=_F21)
    commodity_code = Text("Commodity code.", source=_F21)
    unit_of_measure = Text("Unit.", source=_F21)
    total_amount = Amount("Price of all.", source=_F21)
    unit_discount_amount = Amount("Discount on one.", source=_F21)


class SurchargeDetails(Shown):
    """A fee on top of the amount."""

    surcharge_amount = Amount("The fee.", required=True, source=_F21, example=100)
    tax_amount = Amount("Tax on the fee.", source=_F21, example=19)
