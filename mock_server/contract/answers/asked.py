"""The fields that a form asks its customer for: in lists of methods, and in a checkout script's configuration.

The configuration has the form that the public checkout script evaluates: conditions on the method, each with the
overrides that then hold (ours: read from that script's published sources).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from mock_server.domain.countries import COUNTRIES
from mock_server.domain.method_kinds import Method, Need
from mock_server.domain.methods import payload_of
from mock_server.domain.offers import OfferedMethod, Offering
from mock_server.domain.payment import Payment

ConfigWord = Callable[[OfferedMethod], str | None]
"""A method's category or type in a dialect's words."""


class AskedField(NamedTuple):
    """One field: its path, its name, its kind in a list of methods, and how a script draws it.

    `known` reads its value from the payment, `write` is where a script sends it, if not to the same path, and `read`
    where it finds it in `intent_data`. Without `drawn` the script has an input of its own.
    """

    field: str
    name: str
    type: object
    drawn: str = ""
    options: tuple[str, ...] = ()
    known: Callable[[Payment], str | None] = lambda payment: None
    write: str = ""
    read: str | None = None


_CARD: Final = "payment_method_data.card."
_BILLING: Final = "payment_method_data.billing."
# fmt: off
ASKED: Final[Mapping[Need | str, tuple[AskedField, ...]]] = {
    "card": (
        AskedField(_CARD + "card_number", "card_number", "user_card_number"),
        AskedField(_CARD + "card_exp_month", "card_exp_month", "user_card_expiry_month"),
        AskedField(_CARD + "card_exp_year", "card_exp_year", "user_card_expiry_year"),
        AskedField(_CARD + "card_cvc", "card_cvc", "user_card_cvc"),
    ),
    Need.EMAIL: (AskedField("email", "email", "user_email_address", "Email", (), lambda payment: payment.email, _BILLING + "email", "billing.email"),),
    Need.BILLING_COUNTRY: (AskedField("billing.address.country", "country", {"user_address_country": {"options": ["ALL"]}}, "Country", tuple(sorted(COUNTRIES)), lambda payment: payment.billing_country, _BILLING + "address.country", "billing.address.country"),),
}
# fmt: on
"""By category or need of the method."""

BANKS: Final[Mapping[str, tuple[str, ...]]] = {
    "ideal": ("abn_amro", "ing", "rabobank"),
    "eps": ("bank_austria", "bawag_psk_ag", "erste_bank_und_sparkassen"),
    "online_banking_czech_republic": ("ceska_sporitelna", "komercni_banka"),
    "online_banking_fpx": ("maybank", "cimb_bank", "public_bank", "rhb_bank"),
    "online_banking_poland": ("blik_p_s_p", "m_bank", "pay_with_i_n_g", "santander_przelew24"),
    "online_banking_slovakia": ("e_platby_v_u_b", "postova_banka", "sporo_pay", "tatra_pay", "viamo"),
    "online_banking_thailand": ("bangkok_bank", "krungsri_bank", "krung_thai_bank", "kasikorn_bank"),
    "open_banking_uk": ("barclays", "hsbc_bank", "lloyds", "monzo", "starling"),
    "ach": ("bank_of_america", "chase", "citi", "wells_fargo"),
}
"""Banks that a customer can choose before paying, in the public API's words; our pages accept any."""
_CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "bank_type": ("checking", "savings"),
    "bank_holder_type": ("personal", "business"),
    "provider": ("ozow", "paystack"),
}
_KINDS: Final[Mapping[str, str]] = {
    **{
        own: f"user_{own}"
        for own in ["vpa_id", "iban", "date_of_birth", "msisdn", "bsb_number", "bank_account_holder_name"]
    },
    "account_number": "user_bank_account_number",
    "routing_number": "user_bank_routing_number",
    "sort_code": "user_bank_sort_code",
    "number": "user_gift_card_number",
    "cvc": "user_gift_card_pin",
    "pin": "user_gift_card_pin",
}
"""The public API's word for a field of a method's data, if it is not plain text."""


