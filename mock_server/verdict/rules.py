"""The rules: one row each, and one small function in `money` or `manners`.

A function walks through the occasions on which a client could do wrong. It yields `None` for one that went well and a
`Finding` for one that did not; where it yields nothing, nothing was judged. It tells only of what is certain.
"""

# ruff: noqa: E501 — one row, one line
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from mock_server.domain.statuses import PaymentStatus as S
from mock_server.verdict import manners
from mock_server.verdict import money as moved
from mock_server.verdict.evidence import Finding

ERROR: Final = "error"
ADVICE: Final = "advice"
Find = Callable[..., Iterator[Finding | None]]


class ClientRule(NamedTuple):
    """One rule; `occasion` is what must have happened so that it can be judged, `sign` what it finds something in.

    `find` is called with the evidence and with what is `given`.
    """

    id: str
    severity: str
    title: str
    occasion: str
    why: str
    do: str
    source: str
    sign: str
    find: Find
    given: tuple[Any, ...] = ()


RULES: Final = (
    ClientRule("double-charge", ERROR, "An order is charged again after an answer was lost", "an answer that was lost after the charge", "The first call took the money. The second takes it again, and the customer pays twice.", "Send the same call with the same idempotency key until it is answered.", "interface §8.3", "trouble", moved.double_charge),
    ClientRule("key-for-another-body", ERROR, "One idempotency key is used for two bodies", "a call with an idempotency key", "The second operation is refused and never takes place.", "Make a key for each operation, and keep it together with that operation's body.", "interface §8.3", "trouble", moved.key_for_another_body),
    ClientRule("captured-twice", ERROR, "A payment is captured that had been captured", "a capture", "It works by luck: with several captures allowed the customer pays twice.", "Keep with the order that it was captured, and look before a second try.", "facts §3.5", "trouble", moved.refused_in, ("payments.capture", moved.CAPTURED, "captured though all of it had been captured")),
    ClientRule("refunded-twice", ERROR, "A refund is given again", "a refund", "The customer gets the money twice, or the second call fails where nobody looks.", "Give each refund a refund_id or an idempotency key of its own, and keep it.", "facts §8", "trouble", moved.refunded_twice),
    ClientRule("webhook-acted-twice", ERROR, "An event that came twice is acted on twice", "an event that was delivered more than once", "Every webhook comes twice some day: goods leave twice, money moves twice.", "Keep the event_ids that were handled, and answer 200 to one that was.", "facts §6.2", "sent", moved.webhook_acted_twice),
    ClientRule("failed-captured", ERROR, "A failed payment is captured", "a capture", "No money comes, and the order is handed over as paid.", "Read the status of each answer; capture what is requires_capture.", "facts §3.5", "trouble", moved.refused_in, ("payments.capture", {S.FAILED}, "captured though it had failed")),
    ClientRule("failed-refunded", ERROR, "A failed payment is refunded", "a refund", "There is nothing to give back; the books say that there was.", "Refund what was captured, by the payment's status.", "facts §8", "trouble", moved.refused_in, ("refunds.create", {S.FAILED}, "refunded though it had failed")),
    ClientRule("captured-after-expiry", ERROR, "An authorization is captured after it expired", "a capture", "The money was set free: the goods are gone and nothing comes for them.", "Capture before capture_before, or authorize anew.", "ours: decisions, Clock", "trouble", moved.refused_in, ("payments.capture", {S.EXPIRED}, "captured after its authorization had expired")),
    ClientRule("captured-after-cancel", ERROR, "A cancelled payment is captured", "a capture", "The customer was told that nothing is taken.", "Keep with the order that it was cancelled.", "facts §3.5", "trouble", moved.refused_in, ("payments.capture", {S.CANCELLED}, "captured after it had been cancelled")),
    ClientRule("captured-too-much", ERROR, "More is captured than is authorized", "a capture", "The capture is refused, and nothing of it comes.", "Capture at most amount_capturable; raise the authorization first.", "facts §3.5", "trouble", moved.captured_too_much),
    ClientRule("refunded-too-much", ERROR, "More is refunded than was captured", "a refund", "The refund is refused, and the customer waits for it.", "Refund at most what was captured and not refunded yet.", "facts §8", "trouble", moved.refunded_too_much),
    ClientRule("pending-never-looked", ADVICE, "Nobody looks after a pending payment", "a pending payment that came to its end", "Money that came is never booked, or goods leave for money that never came.", "Take the webhook, or ask again with growing pauses until the status is final.", "facts §3.1", "pending", moved.pending_never_looked),
    ClientRule("challenge-not-followed", ADVICE, "The customer is never led to the challenge", "a payment that the customer had to act on", "Every payment with 3-D Secure is lost.", "Send the customer to next_action.redirect_to_url.", "facts §3.4", "challenge", moved.challenge_not_followed),
    ClientRule("left-too-early", ADVICE, "The client leaves before a slow answer and never asks again", "an answer that a scenario held back", "The payment was made, and nobody knows of it.", "Wait longer, and after a time-out send the same call with the same key.", "interface §8.3", "trouble", moved.left_too_early),
    ClientRule("authorization-open", ADVICE, "An authorization is left open", "an authorization", "The customer's money stays blocked until it expires.", "Capture it, or cancel it.", "facts §3.5", "requires_capture", moved.authorization_open),
    ClientRule("retried-too-soon", ERROR, "A call comes again before Retry-After is over", "an answer with Retry-After", "The limit stays used up, and nothing gets through.", "Wait as long as Retry-After says.", "interface §8.4", "retry_after", manners.retried_too_soon),
    ClientRule("polled-past-end", ADVICE, "A payment is asked for after its final status", "a payment whose final status was read", "It costs calls of the rate limit and brings nothing.", "Stop at a final status.", "facts §3.1", "looks", manners.polled_past_end),
    ClientRule("polled-too-fast", ADVICE, "A payment is asked for more than once a second", "five looks in a row at one payment", "It uses up the rate limit when it matters.", "Wait a second and more, or take the webhook.", "ours", "looks", manners.polled_too_fast),
    ClientRule("polled-steadily", ADVICE, "The pauses between looks do not grow", "six looks in a row at one payment", "All customers wait together when the processor is slow.", "Let each pause be longer than the last.", "ours", "looks", manners.polled_steadily),
    ClientRule("connection-for-each-call", ADVICE, "Each call opens a connection", "20 calls of one client", "Each call pays for a TCP and a TLS handshake.", "Keep one client and its connections.", "ours", "calls", manners.connection_for_each),
    ClientRule("webhook-refused", ERROR, "A genuine event is never taken", "an event that was delivered", "After the last retry nobody tells the shop any more.", "Answer 2xx once the event is kept, also to events that are not known.", "facts §6.2", "sent", manners.webhook_refused),
    ClientRule("webhook-late", ERROR, "A receiver answers too late", "an event that was delivered", "It counts as refused, comes again, and the queue behind it grows.", "Keep the event, answer, and work afterwards.", "facts §6.2", "sent", manners.webhook_late),
    ClientRule("forged-webhook-taken", ERROR, "A forged event is taken", "a delivery that a scenario signed wrongly", "Anybody can mark orders as paid.", "Compare X-Webhook-Signature-512 with the HMAC of the raw bytes, in constant time.", "facts §6.2", "sent", manners.forged_webhook_taken),
    ClientRule("card-data-misplaced", ERROR, "Card data stands in free text or in an address", "a call", "It is stored and logged on both sides, in the open: a breach of PCI DSS.", "Send card data in payment_method_data alone.", "ours: PCI DSS 3.3", "misplaced", manners.misplaced, ("card number", "security code")),
    ClientRule("key-misplaced", ERROR, "A key stands in free text or in an address", "a call", "Whoever reads a log can move money.", "Send keys in the api-key header alone.", "interface §5", "misplaced", manners.misplaced, ("key",)),
    ClientRule("secret-key-in-browser", ERROR, "A page calls with a secret key", "a call with a secret key", "Every visitor can read the key, and refund to themselves.", "Call from the server, or with the publishable key and the client_secret.", "interface §5", "browser", manners.secret_key_in_browser),
    ClientRule("amount-not-whole", ERROR, "An amount is sent as text or as a decimal", "a call with an amount", "Decimals lose cents, and the call is refused.", "Count in minor units, as integers, everywhere.", "interface §4.2", "trouble", manners.amount_not_whole),
    ClientRule("unknown-fields", ERROR, "Fields are sent that the API does not know", "a call with a body", "What they were to bring about does not happen.", "Mend their names: the answer names the nearest known one.", "facts §8", "trouble", manners.unknown_fields),
)  # fmt: skip
