"""Fields that are stored and returned without an effect here: what the public API says is inside (decision 0028)."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial
from typing import Any, Final

from mock_server.contract.kinds.base import ECHOED_FREE, FieldKind, FieldPlace
from mock_server.contract.kinds.objects import Body, Items, ObjectOf, ShownBody
from mock_server.contract.kinds.texts import Choice, Text
from mock_server.contract.kinds.values import Anything, Decimal, Flag, Free, Whole
from mock_server.contract.requests.payments.methods import category
from mock_server.contract.requests.payments.parts import Address

_SHAPES: Final = {
    "billing_descriptor": "name city phone statement_descriptor statement_descriptor_suffix reference",
    "installment_data": "number_of_installments!:whole billing_frequency!:month|",
    "installment_options": "payment_method!:category installments!:[installments]",
    "installments": "number_of_installments!:any interest_rate!:number billing_frequency!:month|",
    "partner_merchant_identifier_details": "partner_details:partner merchant_details:partner",
    "partner": "name version integrator",
    "merchant_connector_details": "creds_identifier! encoded_data:encoded_data",
    "encoded_data": "connector_account_details:free metadata:free",
    "payment_link_config": """theme logo seller_name sdk_layout display_sdk_only:flag
        enabled_saved_payment_method:flag hide_card_nickname_field:flag show_card_form_by_default:flag
        transaction_details:[free] background_image:free details_layout:layout1|layout2 payment_button_text
        custom_message_for_card_terms custom_message_for_payment_method_types:[free] payment_button_colour
        skip_status_screen:flag payment_button_text_colour background_colour sdk_ui_rules:free
        payment_link_ui_rules:free enable_button_only_on_form_ready:flag payment_form_header_text
        payment_form_label_type:above|floating|never show_card_terms:always|auto|never is_setup_mandate_flow:flag
        color_icon_card_cvc_error show_merchant_name:flag domain_name business_specific_configs:free
        allowed_domains:[text] branding_visibility:flag""",
    "card_testing_guard_config": """card_ip_blocking_status!:switch card_ip_blocking_threshold!:whole
        guest_user_card_blocking_status!:switch guest_user_card_blocking_threshold!:whole
        customer_id_blocking_status!:switch customer_id_blocking_threshold!:whole card_testing_guard_expiry!:whole
        guest_ip_blocking_status:switch guest_ip_blocking_threshold:whole""",
    "authentication_connector_details": """three_ds_requestor_url! three_ds_requestor_app_url
        authentication_connectors!:[threedsecureio|netcetera|gpayments|ctp_mastercard|unified_authentication_service|
        juspaythreedsserver|ctp_visa|cardinal]""",
    "external_vault_connector_details": """vault_connector_id vault_sdk:vgs_sdk|hyperswitch_sdk
        vault_token_selector:[vault_token]""",
    "vault_token": """token_type:card_number|card_cvc|card_expiry_year|card_expiry_month|network_token|
        network_token_expiry_year|network_token_expiry_month|network_token_cryptogram""",
    "extended_card_info_config": "public_key! ttl_in_secs!:whole",
    "surcharge_connector_details": "surcharge_connector_id",
    "merchant_details": """primary_contact_person primary_phone primary_email secondary_contact_person secondary_phone
        secondary_email website about_business address:address merchant_tax_registration_id""",
}
"""The fields of each object: `name:kind`, or the name of a text; `!`: it is required; `[kind]`: an array of it."""
_KINDS: Final[dict[str, Callable[..., FieldKind]]] = {
    **dict.fromkeys(("", "text"), partial(Text, most=2_048)),  # links and sentences are among them (ours)
    "address": partial(ObjectOf, lambda: Address),
    "any": Anything,
    "category": category,
    "flag": Flag,
    "number": Decimal,
    "switch": partial(Choice, ("enabled", "disabled")),
    "whole": Whole,
}


@cache
def _shape(name: str) -> type[Body]:
    fields = {}
    for row in re.sub(r"\|\s+", "|", _SHAPES[name]).split():
        own, _, kind = row.partition(":")
        says, needed = own.strip("!").replace("_", " ").capitalize().replace(" id", " ID"), own.endswith("!")
        fields[own.strip("!")] = stored(kind, f"{says}.", source="public schemas", required=needed)
    base = ShownBody if name == "billing_descriptor" else Body  # whose answers have every key
    return type("".join(map(str.title, name.split("_"))), (base,), fields)


def stored(kind: str, says: str = "", *, place: FieldPlace = ECHOED_FREE, **more: Any) -> FieldKind:
    """A field of this kind, with what is inside: the name of an object, or a kind of its fields; else anything."""
    if kind.startswith("["):
        return Items(stored(kind[1:-1]), says, place=place, **more)
    if "|" in kind:
        return Choice(filter(None, kind.split("|")), says, place=place, **more)
    if kind in _SHAPES:
        return ObjectOf(lambda: _shape(kind), says, place=place, **more)
    return _KINDS.get(kind, Free)(says, place=place, **more)
