"""A charge: the issuer and the deciders are asked, each answer is carried out, and a challenge ends (facts §3.4)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from msgspec import structs

from mock_server.contract.operations import CHARGE
from mock_server.domain.cards import by_name
from mock_server.domain.commands import JsonText
from mock_server.domain.customer import SAVEABLE
from mock_server.domain.errors import Cause, FieldError, Refusal, missing
from mock_server.domain.issuer import ChargeTerms, Risk
from mock_server.domain.machine import apply_transition
from mock_server.domain.merchant import Profile
from mock_server.domain.methods import Need, public_words
from mock_server.domain.outcomes import CHALLENGE_DECLINE, Challenge, DecisionRequest, Outcome, OutcomeStatus
from mock_server.domain.payment import Failure, Hold, Payment, Waiting
from mock_server.domain.statuses import MerchantDecision, PaymentStatus
from mock_server.domain.transitions import Trigger as H
from mock_server.engine import blocklist, connectors
from mock_server.engine.context import CommandContext
from mock_server.engine.payments import access, due
from mock_server.engine.payments.access import happened
from mock_server.engine.payments.rules import CLICK_TO_PAY
from mock_server.engine.vault import mandates, methods
from mock_server.randomness import DIGITS
from mock_server.store.transaction import Transaction

_TO_CONFIRM, _CHARGED = PaymentStatus.REQUIRES_CONFIRMATION, H.CHARGED
"""Looked up once: members of an enum are found slowly, and every charge asks for these."""
NETWORK_ID, NETWORK_ID_DIGITS = "network_transaction", 15
DEFAULT_DECLINE = "generic_decline"
DEFAULT_RISK = Risk(75, "held for review")
"""Of a card whose row has none, when a scenario holds it."""


def ask_issuer(
    tx: Transaction, context: CommandContext, payment: Payment, profile: Profile, holder: str | None
) -> Payment:
    """Checks that the method is complete, asks the issuer, retries as the profile says. `holder`: a saved card's."""
    require_method(payment, profile, context.policy.public)
    if payment.stored and payment.payment_method_id is not None:
        if payment.mandate_id is not None:
            mandates.permit(tx, context, payment, payment.mandate_id)
        method = methods.chargeable(tx, payment.payment_method_id, payment.customer_id)
        card = method.card  # it may have changed since the payment was prepared
        if card is not None and holder and not card.holder:
            card = structs.replace(card, holder=holder)
        payment = structs.replace(payment, card=card)
    card = payment.card
    if card and tx.fact(blocklist.IN_FORCE) and blocklist.blocks(tx, card.first6, card.fingerprint):
        # The payment is stored as failed, and the call is refused (facts §8).
        context.refusal = Refusal(Cause.BLOCKED, extras={"payment_id": payment.payment_id})
        rejected = structs.replace(payment, merchant_decision=MerchantDecision.REJECTED)
        return fail(tx, context, rejected, H.DECLINED, "blocklisted")
    retries = (profile.max_auto_retries_enabled or 0) if profile.is_auto_retries_enabled else 0
    while True:
        payment = at_connector(tx, context, payment)
        outcome = _decide(tx, context, payment)
        declined = _declined(payment, outcome) if retries > 0 else None
        if declined is None or Failure(declined).row.is_final:
            return _ANSWERS[outcome.word](tx, context, payment, outcome)
        # Nobody hears of this attempt: the payment has not failed before its last one has.
        retries -= 1
        failed, _ = apply_transition(payment, H.DECLINED, context.now, failure=Failure(declined), authorized_amount=0)
        payment = structs.replace(retried(failed, context.now), told=payment.told)


def _declined(payment: Payment, outcome: Outcome) -> str | None:
    """The name of the decline, if the payment fails with this answer."""
    if outcome.word is OutcomeStatus.PARTIALLY_AUTHORIZED:
        return None if payment.enable_partial_authorization else "insufficient_funds"
    return (outcome.decline or DEFAULT_DECLINE) if outcome.word is OutcomeStatus.FAILED else None


