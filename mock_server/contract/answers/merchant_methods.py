"""The methods that can be paid by, in the public API's own shape (facts §1.4, decisions "Words on the wire")."""

from __future__ import annotations

from mock_server.domain.card_brands import BRANDS
from mock_server.domain.methods import METHODS, Flow, Method, Need, categories
from mock_server.domain.offers import Offering
from mock_server.domain.profile import Profile

_EXPERIENCES = {
    Flow.REDIRECT: "redirect_to_url",
    Flow.QR_CODE: "display_qr_code",
    Flow.WAIT_SCREEN: "display_wait_screen",
    Flow.UPI_INTENT: "invoke_payment_app",
}


def offer(record: Offering) -> dict[str, object]:
    """What the browser needs to show a choice of methods."""
    payment, profile = record.payment, record.profile
    return {
        "redirect_url": (payment.return_url if payment else None) or profile.return_url,
        "currency": payment.currency if payment else None,
        "payment_methods": [
            {"payment_method": category, "payment_method_types": types}
            for category in categories()
            if (types := _types(record, category))
        ],
        "mandate_payment": None,
        "merchant_name": record.merchant_name,
        "show_surcharge_breakup_screen": False,
        "payment_type": _payment_type(record),
        "request_external_three_ds_authentication": False,
        "collect_shipping_details_from_wallets": _collects(profile, "shipping"),
        "collect_billing_details_from_wallets": _collects(profile, "billing"),
        "is_tax_calculation_enabled": False,
        "sdk_next_action": {"next_action": "confirm"},
        "is_guest_customer": payment is not None and payment.customer_id is None,
    }


def _collects(profile: Profile, what: str) -> bool:
    """Whether a wallet is to ask for an address: always, or where the payment lacks it, as the profile says."""
    name = f"collect_{what}_details_from_wallet_connector"
    return any(profile.echo.get(switch) == "true" for switch in (name, f"always_{name}"))


def _payment_type(record: Offering) -> str:
    payment = record.payment
    if payment is None or payment.setup_future_usage != "off_session":
        return "normal"
    return "new_mandate" if payment.net_amount else "setup_mandate"


def _types(record: Offering, category: str) -> list[dict[str, object]]:
    return [_type(row) for row in METHODS if row.category == category and _is_offered(record, row)]


def _is_offered(record: Offering, row: Method) -> bool:
    return Need.WALLET_IDENTITY not in row.needs or row.type in record.profile.wallet_identities


def _type(row: Method) -> dict[str, object]:
    experience = _EXPERIENCES.get(row.flow)
    networks = [{"card_network": brand.name, "surcharge_details": None} for brand in BRANDS]
    return {
        "payment_method_type": row.type,
        "payment_experience": [{"payment_experience_type": experience}] if experience else None,
        "card_networks": networks if row.category == "card" else None,
        "bank_names": None,
        "bank_debits": None,
        "bank_transfers": None,
        "required_fields": {need.value: {"required_field": need.value} for need in row.needs if need in _FIELDS},
        "surcharge_details": None,
        "pm_auth_connector": None,
    }


_FIELDS = (Need.EMAIL, Need.BILLING_COUNTRY, Need.RETURN_URL)
