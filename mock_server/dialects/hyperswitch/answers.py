"""Answers that differ: names, omitted and additional fields, lists (facts §2, §3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Final

from mock_server.contract.answers.fields import NOTHING, AnswerShape, AsJson, Constant, Field, Listed, sent
from mock_server.contract.answers.offered import INTENT_DATA, METHODS_ON_OFFER, eligible, groups, raw_configs
from mock_server.contract.answers.payment import ECHOED
from mock_server.contract.answers.payment_parts import NEXT_ACTION
from mock_server.contract.dialect import ListKeys
from mock_server.contract.notation import FLAG, FREE, LIST, TEXT, WHOLE, Json, many, words
from mock_server.dialects.hyperswitch import methods
from mock_server.dialects.hyperswitch.words import WORD_LISTS, WORDS
from mock_server.dialects.interface import LIST_KEYS
from mock_server.domain.card_brands import OTHER
from mock_server.domain.merchant import FILTERED, SENT_STATUSES, WebhookDetails
from mock_server.domain.methods import PUBLIC_TYPES
from mock_server.domain.payment import NOT_CONFIRMED, Payment
from mock_server.domain.statuses import PaymentStatus, RefundStatus

_P: Final = "facts §2"


def _nothing(*names: str, kind: Json = TEXT) -> dict[str, Field | None]:
    """Keys of the public API for which this server has no value."""
    return {name: Field(name, kind, _P, of=NOTHING) for name in names}


def _network(path: str) -> Field:
    """The card's network; null if it is not known."""
    brand = attrgetter(path)
    return Field("card_network", TEXT, _P, of=lambda card: None if brand(card) == OTHER.name else brand(card))


def _methods(start: str = "") -> dict[str, Field | None]:
    """A method's category and type in the public words."""
    read = zip(("payment_method", "payment_method_type"), methods.words(start), strict=True)
    return {name: Field(name, TEXT, _P, of=of) for name, of in read}


def _sent(name: str) -> Callable[[WebhookDetails], list[str]]:
    """The statuses for which a profile gets events: those of its filter, or all that cause an event."""
    everything = tuple(word for word in FILTERED[name] if word in SENT_STATUSES[name])
    said = WORDS[FILTERED[name]]

    def read(details: WebhookDetails) -> list[str]:
        return [said.get(word, word) for word in getattr(details, name) or everything]

    return read


_STATUSES: Final = WORD_LISTS["PaymentStatus"]
_FILTERS: Final = dict(zip(FILTERED, (_STATUSES, tuple(RefundStatus)), strict=True))


def _upper(path: str) -> Field:
    """The card's type, in capitals."""
    word = attrgetter(path)
    return Field("card_type", TEXT, _P, of=lambda card: None if word(card) is None else str(word(card)).upper())


def _capturable(payment: Payment) -> int:
    """0 as long as a creation's `confirm: false` stands."""
    return 0 if NOT_CONFIRMED in payment.echo and payment.connector is None else payment.amount_capturable


_CURRENCY: Final = Field("currency", many(TEXT), _P, of=Constant(WORD_LISTS["Currency"]), nullable=False)
_VOIDED: Final = (RefundStatus.SUCCEEDED, RefundStatus.PENDING, RefundStatus.FAILED)
_EXTERNAL: Final = "request_external_three_ds_authentication"
_METADATA: Final = Field("metadata", AsJson(), _P, of="metadata")
_OF_METHOD: Final = {"metadata": _METADATA._replace(of="method.metadata")}
RECORD_NAMES: Final[Mapping[str, Mapping[str, str]]] = {
    "PaidCard": {"exp_month": "card_exp_month", "exp_year": "card_exp_year"},
    "MandateCard": {"expiry_month": "card_exp_month", "expiry_year": "card_exp_year"},
}

