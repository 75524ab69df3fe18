"""What a browser can offer: payment methods, and the fields that a form or a script asks for (facts §1.1, §1.4)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import attrgetter, itemgetter
from typing import Final, NamedTuple

from mock_server.contract.answers.fields import NOTHING, AnswerShape, Beside, Constant, Field, Many, itself
from mock_server.contract.answers.payment import PAYMENT
from mock_server.contract.notation import FLAG, FREE, TEXT, many, words
from mock_server.domain.countries import COUNTRIES
from mock_server.domain.methods import Flow, Method, Need, payload_of
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

_BANKS: Final[Mapping[str, tuple[str, ...]]] = {
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


def asked_of(offered: OfferedMethod) -> Iterator[AskedField]:
    """What the form of a method asks for."""
    yield from ASKED.get(offered.row.category, ())
    for name in offered.row.asks:
        yield _of_data(f"{path_of(offered.row)}.{name}", name, offered.row)
    for need in offered.row.needs:
        yield from ASKED.get(need, ())


def path_of(row: Method) -> str:
    """Where a method's own data are in a request."""
    usual = payload_of(row)
    return f"payment_method_data.{usual.group}.{usual.name}" if usual else ""


def _of_data(path: str, name: str, row: Method) -> AskedField:
    if name == "country":
        return AskedField(path, name, {"user_country": {"options": row.countries}}, "Country", row.countries)
    choices = _CHOICES.get(name) or (_BANKS.get(row.type, ()) if name in ("issuer", "bank_name") else ())
    if choices:
        kind = "user_bank_options" if name in ("issuer", "bank_name") else "drop_down"
        return AskedField(path, name, {kind: {"options": choices}}, "Dropdown", choices)
    return AskedField(path, name, _KINDS.get(name, "text"), "DateOfBirth" if name == "date_of_birth" else "Generic")