def _decide(tx: Transaction, context: CommandContext, payment: Payment) -> Outcome:
    """Asks the deciders for the issuer's answer, and notes why."""
    unusual: dict[str, Any] = {}
    # The card of a payment that this call creates was checked when the call was read.
    expired = (payment.stored or payment.created_at != context.now) and _has_expired(payment, context.now)
    if expired or payment.stored or payment.off_session:
        unusual["asking"] = ChargeTerms(
            authentication_type=payment.authentication_type,
            customer_present=not payment.off_session,
            saved=payment.stored,
            set_up=payment.set_up,
            expired=expired,
        )
    return decided(tx, context, payment, CHARGE, context.call.operation, metadata=payment.metadata, **unusual)


def _has_expired(payment: Payment, now: int) -> bool:
    return payment.card is not None and payment.card.has_expired(now)


def approve(
    tx: Transaction, context: CommandContext, payment: Payment, outcome: Outcome, amount: int | None = None
) -> Payment:
    """Authorized if the capture is manual, otherwise charged; for less, if only a part of the money came."""
    payment = mandates.keep(tx, context, payment)
    authorized = payment.net_amount if amount is None else amount
    changes: dict[str, Any] = {"authorized_amount": authorized, "later": outcome.later}
    if payment.is_manual and authorized:
        until = due.authorization(tx, context, payment, outcome)
        changes |= {"planned_disputes": outcome.disputes, "capture_before": until}
        return happened(tx, context, payment, H.AUTHORIZED, **changes)
    if outcome.disputes:
        due.disputes(tx, context, payment, outcome.disputes)
    what = _CHARGED if amount is None or amount >= payment.net_amount else H.PAID_IN_PART
    return happened(tx, context, payment, what, captured_amount=authorized, **changes)


def approve_in_part(tx: Transaction, context: CommandContext, payment: Payment, outcome: Outcome) -> Payment:
    """Authorized for a part if the request allows that, otherwise declined (ours: decisions)."""
    if not payment.enable_partial_authorization:
        return decline(tx, context, payment, outcome)
    if not payment.net_amount:  # there is no part of nothing
        return approve(tx, context, payment, outcome)
    payment = mandates.keep(tx, context, payment)
    part, until = payment.net_amount * outcome.approved_percent // 100, due.authorization(tx, context, payment, outcome)
    planned = {"later": outcome.later, "planned_disputes": outcome.disputes, "capture_before": until}
    return happened(tx, context, payment, H.PARTIALLY_AUTHORIZED, authorized_amount=max(1, part), **planned)


def decline(tx: Transaction, context: CommandContext, payment: Payment, outcome: Outcome) -> Payment:
    """Failed, with the decline's name; the call is still answered with 200."""
    return fail(tx, context, payment, H.DECLINED, _declined(payment, outcome) or DEFAULT_DECLINE)


def fail(tx: Transaction, context: CommandContext, payment: Payment, what: H, name: str) -> Payment:
    """Failed, for a named reason."""
    return happened(tx, context, payment, what, failure=Failure(name), authorized_amount=0)


def challenge(tx: Transaction, context: CommandContext, payment: Payment, outcome: Outcome) -> Payment:
    """The customer must act: a page, a code to scan, a transfer to make."""
    if payment.authenticated:  # asked again after the challenge: one is enough
        then = outcome.then or structs.replace(outcome, word=OutcomeStatus.SUCCEEDED)
        return _ANSWERS[then.word](tx, context, payment, then)
    payment = mandates.prepare(tx, context, payment)
    shown, waiting = due.customer(tx, context, payment, outcome), Waiting(due.flow_of(payment), outcome)
    return happened(tx, context, payment, H.CHALLENGED, waiting=waiting, next_action=shown)


def submit(tx: Transaction, context: CommandContext, payment: Payment, outcome: Outcome) -> Payment:
    """No answer yet: it comes by the clock, after some retrieves, or by a trigger."""
    waiting = due.settlement(tx, context, payment.payment_id, "issuer", outcome)
    return happened(tx, context, payment, H.SUBMITTED, waiting=waiting)


