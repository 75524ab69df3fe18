"""The cards of the sandbox: which number does what, one row per card.

Rows of `facts §7.1` and `facts §7.2` are the numbers that existing tests use; where the two disagree,
decisions "Cards" decides. Ours begin with 400099, 520099, 520098, 379999, 652199 or 675999. A card's
`name` is stored and shown; the number is only in this table.
"""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache
from typing import Final, NamedTuple

from mock_server.domain.card_brands import (
    AMEX,
    BRANDS,
    DINERS,
    DISCOVER,
    JCB,
    MAESTRO,
    MASTERCARD,
    RUPAY,
    UNIONPAY,
    VISA,
    Brand,
    brand_named,
    brand_row,
)
from mock_server.domain.instants import DAY_MS
from mock_server.domain.issuer import (
    APPROVES,
    Authenticates,
    Behaviour,
    ChallengeForm,
    Lookup,
    approves_part,
    challenges,
    checks,
    declines,
    disputes,
    holds,
    later,
    refunds,
    settles,
)
from mock_server.domain.outcomes import DisputePlan, Outcome, OutcomeStatus


class CardType(StrEnum):
    """How a card is funded."""

    CREDIT = "credit"
    DEBIT = "debit"
    PREPAID = "prepaid"


class Card(NamedTuple):
    """One card; `number` is empty for the numbers that are not in the table."""

    number: str
    name: str
    brand: str
    type: CardType
    issuer: Behaviour
    source: str

    @property
    def listed(self) -> bool:
        """Whether this is a row of the table."""
        return self.number != ""


_CREDIT, _DEBIT, _PREPAID = CardType.CREDIT, CardType.DEBIT, CardType.PREPAID
_NEVER, _ON_REQUEST = Authenticates.NEVER, Authenticates.ON_REQUEST
_UNLESS_SET_UP, _ALWAYS = Authenticates.UNLESS_SET_UP, Authenticates.ALWAYS
_F71, _F72, _OURS = "facts §7.1", "facts §7.2", "ours"