def asked_of(one: OfferedMethod) -> Iterator[AskedField]:
    """What the form of a method asks for."""
    yield from ASKED.get(one.row.category, ())
    for name in one.row.asks:
        yield _of_data(f"{path_of(one.row)}.{name}", name, one.row)
    for need in one.row.needs:
        yield from ASKED.get(need, ())


def path_of(row: Method) -> str:
    """Where a method's own data are in a request."""
    usual = payload_of(row)
    return f"payment_method_data.{usual.group}.{usual.name}" if usual else ""


def _of_data(path: str, name: str, row: Method) -> AskedField:
    """A field of a method's own data."""
    if name == "country":
        return AskedField(path, name, {"user_country": {"options": row.countries}}, "Country", row.countries)
    choices = _CHOICES.get(name) or (BANKS.get(row.type, ()) if name in ("issuer", "bank_name") else ())
    if choices:
        kind = "user_bank_options" if name in ("issuer", "bank_name") else "drop_down"
        return AskedField(path, name, {kind: {"options": choices}}, "Dropdown", choices)
    return AskedField(path, name, _KINDS.get(name, "text"), "DateOfBirth" if name == "date_of_birth" else "Generic")


def required_fields(one: OfferedMethod) -> dict[str, object]:
    """The fields of a method, as a list of methods has them."""
    return {
        row.field: {
            "required_field": row.field,
            "display_name": row.name,
            "field_type": row.type,
            "value": row.known(one.payment) if one.payment else None,
        }
        for row in asked_of(one)
    }


# a checkout script's configuration

_LABELS: Final = {
    "email": "emailLabel", "country": "countryLabel", "issuer": "bankLabel", "bank_name": "bankLabel",
    "vpa_id": "vpaIdLabel", "iban": "formFieldSepaIbanLabel", "routing_number": "formFieldACHRoutingNumberLabel",
    "account_number": "formFieldBankAccountNumberLabel",
}  # fmt: skip
"""The fields whose labels a script has in the customer's language, under these keys."""


def raw_configs(category: ConfigWord, type_: ConfigWord) -> Callable[[Offering], dict[str, object]]:
    """A function that says which fields a script draws for which method."""

    def read(offering: Offering) -> dict[str, object]:
        contexts, overrides = [], {}
        for one in offering.methods:
            drawn = {name: value for row in asked_of(one) if row.drawn for name, value in _drawn(row).items()}
            if drawn:
                group, word = category(one) or "", type_(one) or ""
                overrides[f"{group}.{word}"] = drawn
                where = {"payment_method": _pascal(group), "payment_method_type": _pascal(word)}
                contexts.append({"condition": where, "override_with_keys": [f"{group}.{word}"]})
        return {"default_configs": {}, "contexts": contexts, "overrides": overrides}

    return read


def _drawn(row: AskedField) -> dict[str, object]:
    """One field as a script's configuration has it."""
    path = row.write or row.field
    told = {
        "is_required": True, "confirm_request_write_path": path, "field_render_type": row.drawn,
        "default_label_text": row.name.replace("_", " ").capitalize(), "label_localization_key": _LABELS.get(row.name),
        "validation_rule_type": "email" if row.drawn == "Email" else None,
        "dropdown_options": row.options or None, "intent_data_read_path": row.read,
    }  # fmt: skip
    return {f"{path}._{name}": value for name, value in told.items() if value is not None}


def _pascal(word: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in word.split("_"))


def eligible(category: ConfigWord, type_: ConfigWord) -> Callable[[Offering], list[dict[str, object]]]:
    """A function that says which connectors accept which method; a card's networks have the same ones."""

    def read(offering: Offering) -> list[dict[str, object]]:
        found: dict[str, list[object]] = {}
        for one in offering.methods:
            rule, values = ("card_networks", one.networks) if one.networks else ("payment_method_type", (type_(one),))
            rules = [{"criteria_value": value, "eligible_connectors": one.connectors} for value in values]
            row = {"payment_method_type": type_(one), "payment_method_criteria": rule, "criteria_rules": rules}
            found.setdefault(category(one) or "", []).append(row)
        return [{"payment_method": group, "payment_method_types": types} for group, types in found.items()]

    return read
