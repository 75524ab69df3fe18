"""What was authenticated elsewhere: external 3D Secure and click to pay (facts §2.1)."""

from __future__ import annotations

from typing import Final

from mock_server.contract.requests.fields import Choice, Part, Text
from mock_server.contract.requests.schema import Body

_F: Final = "facts §2.1"
_PAYLOAD: Final = 10_000
_OUTCOMES: Final = ("Y", "N", "U", "A", "R", "C", "D", "I")
"""EMV 3-D Secure's transStatus."""


def comp_ind() -> Choice:
    """`threeds_method_comp_ind`: whether the issuer's device check was done, failed or was not tried."""
    return Choice(("Y", "N", "U"), "Whether the device check was done.", source=_F, example="Y")


class Cavv(Body):
    """The proof of an authentication."""

    authentication_cryptogram = Text("The value itself.", source=_F)


class Cryptogram(Body):
    """One kind of proof."""

    cavv = Part(lambda: Cavv, "Cardholder authentication verification value.", required=True, source=_F)


class ThreeDsData(Body):
    """`three_ds_data`: the result of 3D Secure that another server made; given back and not looked at."""

    authentication_cryptogram = Part(lambda: Cryptogram, "Its proof.", source=_F)
    ds_trans_id = Text("Id at the directory server.", source=_F)
    version = Text("Version of the protocol.", source=_F, example="2.2.0")
    eci = Text("Electronic commerce indicator.", source=_F, example="05")
    transaction_status = Choice(_OUTCOMES, "How it ended.", required=True, source=_F, example="Y")


class ClickToPay(Body):
    """`ctp_service_details`: what a click-to-pay service gave; given back and not looked at."""

    merchant_transaction_id = Text("Your own id of the checkout.", source=_F)
    correlation_id = Text("The service's id of the checkout.", source=_F)
    x_src_flow_id = Text("The service's id of the flow.", source=_F)
    provider = Choice(("visa", "mastercard"), "Whose service.", source=_F, example="visa")
    encrypted_payload = Text("What the service encrypted.", most=_PAYLOAD, source=_F)