RECORD_FIELDS: Final[Mapping[str, Mapping[str, Field | None]]] = {
    "Payment": {
        **dict.fromkeys(row.name for row in ECHOED),
        **_methods(),
        "amount_capturable": Field("amount_capturable", WHOLE, _P, of=_capturable, nullable=False),
        "next_action": Field("next_action", AsJson(NEXT_ACTION), _P, of=methods.next_action),
        "initiator": Field("initiator", words(("platform", "connected")), _P, of=NOTHING),
    },
    "PaidCard": {
        "brand": _network("brand"),
        "card_type": _upper("type"),
        **_nothing("card_issuer", "card_issuing_country", "card_extended_bin", "auth_code"),
        **_nothing("authentication_data", kind=FREE),
    },
    "PaidWith": methods.PAID_WITH,
    "NextAction": {name: NEXT_ACTION.fields[name]._replace(kind=WHOLE) for name in methods.TIMES},
    "Attempt": _methods(),
    "PaymentsReport": _methods(),
    "UnifiedDetails": {
        "category": Field("category", TEXT, _P, of="standard.unified.code"),
        "standardised_code": Field("standardised_code", TEXT, _P, of=methods.standardised_code),
    },
    "SavedCard": {
        "card_type": _upper("card.type"),
        "card_network": _network("card.brand"),
        **_nothing("issuer_country_code"),
    },
    "MandateCard": dict.fromkeys(("saved_to_locker", "issuer_country_code")),
    "Customer": {"metadata": _METADATA},
    "PaymentMethod": {"payment_method_status": None, **_methods(), "metadata": _METADATA},
    "OfferedPaymentMethod": {**_methods("method."), **_nothing("payment_method_issuer_code"), **_OF_METHOD},
    "DefaultPaymentMethod": _methods(),
    "Mandate": _methods(),
    "BlocklistEntry": {"metadata": None},
    "Profile": {
        "wallet_identities": None,
        "metadata": _METADATA,
        "outgoing_webhook_custom_http_headers": Field(
            "outgoing_webhook_custom_http_headers", FREE, _P, of=lambda profile: profile.shown_headers("*".__mul__)
        ),
        **_nothing("acquirer_config_bucket", kind=FREE),
    },
    "WebhookDetails": {
        name: Field(name, many(words(known)), _P, of=_sent(name), nullable=False) for name, known in _FILTERS.items()
    },
    "Account": {
        **dict.fromkeys(("created_at", "modified_at", "routing_algorithm")),
        "metadata": _METADATA,
        "primary_business_details": Field("primary_business_details", LIST, _P, Constant([]), sent=True),
        **_nothing("network_tokenization_credentials", kind=FREE),
    },
    "Connector": {**_nothing("webhook_setup_capabilities", kind=FREE), "metadata": _METADATA},
    "SdkNextAction": _nothing("should_block_confirm", kind=FLAG),
    "PostCaptureVoid": {"status": Field("status", words(_VOIDED), _P, of="status", nullable=False)},
    "IntentData": {_EXTERNAL: INTENT_DATA.fields[_EXTERNAL]},
    "MethodsOnOffer": {
        "payment_methods": METHODS_ON_OFFER.fields["payment_methods"]._replace(of=groups(methods.CATEGORY))
    },
    "OfferedType": {"payment_method_type": _methods()["payment_method_type"]},
    "PaymentFilters": {
        "payment_method": Field("payment_method", FREE, _P, of=Constant(PUBLIC_TYPES), nullable=False),
        "currency": _CURRENCY,
        "status": Field("status", many(words(_STATUSES)), _P, of=Constant(_STATUSES), nullable=False),
    },
    **{shape: {"currency": _CURRENCY} for shape in ("RefundFilters", "DisputeFilters")},
    "ScriptConfig": {
        "raw_configs": Field("raw_configs", FREE, _P, of=raw_configs(methods.CATEGORY, methods.TYPE)),
        "payment_methods": Field("payment_methods", LIST, _P, of=eligible(methods.CATEGORY, methods.TYPE)),
    },
    "OfferedForClient": {"payment_method": _methods()["payment_method"]},
    "SessionTokens": {
        "session_token": Field("session_token", many(FREE), _P, of=methods.sessions, nullable=False),
        **_nothing("vault_details", kind=FREE),
    },
}

_BARE: Final = LIST_KEYS._replace(items=None)
_SIZED: Final = LIST_KEYS._replace(size="size", total=None, more=None)
_COUNTED: Final = LIST_KEYS._replace(size="count", more=None)
_WHOLE: Final = _BARE._replace(whole=True)
_ARRAYS: Final = ("disputes.list", "profiles.list", "connectors.list", "customers.mandates")

LISTS: Final[Mapping[str, ListKeys]] = {
    "customers.list": _BARE,
    **dict.fromkeys((*_ARRAYS, "events.attempts"), _WHOLE),
    "mandates.list": _WHOLE._replace(parameters={"status": "mandate_status"}),
    "api_keys.list": _WHOLE._replace(parameters={"offset": "skip"}),
    "payments.list": _COUNTED._replace(most=50),
    "refunds.list": _COUNTED,
    **dict.fromkeys(("events.list", "events.list_of_profile"), LIST_KEYS._replace(items="events", more=None)),
    **dict.fromkeys(("GET /payments/list", "GET /payments/profile/list"), _SIZED),
    **{f"{verb} /customers/list_with_count": LIST_KEYS._replace(more=None) for verb in ("GET", "POST")},
}
"""The envelopes of lists (facts §1.1.1, §1.2 to §1.6); an array has everything, unless the public API states a page."""

TEXTS: Final = {"health.check": "health is good"}

SHAPES: Final = {
    "payments.update_metadata": AnswerShape[Payment](
        "UpdatedMetadata",
        Field("payment_id", TEXT, _P, nullable=False),
        Field("metadata", AsJson(), _P, nullable=False),
        Field("status", Listed(PaymentStatus), _P, nullable=False),
        sent("feature_metadata", FREE, _P),
        about="Updated metadata of a payment.",
    )
}