def _required_fields(offered: OfferedMethod) -> dict[str, object]:
    return {
        row.field: {
            "required_field": row.field,
            "display_name": row.name,
            "field_type": row.type,
            "value": row.known(offered.payment) if offered.payment else None,
        }
        for row in asked_of(offered)
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
        for offered in offering.methods:
            drawn = {name: value for row in asked_of(offered) if row.drawn for name, value in _drawn(row).items()}
            if drawn:
                group, word = category(offered) or "", type_(offered) or ""
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
        for offered in offering.methods:
            rule = "card_networks" if offered.networks else "payment_method_type"
            values = offered.networks or (type_(offered),)
            rules = [{"criteria_value": value, "eligible_connectors": offered.connectors} for value in values]
            row = {"payment_method_type": type_(offered), "payment_method_criteria": rule, "criteria_rules": rules}
            found.setdefault(category(offered) or "", []).append(row)
        return [{"payment_method": group, "payment_method_types": types} for group, types in found.items()]

    return read


_EXPERIENCES: Final = {
    Flow.REDIRECT: "redirect_to_url",
    Flow.QR_CODE: "display_qr_code",
    Flow.WAIT_SCREEN: "display_wait_screen",
    Flow.UPI_INTENT: "invoke_payment_app",
    Flow.UPI_QR: "display_qr_code",
    Flow.CODE: "collect_otp",
}
_BY_SDK: Final = frozenset(("apple_pay", "google_pay", "samsung_pay", "amazon_pay", "paze"))
"""Wallets whose script shows the button."""

_Group = tuple[str, list[OfferedMethod]]
"""The offered types of one category."""


def groups(category_of: ConfigWord) -> Callable[[Offering], Iterable[_Group]]:
    """A function that groups the methods by category; the categories differ by dialect."""

    def read(offering: Offering) -> Iterable[_Group]:
        found: dict[str, list[OfferedMethod]] = {}
        for offered in offering.methods:
            found.setdefault(category_of(offered) or "", []).append(offered)
        return found.items()

    return read


def _payment_type(offering: Offering) -> str:
    payment = offering.payment
    if payment is None or payment.setup_future_usage != "off_session":
        return "normal"
    return "new_mandate" if payment.net_amount else "setup_mandate"


def _mandate_type(offering: Offering) -> object:
    mandate = offering.payment and offering.payment.mandate_data
    return json.loads((mandate and mandate.shown) or "{}").get("mandate_type")


def _is_guest(offering: Offering) -> bool:
    return offering.payment is not None and offering.payment.customer_id is None


_COLLECTS: Final = {
    what: (f"collect_{what}_details_from_wallet_connector", f"always_collect_{what}_details_from_wallet_connector")
    for what in ("shipping", "billing")
}


def _collects(what: str) -> Callable[[Offering], bool]:
    """Whether a wallet asks for an address: always, or if the payment has none, as set in the profile."""
    return lambda offering: any(offering.profile.echo.get(switch) == "true" for switch in _COLLECTS[what])


def _account_config(offering: Offering) -> dict[str, object]:
    switches = {name: offering.profile.echo.get(name) == "true" for names in _COLLECTS.values() for name in names}
    return {"profile": {"vaulting_action": "skip", **switches}}


def _calculates_tax(offering: Offering) -> bool:
    """Whether a form asks for the payment's total with tax."""
    skips = offering.payment is not None and offering.payment.echo.get("skip_external_tax_calculation") == "true"
    return offering.profile.echo.get("is_tax_connector_enabled") == "true" and not skips


def experiences(offered: OfferedMethod) -> tuple[str, ...]:
    """How the customer pays, in the public API's words; none for a method that needs no action."""
    word = "invoke_sdk_client" if offered.row.type in _BY_SDK else _EXPERIENCES.get(offered.row.flow)
    return (word,) if word else ()


def _bank_names(offered: OfferedMethod) -> list[dict[str, object]] | None:
    banks = _BANKS.get(offered.row.type) if offered.row.category == "bank_redirect" else None
    return [{"bank_name": banks, "eligible_connectors": offered.connectors}] if banks else None


def _connectors_of(category: str) -> Callable[[OfferedMethod], dict[str, object] | None]:
    return lambda offered: {"eligible_connectors": offered.connectors} if offered.row.category == category else None


# fmt: off
_FIRST, _SECOND = itemgetter(0), itemgetter(1)
_At = tuple[str, tuple[str, ...]]
"""A word, and the connectors that accept it."""
_AT: Final = Field("eligible_connectors", many(TEXT), of=_SECOND, nullable=False)
_EXPERIENCE: Final[AnswerShape[_At]] = AnswerShape.inline(
    "PaymentExperience", Field("payment_experience_type", TEXT, of=_FIRST, nullable=False), _AT
)
_NETWORK: Final[AnswerShape[_At]] = AnswerShape.inline(
    "OfferedNetwork",
    Field("card_network", TEXT, of=_FIRST, nullable=False),
    Field("surcharge_details", FREE, of=NOTHING),
    _AT,
)
TYPE: Final[AnswerShape[OfferedMethod]] = AnswerShape.inline(
    "OfferedType",
    Field("payment_method_type", TEXT, nullable=False),
    Field("payment_experience", Many(_EXPERIENCE, filled=True), of=lambda offered: [(word, offered.connectors) for word in experiences(offered)]),
    Field("card_networks", Many(_NETWORK, filled=True), of=lambda offered: [(name, offered.connectors) for name in offered.networks]),
    Field("bank_names", many(FREE), of=_bank_names),
    Field("bank_debits", FREE, of=_connectors_of("bank_debit")),
    Field("bank_transfers", FREE, of=_connectors_of("bank_transfer")),
    Field("required_fields", FREE, of=_required_fields, nullable=False),
    Field("surcharge_details", FREE, of=NOTHING),
    Field("pm_auth_connector", TEXT, of=NOTHING),
)
_GROUP: Final[AnswerShape[_Group]] = AnswerShape.inline(
    "OfferedGroup",
    Field("payment_method", TEXT, of=_FIRST, nullable=False),
    Field("payment_method_types", Many(TYPE), of=_SECOND, nullable=False),
)
_SORTS: Final = words(("normal", "new_mandate", "setup_mandate"))
SDK_ACTION: Final[AnswerShape[object]] = AnswerShape.inline(
    "SdkNextAction", Field("next_action", TEXT, of=Constant("confirm"), nullable=False)
)

_OF_PAYMENT: Final = frozenset((
    "payment_id", "status", "amount", "currency", "client_secret", "description", "customer_id", "return_url",
    "setup_future_usage", "billing", "shipping", "metadata", "order_details", "created", "expires_on", "profile_id",
    "merchant_order_reference_id", "attempt_count", "installment_options", "capture_method",
))
INTENT_DATA: Final[AnswerShape[Offering]] = AnswerShape(
    "IntentData",
    *(row for name, row in PAYMENT.fields.items() if name in _OF_PAYMENT),
    Field("merchant_name", TEXT, of=Beside("merchant_name")),
    PAYMENT.fields["mandate_data"]._replace(name="mandate_payment"),
    Field("payment_type", _SORTS, of=Beside(_payment_type)),
    Field("request_external_three_ds_authentication", FLAG, of=Constant(False)),
    Field("is_tax_calculation_enabled", FLAG, of=Beside(_calculates_tax)),
    Field("is_guest_customer", FLAG, of=Beside(_is_guest)),
    part="payment",
    like=PAYMENT,
    about="Details of the payment for the browser.",
)

METHODS_ON_OFFER: Final[AnswerShape[Offering]] = AnswerShape(
    "MethodsOnOffer",
    Field("redirect_url", TEXT, of=lambda offering: (offering.payment and offering.payment.return_url) or offering.profile.return_url),
    Field("currency", TEXT, of=lambda offering: offering.payment.currency if offering.payment else "USD", nullable=False),
    Field("payment_methods", Many(_GROUP), of=groups(lambda offered: offered.payment_method), nullable=False),
    Field("mandate_payment", FREE, of=_mandate_type),
    Field("merchant_name", TEXT),
    Field("show_surcharge_breakup_screen", FLAG, of=Constant(False), nullable=False),
    Field("payment_type", _SORTS, of=_payment_type, nullable=False),
    Field("request_external_three_ds_authentication", FLAG, of=Constant(False), nullable=False),
    Field("collect_shipping_details_from_wallets", FLAG, of=_collects("shipping"), nullable=False),
    Field("collect_billing_details_from_wallets", FLAG, of=_collects("billing"), nullable=False),
    Field("is_tax_calculation_enabled", FLAG, of=_calculates_tax, nullable=False),
    Field("sdk_next_action", SDK_ACTION, of=itself, nullable=False),
    Field("is_guest_customer", FLAG, of=_is_guest, nullable=False),
    Field("intent_data", INTENT_DATA, of=itself, given="payment"),
)
"""What the browser needs to show a choice of methods."""

_CATEGORY, _TYPE = attrgetter("payment_method"), attrgetter("payment_method_type")
SCRIPT_CONFIG: Final[AnswerShape[Offering]] = AnswerShape(
    "ScriptConfig",
    Field("raw_configs", FREE, of=raw_configs(_CATEGORY, _TYPE), nullable=False),
    Field("payment_methods", many(FREE), of=eligible(_CATEGORY, _TYPE), nullable=False),
    Field("account_config", FREE, of=_account_config, nullable=False),
    Field("context_used", FREE, of=lambda offering: {"profile_id": offering.profile.profile_id, "processor_merchant_id": offering.profile.merchant_id}, nullable=False),
)
"""What a checkout script draws for each method of a profile."""
# fmt: on