# ruff: noqa: E501 — one row, one line
# fmt: off
CARDS: Final = (
    # Approved.
    Card("4242424242424242", "visa_success", VISA, _CREDIT, APPROVES, _F71),
    Card("4111111111111111", "visa_success_1111", VISA, _CREDIT, APPROVES, _F71),
    Card("4000056655665556", "visa_debit_success", VISA, _DEBIT, APPROVES, _F72),
    Card("5555555555554444", "mastercard_success", MASTERCARD, _CREDIT, APPROVES, _F71),
    Card("5200828282828210", "mastercard_debit_success", MASTERCARD, _DEBIT, APPROVES, _F72),
    Card("2223003122003222", "mastercard_2_series_success", MASTERCARD, _CREDIT, APPROVES, _F72),
    Card("378282246310005", "amex_success", AMEX, _CREDIT, Behaviour(authenticates=_NEVER), _F71),
    Card("371449635398431", "amex_success_8431", AMEX, _CREDIT, APPROVES, _F72),
    Card("6011111111111117", "discover_success", DISCOVER, _CREDIT, APPROVES, _F71),
    Card("6011000990139424", "discover_success_9424", DISCOVER, _CREDIT, APPROVES, _F72),
    Card("6011981111111113", "discover_debit_success", DISCOVER, _DEBIT, APPROVES, _OURS),
    Card("38000000000006", "diners_success", DINERS, _CREDIT, APPROVES, _F71),
    Card("3056930009020004", "diners_success_0004", DINERS, _CREDIT, APPROVES, _F72),
    Card("36227206271667", "diners_success_1667", DINERS, _CREDIT, APPROVES, _F72),
    Card("3566002020360505", "jcb_success", JCB, _CREDIT, APPROVES, _F72),
    Card("6200000000000005", "unionpay_success", UNIONPAY, _CREDIT, APPROVES, _F72),
    Card("6521990000000017", "rupay_success", RUPAY, _DEBIT, APPROVES, _OURS),
    Card("6759990000000010", "maestro_success", MAESTRO, _DEBIT, APPROVES, _OURS),
    Card("4000990000000012", "visa_prepaid_success", VISA, _PREPAID, APPROVES, _OURS),
    Card("4000000000000077", "visa_funds_available", VISA, _CREDIT, APPROVES, _F72),
    # Declined by the issuer.
    Card("4000000000000002", "visa_generic_decline", VISA, _CREDIT, declines("generic_decline"), _F71),
    Card("4000000000009995", "visa_insufficient_funds", VISA, _CREDIT, declines("insufficient_funds"), _F71),
    Card("4000000000009987", "visa_lost_card", VISA, _CREDIT, declines("lost_card"), _F71),
    Card("4000000000009979", "visa_stolen_card", VISA, _CREDIT, declines("stolen_card"), _F71),
    Card("4000000000000069", "visa_expired_card", VISA, _CREDIT, declines("expired_card"), _F72),
    Card("4000000000000127", "visa_incorrect_cvc", VISA, _CREDIT, declines("incorrect_cvc"), _F72),
    Card("4000000000000119", "visa_processing_error", VISA, _CREDIT, declines("processing_error"), _F72),
    Card("4000000000006975", "visa_card_velocity_exceeded", VISA, _CREDIT, declines("card_velocity_exceeded"), _F72),
    Card("5105105105105100", "mastercard_generic_decline", MASTERCARD, _PREPAID, declines("generic_decline"), _F71),
    Card("5200990000000512", "mastercard_insufficient_funds", MASTERCARD, _CREDIT, declines("insufficient_funds"), _OURS),
    Card("5200990000000546", "mastercard_expired_card", MASTERCARD, _CREDIT, declines("expired_card"), _OURS),
    Card("379999000000055", "amex_do_not_honor", AMEX, _CREDIT, declines("do_not_honor"), _OURS),
    Card("4000990000001002", "visa_incorrect_number", VISA, _CREDIT, declines("incorrect_number"), _OURS),
    Card("4000990000001010", "visa_do_not_honor", VISA, _CREDIT, declines("do_not_honor"), _OURS),
    Card("4000990000001028", "visa_call_issuer", VISA, _CREDIT, declines("call_issuer"), _OURS),
    Card("4000990000001036", "visa_no_action_taken", VISA, _CREDIT, declines("no_action_taken"), _OURS),
    Card("4000990000001044", "visa_card_not_supported", VISA, _CREDIT, declines("card_not_supported"), _OURS),
    Card("4000990000001051", "visa_currency_not_supported", VISA, _CREDIT, declines("currency_not_supported"), _OURS),
    Card("4000990000001069", "visa_invalid_account", VISA, _CREDIT, declines("invalid_account"), _OURS),
    Card("4000990000001077", "visa_new_account_information_available", VISA, _CREDIT, declines("new_account_information_available"), _OURS),
    Card("4000990000001085", "visa_account_closed", VISA, _CREDIT, declines("account_closed"), _OURS),
    Card("4000990000001093", "visa_pickup_card", VISA, _CREDIT, declines("pickup_card"), _OURS),
    Card("4000990000001101", "visa_restricted_card", VISA, _CREDIT, declines("restricted_card"), _OURS),
    Card("4000990000001119", "visa_security_violation", VISA, _CREDIT, declines("security_violation"), _OURS),
    Card("4000990000001127", "visa_try_again_later", VISA, _CREDIT, declines("try_again_later"), _OURS),
    Card("4000990000001135", "visa_issuer_not_available", VISA, _CREDIT, declines("issuer_not_available"), _OURS),
    Card("4000990000001143", "visa_reenter_transaction", VISA, _CREDIT, declines("reenter_transaction"), _OURS),
    Card("4000990000001150", "visa_transaction_not_allowed", VISA, _CREDIT, declines("transaction_not_allowed"), _OURS),
    Card("4000990000001168", "visa_not_permitted", VISA, _CREDIT, declines("not_permitted"), _OURS),
    Card("4000990000001176", "visa_service_not_allowed", VISA, _CREDIT, declines("service_not_allowed"), _OURS),
    Card("4000990000001184", "visa_authentication_required", VISA, _CREDIT, declines("authentication_required"), _OURS),
    Card("4000990000001192", "visa_approve_with_id", VISA, _CREDIT, declines("approve_with_id"), _OURS),
    Card("4000990000001200", "visa_withdrawal_count_limit_exceeded", VISA, _CREDIT, declines("withdrawal_count_limit_exceeded"), _OURS),
    Card("4000990000001218", "visa_credit_limit_exceeded", VISA, _CREDIT, declines("credit_limit_exceeded"), _OURS),
    Card("4000990000001226", "visa_invalid_amount", VISA, _CREDIT, declines("invalid_amount"), _OURS),
    Card("4000990000001234", "visa_incorrect_zip", VISA, _CREDIT, declines("incorrect_zip"), _OURS),
    Card("4000990000001242", "visa_incorrect_address", VISA, _CREDIT, declines("incorrect_address"), _OURS),
    Card("4000990000001259", "visa_invalid_cvc", VISA, _CREDIT, declines("invalid_cvc"), _OURS),
    Card("4000990000001267", "visa_invalid_expiry_month", VISA, _CREDIT, declines("invalid_expiry_month"), _OURS),
    Card("4000990000001275", "visa_invalid_expiry_year", VISA, _CREDIT, declines("invalid_expiry_year"), _OURS),
    Card("4000990000001283", "visa_invalid_pin", VISA, _CREDIT, declines("invalid_pin"), _OURS),
    Card("4000990000001291", "visa_pin_try_exceeded", VISA, _CREDIT, declines("pin_try_exceeded"), _OURS),
    Card("4000990000001309", "visa_offline_pin_required", VISA, _CREDIT, declines("offline_pin_required"), _OURS),
    Card("4000990000001317", "visa_revocation_of_authorization", VISA, _CREDIT, declines("revocation_of_authorization"), _OURS),
    Card("4000990000001325", "visa_revocation_of_all_authorizations", VISA, _CREDIT, declines("revocation_of_all_authorizations"), _OURS),
    Card("4000990000001333", "visa_stop_payment_order", VISA, _CREDIT, declines("stop_payment_order"), _OURS),
    Card("4000990000001341", "visa_merchant_blacklist", VISA, _CREDIT, declines("merchant_blacklist"), _OURS),
    Card("4000990000001358", "visa_duplicate_transaction", VISA, _CREDIT, declines("duplicate_transaction"), _OURS),
    Card("4000990000001366", "visa_suspected_fraud", VISA, _CREDIT, declines("suspected_fraud"), _OURS),
    Card("4000990000001374", "visa_issuer_timeout", VISA, _CREDIT, declines("issuer_timeout"), _OURS),
    Card("4000000000000341", "visa_declines_when_saved", VISA, _CREDIT, Behaviour(later=Outcome(OutcomeStatus.FAILED, decline="generic_decline")), _F72),
    # Blocked or held by the fraud check.
    Card("4100000000000019", "visa_fraudulent", VISA, _CREDIT, declines("fraudulent"), _F72),
    Card("4000000000004954", "visa_highest_risk_level", VISA, _CREDIT, declines("highest_risk_level"), _F72),
    Card("4000000000009235", "visa_review", VISA, _CREDIT, holds(65, "elevated risk"), _F72),
    Card("4000058400307872", "visa_review_cvc_check_fails", VISA, _CREDIT, holds(70, "elevated risk, security code wrong", cvc="fail"), _F72),
    Card("4000058400306072", "visa_review_zip_check_fails", VISA, _CREDIT, holds(70, "elevated risk, postal code wrong", zip_code="fail"), _F72),
    Card("4000990000006001", "visa_review_approved", VISA, _CREDIT, holds(60, "looks unusual", OutcomeStatus.SUCCEEDED), _OURS),
    Card("4000990000006019", "visa_review_rejected", VISA, _CREDIT, holds(80, "looks like fraud", OutcomeStatus.FAILED), _OURS),
    # Approved although a check failed.
    Card("4000000000000101", "visa_cvc_check_fails", VISA, _CREDIT, checks(cvc="fail"), _F72),
    Card("4000000000000036", "visa_zip_check_fails", VISA, _CREDIT, checks(zip_code="fail"), _F72),
    Card("4000000000000010", "visa_address_checks_fail", VISA, _CREDIT, checks(line1="fail", zip_code="fail"), _F72),
    Card("4000000000000028", "visa_line1_check_fails", VISA, _CREDIT, checks(line1="fail"), _F72),
    Card("4000000000000044", "visa_address_checks_unavailable", VISA, _CREDIT, checks(line1="unavailable", zip_code="unavailable"), _F72),
    # Authenticated first.
    Card("4000003800000446", "visa_3ds", VISA, _CREDIT, challenges(_UNLESS_SET_UP), _F71),
    Card("4000002500003155", "visa_3ds_unless_set_up", VISA, _CREDIT, challenges(_UNLESS_SET_UP), _F72),
    Card("4000000000003220", "visa_3ds_required", VISA, _CREDIT, challenges(), _F72),
    Card("4000002760003184", "visa_3ds_always", VISA, _CREDIT, challenges(_ALWAYS), _F72),
    Card("4000000000003055", "visa_3ds_optional", VISA, _CREDIT, challenges(_ON_REQUEST), _F72),
    Card("4000008260003178", "visa_3ds_insufficient_funds", VISA, _CREDIT, challenges(says=Outcome(OutcomeStatus.FAILED, decline="insufficient_funds")), _F72),
    Card("4000008400001629", "visa_3ds_generic_decline", VISA, _CREDIT, challenges(says=Outcome(OutcomeStatus.FAILED, decline="generic_decline")), _F72),
    Card("4000008400001280", "visa_3ds_lookup_error", VISA, _CREDIT, challenges(lookup=Lookup.UNAVAILABLE), _F72),
    Card("4000000000003097", "visa_3ds_optional_lookup_error", VISA, _CREDIT, challenges(_ON_REQUEST, lookup=Lookup.UNAVAILABLE), _F72),
    Card("4000990000003008", "visa_3ds_frictionless", VISA, _CREDIT, challenges(lookup=Lookup.AUTHENTICATED), _OURS),
    Card("4000990000003016", "visa_3ds_attempted", VISA, _CREDIT, challenges(lookup=Lookup.ATTEMPTED), _OURS),
    Card("4000990000003024", "visa_3ds_rejected", VISA, _CREDIT, challenges(lookup=Lookup.REJECTED), _OURS),
    Card("4000990000003032", "visa_3ds_one_time_code", VISA, _CREDIT, challenges(form=ChallengeForm.ONE_TIME_CODE), _OURS),
    Card("4000990000003040", "visa_3ds_pending", VISA, _CREDIT, challenges(says=settles(OutcomeStatus.SUCCEEDED).says), _OURS),
    Card("4000000000001208", "visa_captcha", VISA, _CREDIT, challenges(_ALWAYS, form=ChallengeForm.CAPTCHA), _F72),
    Card("4000000000003725", "visa_captcha_3725", VISA, _CREDIT, challenges(_ALWAYS, form=ChallengeForm.CAPTCHA), _F72),
    Card("5200980000000018", "mastercard_3ds_required", MASTERCARD, _CREDIT, challenges(), _OURS),
    # Answered later.
    Card("4000990000002000", "visa_pending_succeeds", VISA, _CREDIT, settles(OutcomeStatus.SUCCEEDED), _OURS),
    Card("4000990000002018", "visa_pending_fails", VISA, _CREDIT, settles(OutcomeStatus.FAILED), _OURS),
    Card("4000990000002026", "visa_pending", VISA, _CREDIT, settles(OutcomeStatus.SUCCEEDED, None), _OURS),
    Card("4000990000002034", "visa_connector_timeout", VISA, _CREDIT, settles(OutcomeStatus.SUCCEEDED, None, on_sync=True), _OURS),
    Card("4000990000002042", "visa_connector_timeout_fails", VISA, _CREDIT, settles(OutcomeStatus.FAILED, None, on_sync=True), _OURS),
    # Approved in part.
    Card("4000990000007009", "visa_partial_authorization", VISA, _CREDIT, approves_part(50), _OURS),
    Card("4000990000007017", "visa_partial_authorization_10", VISA, _CREDIT, approves_part(10), _OURS),
    # Disputed.
    Card("4000000000000259", "visa_dispute_fraudulent", VISA, _CREDIT, disputes(DisputePlan("fraudulent")), _F72),
    Card("4000000000002685", "visa_dispute_product_not_received", VISA, _CREDIT, disputes(DisputePlan("product_not_received")), _F72),
    Card("4000000000001976", "visa_inquiry", VISA, _CREDIT, disputes(DisputePlan("unrecognized", "pre_dispute")), _F72),
    Card("4000000000005423", "visa_early_fraud_warning", VISA, _CREDIT, disputes(DisputePlan("early_fraud_warning", "pre_dispute")), _F72),
    Card("4000000404000079", "visa_dispute_twice", VISA, _CREDIT, disputes(DisputePlan("fraudulent", percent=50), DisputePlan("product_not_received", percent=50)), _F72),
    Card("4000000404000038", "visa_dispute_compelling_evidence", VISA, _CREDIT, disputes(DisputePlan("fraudulent")), _F72),
    Card("4000008400000779", "visa_dispute_noncompliant", VISA, _CREDIT, disputes(DisputePlan("noncompliant")), _F72),
    Card("4000990000004006", "visa_dispute_unrecognized", VISA, _CREDIT, disputes(DisputePlan("unrecognized")), _OURS),
    Card("4000990000004014", "visa_dispute_incorrect_amount", VISA, _CREDIT, disputes(DisputePlan("incorrect_amount")), _OURS),
    Card("4000990000004022", "visa_dispute_duplicate", VISA, _CREDIT, disputes(DisputePlan("duplicate")), _OURS),
    Card("4000990000004030", "visa_dispute_subscription_canceled", VISA, _CREDIT, disputes(DisputePlan("subscription_canceled")), _OURS),
    Card("4000990000004048", "visa_dispute_product_unacceptable", VISA, _CREDIT, disputes(DisputePlan("product_unacceptable")), _OURS),
    Card("4000990000004055", "visa_dispute_credit_not_processed", VISA, _CREDIT, disputes(DisputePlan("credit_not_processed")), _OURS),
    Card("4000990000004063", "visa_dispute_general", VISA, _CREDIT, disputes(DisputePlan("general")), _OURS),
    Card("4000990000004105", "visa_pre_arbitration", VISA, _CREDIT, disputes(DisputePlan("fraudulent", "pre_arbitration")), _OURS),
    Card("4000990000004113", "visa_arbitration", VISA, _CREDIT, disputes(DisputePlan("fraudulent", "arbitration")), _OURS),
    Card("4000990000004121", "visa_dispute_part", VISA, _CREDIT, disputes(DisputePlan("product_unacceptable", percent=50)), _OURS),
    Card("4000990000004139", "visa_dispute_later", VISA, _CREDIT, disputes(DisputePlan("fraudulent", after_ms=30 * DAY_MS)), _OURS),
    # Approved; what is done later does not go smoothly.
    Card("4000000000007726", "visa_refund_pending", VISA, _CREDIT, refunds(OutcomeStatus.PENDING, OutcomeStatus.SUCCEEDED), _F72),
    Card("4000000000005126", "visa_refund_fails_later", VISA, _CREDIT, refunds(OutcomeStatus.SUCCEEDED, OutcomeStatus.FAILED, "refund_account_closed"), _F72),
    Card("4000990000005003", "visa_refund_fails", VISA, _CREDIT, refunds(OutcomeStatus.FAILED), _OURS),
    Card("4000990000005011", "visa_refund_pending_fails", VISA, _CREDIT, refunds(OutcomeStatus.PENDING, OutcomeStatus.FAILED), _OURS),
    Card("4000990000005029", "visa_capture_fails", VISA, _CREDIT, later("payments.capture", "capture_failed"), _OURS),
    Card("4000990000005037", "visa_cancel_fails", VISA, _CREDIT, later("payments.cancel", "void_failed"), _OURS),
)
# fmt: on