def hold(tx: Transaction, context: CommandContext, payment: Payment, outcome: Outcome) -> Payment:
    """Authorized, and held for the merchant's review (facts §3.6)."""
    row = by_name(payment.card.name) if payment.card else None
    risk = row.issuer.risk if row and row.issuer.risk else DEFAULT_RISK
    held = Hold(reason=risk.reason, score=risk.score, manual=payment.is_manual)
    waiting = due.settlement(tx, context, payment.payment_id, "review", outcome)
    planned = {"later": outcome.later, "waiting": waiting}
    return happened(tx, context, payment, H.HELD, hold=held, authorized_amount=payment.net_amount, **planned)


_ANSWERS: dict[OutcomeStatus, Callable[[Transaction, CommandContext, Payment, Outcome], Payment]] = {
    OutcomeStatus.SUCCEEDED: approve,
    OutcomeStatus.PARTIALLY_AUTHORIZED: approve_in_part,
    OutcomeStatus.FAILED: decline,
    OutcomeStatus.REQUIRES_ACTION: challenge,
    OutcomeStatus.PENDING: submit,
    OutcomeStatus.REQUIRES_MERCHANT_ACTION: hold,
}


def require_method(payment: Payment, profile: Profile, public: bool) -> None:
    """Refuses a confirmation if the method is not complete (decisions "The other methods")."""
    if payment.payment_method is None:
        raise missing("payment_method", "is required to confirm a payment", Cause.METHOD_MISSING_AT_CONFIRM)
    if payment.status is not _TO_CONFIRM:
        if CLICK_TO_PAY in payment.echo:
            raise Refusal(Cause.FEATURE_NOT_OFFERED, feature="payments by the data of a click-to-pay service")
        why = f"is required to confirm a payment by {payment.payment_method}"
        raise missing("payment_method_data", why, Cause.METHOD_DATA_MISSING)
    if payment.mandate_data is not None and payment.payment_method not in SAVEABLE:
        category, type_ = public_words(payment.payment_method, payment.payment_method_type, public)
        raise Refusal(Cause.MANDATE_METHOD_UNSUPPORTED, method=type_ or category)
    row = due.method_of(payment)
    if row is None or not row.needs or payment.stored:  # with a saved method, nobody is sent to a page
        return
    own = json.loads(payment.method_billing or "{}")
    there = {
        Need.RETURN_URL: payment.return_url or profile.return_url,
        Need.EMAIL: payment.email or own.get("email") or json.loads(payment.echo.get("billing") or "{}").get("email"),
        Need.BILLING_COUNTRY: payment.billing_country or (own.get("address") or {}).get("country"),
        Need.WALLET_IDENTITY: row.type in profile.wallet_identities,
    }
    lacking = [need for need in row.needs if not there[need]]
    if Need.WALLET_IDENTITY in lacking:
        raise Refusal(Cause.WALLET_NOT_CONFIGURED, wallet=row.type, profile_field="wallet_identities")
    if lacking:
        cause = Cause.RETURN_URL_MISSING if Need.RETURN_URL in lacking else Cause.METHOD_DATA_MISSING
        raise Refusal(cause, fields=tuple(FieldError(need, f"is required for {row.type}", cause) for need in lacking))


def retried(payment: Payment, now: int) -> Payment:
    """A failed payment with a new attempt, which knows nothing of the earlier ones."""
    saved = () if payment.stored else ("payment_method_id", "mandate_id", "connector_mandate_id")
    moved, _ = apply_transition(
        payment,
        H.RETRIED,
        now,
        past_attempts=payment.attempts,
        attempt_began_at=now,
        authorized_amount=0,
        later={},
        **dict.fromkeys(("increments", "planned_disputes"), ()),
        **dict.fromkeys(("released", "authenticated", "kept"), False),
        **dict.fromkeys(("capture_before", "extended_at", "merchant_decision", "hold", *saved)),
    )
    return moved


def at_connector(tx: Transaction, context: CommandContext, payment: Payment) -> Payment:
    """The payment with what every confirmation sets (facts §2.1, §3.4)."""
    name, account_id = connectors.of(tx, payment)
    network_id = None
    if payment.card is not None:
        # No card number begins with a zero, so that nothing takes it for one.
        network_id = "0" + context.randomness.token(NETWORK_ID, tx.next(NETWORK_ID), NETWORK_ID_DIGITS - 1, DIGITS)
    return structs.replace(
        payment,
        connector=name,
        merchant_connector_id=account_id,
        connector_transaction_id=context.new_id(tx, "connector_transaction"),
        network_transaction_id=network_id,
    )


def authenticate(tx: Transaction, context: CommandContext, payment_id: str, result: Challenge) -> Payment:
    """Ends a challenge or a hosted page. Refused as `trigger_forbids` if no customer is awaited."""
    return finish(tx, context, access.find_triggered(tx, payment_id, "authenticate"), result)


def finish(tx: Transaction, context: CommandContext, payment: Payment, result: Challenge) -> Payment:
    """The payment after its challenge ended so."""
    if result is Challenge.ABANDONED:
        return payment
    due.nothing_more(tx, payment, *due.OF_CUSTOMER)
    if result is not Challenge.APPROVED:
        return fail(tx, context, payment, H.CHALLENGE_FAILED, CHALLENGE_DECLINE[result])
    planned = payment.waiting.outcome.then if payment.waiting else None
    payment = structs.replace(payment, authenticated=True, next_action=None)
    outcome = _decide(tx, context, payment) if planned is None or _has_expired(payment, context.now) else planned
    return _ANSWERS[outcome.word](tx, context, payment, outcome)


def complete(
    tx: Transaction,
    context: CommandContext,
    payment_id: str,
    client_secret: str | None = None,
    shipping: JsonText | None = None,
) -> Payment:
    """The client says the customer is back: a challenge whose result is fixed ends now, others stay open.

    Refused as `status_forbids` unless the payment requires an action (ours; the public API is laxer: facts §3.3).
    """
    payment = access.find_for(tx, context, payment_id, client_secret)
    access.permit(payment, "complete_authorize")
    if shipping is not None:
        payment = access.changed(tx, context, payment, echo={**payment.echo, "shipping": shipping})
    return access.as_now(tx, end(tx, context, payment), context.now)


def end(tx: Transaction, context: CommandContext, payment: Payment) -> Payment:
    """Ends a challenge whose result is fixed; others stay open."""
    fixed = fixed_result(payment)
    return finish(tx, context, payment, fixed) if fixed else payment


def fixed_result(payment: Payment) -> Challenge | None:
    """How this challenge ends without anybody's decision; None if a person or the control API decides."""
    if payment.status is not PaymentStatus.REQUIRES_ACTION or payment.waiting is None:
        return None
    return payment.waiting.outcome.challenge


OUTCOME_KEY: Final = "sandbox_outcome"


def decided(
    tx: Transaction,
    context: CommandContext,
    payment: Payment,
    *names: str,
    metadata: JsonText = "{}",
    **records: object,
) -> Outcome:
    """Asks the deciders about a charge, or about an operation on a payment, and notes why.

    `names` are what a rule's `on` can match, the operation last; `metadata` can hold a wish; `records` are what else
    the deciders may look at, by name (`refund`, `dispute`).
    """
    call = context.call
    wanted, wanted_by = call.wanted, call.wanted_by
    if wanted is None and OUTCOME_KEY in metadata:  # a wish, of lower rank (ours: decisions, Ways to choose an outcome)
        found = json.loads(metadata).get(OUTCOME_KEY)
        wanted, wanted_by = found if isinstance(found, str) else None, f"metadata.{OUTCOME_KEY}"
    decision = context.decide(
        tx,
        DecisionRequest(  # by position: it is made for every charge
            names,
            names[-1],
            context.now,
            call,
            {"payment": payment, "card": payment.card, **records},
            len(payment.past_attempts) + 1,
            wanted,
            wanted_by,
            payment.scenarios,
        ),
    )
    context.notes.append(decision.because)
    return decision.outcome