UNLISTED: Final = "unlisted_"
"""How the names of numbers outside the table begin (ours)."""

_BY_NUMBER: Final = {row.number: row for row in CARDS}
_BY_NAME: Final = {row.name: row for row in CARDS}

find: Final = _BY_NUMBER.get
"""The row of a number without blanks, or None."""


def by_name(name: str) -> Card | None:
    """The row of a name; `insufficient_funds` alone is the Visa card of that name.

    Names of numbers outside the table (`unlisted_visa`) are found too: only the name of a card is stored.
    """
    if name.startswith(UNLISTED):
        brand = brand_named(name.removeprefix(UNLISTED))
        return None if brand is None else unknown_card(brand)
    return _BY_NAME.get(name) or _BY_NAME.get(f"visa_{name}")


def for_number(number: str) -> Card:
    """The row of a number; for numbers outside the table, that of their brand."""
    return _BY_NUMBER.get(number) or unknown_card(brand_row(number))


@lru_cache(maxsize=len(BRANDS) + 1)
def unknown_card(row: Brand) -> Card:
    """The row of a brand's numbers outside the table: a credit card that is approved (decisions "Cards")."""
    return Card("", UNLISTED + row.slug, row.name, CardType.CREDIT, APPROVES, 'decisions "Cards"')
