"""The rules: one row each, with one small function in `money` or `manners`; and how they judge evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any, Final, NamedTuple

from mock_server.domain.statuses import PaymentStatus as S
from mock_server.guesses import hint
from mock_server.verdict import manners, money
from mock_server.verdict.calls import Json
from mock_server.verdict.evidence import Evidence, Finding, Lacking

ERROR: Final = "error"
ADVICE: Final = "advice"


class ClientRule(NamedTuple):
    """One rule; `occasion` is what must have happened so that it can be judged, `sign` the evidence of a mistake.

    `find` is called with the evidence and what is `given`: it yields findings, None for what is right, or why it is unseen.
    `by_absence`: a call that changed nothing, such as a retrieval or a visit to a page, excuses the client.
    """

    id: str
    severity: str
    title: str
    occasion: str
    why: str
    do: str
    source: str
    sign: str
    find: Callable[..., Iterator[Finding | str | None]]
    given: tuple[Any, ...] = ()
    by_absence: bool = False


RULES: Final = (
    ClientRule("double-charge", ERROR, "An order is charged again after a lost answer", "an answer that was lost after the charge", "The first call charged the customer. The second charges again, so the customer pays twice.", "Repeat the same call with the same idempotency key until it is answered.", "interface §8.3", "trouble", money.double_charge, by_absence=True),
    ClientRule("repeated-without-key", ADVICE, "A call whose answer was lost is repeated without its key", "a call that was repeated after its answer was lost", "If the first call was performed, money moves twice.", "Repeat the same call with the same idempotency key, or give the payment or refund an ID of your own.", "interface §8.3", "trouble", money.repeated_without_key, by_absence=True),
    ClientRule("key-for-another-body", ERROR, "One idempotency key is used with two bodies", "a call with an idempotency key", "The second operation is refused and never happens.", "Create a new key for each operation, and store it with that operation's body.", "interface §8.3", "trouble", money.key_for_another_body),
    ClientRule("captured-twice", ERROR, "A captured payment is captured again", "a capture", "The call is refused only by luck: if several captures are allowed, the customer pays twice.", "Record the capture with the order, and check it before you try again.", "facts §3.5", "trouble", money.refused_in, ("payments.capture", money.CAPTURED, "captured")),
    ClientRule("refunded-twice", ERROR, "A refund is made twice", "a refund", "The customer gets the money twice, or the second call fails unnoticed.", "Give each refund its own refund_id or idempotency key, and store it.", "facts §8", "trouble", money.refunded_twice, by_absence=True),
    ClientRule("webhook-acted-twice", ERROR, "A duplicate event is handled twice", "an event that was delivered more than once", "Any webhook can be delivered twice. Goods are then shipped twice, or money moves twice.", "Store the event_id of each handled event, and answer 200 to duplicates.", "facts §6.2", "sent", money.webhook_acted_twice),
    ClientRule("failed-captured", ERROR, "A failed payment is captured", "a capture", "No money is received, but the order is treated as paid.", "Check the status in each answer; capture only if it is requires_capture.", "facts §3.5", "trouble", money.refused_in, ("payments.capture", {S.FAILED}, "captured")),
    ClientRule("failed-refunded", ERROR, "A payment that failed, or whose money was released or given back, is refunded", "a refund", "There is nothing to refund, but the accounts show a refund.", "Check the payment's status, and refund only captured payments.", "facts §8", "trouble", money.refused_in, ("refunds.create", money.UNDONE, "refunded")),
    ClientRule("captured-too-early", ADVICE, "A payment is captured before it is authorized", "a capture", "The call is refused, and goods are shipped without payment.", "Capture only if the status is requires_capture.", "facts §3.5", "trouble", money.refused_in, ("payments.capture", money.UNAUTHORIZED, "captured")),
    ClientRule("refunded-too-early", ADVICE, "A payment is refunded before it is captured", "a refund", "The refund is refused, and the customer is charged all the same.", "Cancel a payment that is not captured, and refund one that is pending once it has succeeded.", "facts §8", "trouble", money.refused_in, ("refunds.create", money.UNCAPTURED, "refunded")),
    ClientRule("mandate-overstepped", ADVICE, "A mandate is charged beyond what the customer allowed", "a charge by a mandate", "The charge is refused, and a bank would let the customer dispute it.", "Store the limits of each mandate and its end, and charge none after them.", "facts §3.7", "trouble", money.mandate_overstepped),
    ClientRule("captured-after-expiry", ERROR, "An authorization is captured after it expired", "a capture", "The money was released: the goods are shipped but never paid.", "Capture before capture_before, or create a new authorization.", "ours: decisions, Clock", "trouble", money.refused_in, ("payments.capture", {S.EXPIRED}, "captured")),
    ClientRule("captured-after-cancel", ERROR, "A cancelled payment is captured", "a capture", "The customer does not expect to be charged.", "Record the cancellation with the order.", "facts §3.5", "trouble", money.refused_in, ("payments.capture", {S.CANCELLED}, "captured")),
    ClientRule("captured-too-much", ERROR, "More is captured than is left of the authorization", "a capture", "The capture is refused, and no money is received.", "Capture at most amount_capturable, or increment the authorization first.", "facts §3.5", "trouble", money.captured_too_much),
    ClientRule("refunded-too-much", ERROR, "More is refunded than is left of the payment", "a refund", "The refund is refused, and the customer keeps waiting for it.", "Refund at most the captured amount minus earlier refunds.", "facts §8", "trouble", money.refunded_too_much),
    ClientRule("pending-never-looked", ADVICE, "A pending payment is never followed up", "a pending payment that settled", "Received money is never recorded, or goods are shipped without payment.", "Handle the webhook, or retrieve the payment with growing intervals until its status is final.", "facts §3.1", "pending", money.pending_never_looked, by_absence=True),
    ClientRule("challenge-not-followed", ADVICE, "The customer is never sent to the challenge", "a payment that needs action by the customer", "Every payment with 3-D Secure fails.", "Redirect the customer to next_action.redirect_to_url.", "facts §3.4", "challenge", money.challenge_not_followed, by_absence=True),
    ClientRule("challenge-never-read", ADVICE, "The result of a challenge is never read", "a challenge that was completed", "The customer's browser can return with any address: goods are shipped without payment.", "When the customer returns, retrieve the payment, and ship only if its status says that it is paid.", "facts §3.4", "challenge", money.challenge_never_read, by_absence=True),
    ClientRule("left-too-early", ADVICE, "The client gives up on a slow answer and never retrieves the result", "an answer that a scenario delayed", "The payment was made, but the shop does not know.", "Wait longer, and after a timeout repeat the call with the same idempotency key.", "interface §8.3", "trouble", money.left_too_early, by_absence=True),
    ClientRule("authorization-open", ADVICE, "An authorization is left open", "an authorization", "The customer's money stays reserved until it expires.", "Capture it, or cancel it.", "facts §3.5", "reserved", money.authorization_open),
    ClientRule("retried-too-soon", ERROR, "A call is repeated before Retry-After has passed", "an answer with Retry-After", "The limit stays exhausted, and every call is refused.", "Wait for the time in Retry-After.", "interface §8.4", "retry_after", manners.retried_too_soon, by_absence=True),
    ClientRule("retried-without-end", ADVICE, "A call is repeated again and again after 5xx", "a call that was repeated after 5xx", "All clients together keep a server down that could recover.", "Make each pause longer than the last, and give up after some tries.", "ours", "trouble", manners.retried_without_end),
    ClientRule("retried-decline", ADVICE, "A card is charged again after a final decline", "a decline that says do_not_retry", "Card networks charge a fee for each such try, and issuers block the merchant.", "Ask the customer for another card.", "facts §4.5", "declined", manners.retried_decline),
    ClientRule("polled-past-end", ADVICE, "A payment is retrieved again after its final status", "a payment whose final status was read", "It uses up the rate limit for nothing.", "Stop polling at a final status.", "facts §3.1", "looks", manners.polled_past_end),
    ClientRule("polled-too-fast", ADVICE, "A payment is retrieved more than once a second", "five retrievals of one payment in a row", "It uses up the rate limit when you need it.", "Wait at least a second, or handle the webhook.", "ours", "looks", manners.polled_too_fast),
    ClientRule("polled-steadily", ADVICE, "Polling intervals do not grow", "six retrievals of one payment in a row", "When the processor is slow, all clients retry at once and make it slower.", "Make each interval longer than the last.", "ours", "looks", manners.polled_steadily),
    ClientRule("connection-for-each-call", ADVICE, "Each call opens a new connection", "20 calls of one client", "Each call needs a TCP and a TLS handshake.", "Reuse one client and its connections.", "ours", "calls", manners.connection_for_each, by_absence=True),
    ClientRule("webhook-refused", ERROR, "A genuine event is never accepted", "an event that was delivered", "After the last retry, the shop never learns of it.", "Answer 2xx once the event is stored, also for unknown event types; compute its signature over the raw bytes.", "facts §6.2", "sent", manners.webhook_refused),
    ClientRule("webhook-late", ERROR, "A receiver answers too late", "an event that was delivered", "It counts as failed, is retried, and delays the events behind it.", "Store the event, answer, and process it afterwards.", "facts §6.2", "sent", manners.webhook_late),
    ClientRule("forged-webhook-taken", ERROR, "A forged event is accepted", "a delivery that a scenario signed wrongly", "Anyone can mark orders as paid.", "Compare X-Webhook-Signature-512 with the HMAC of the raw body, in constant time.", "facts §6.2", "sent", manners.forged_webhook_taken),
    ClientRule("card-data-misplaced", ERROR, "Card data is sent in free text or in a URL", "a call", "It is stored and logged in plain text on both sides, which violates PCI DSS.", "Send card data only in payment_method_data.", "ours: PCI DSS 3.3", "misplaced", manners.misplaced, ("card number", "security code")),
    ClientRule("key-misplaced", ERROR, "An API key is sent in free text or in a URL", "a call", "Anyone who can read a log can move money.", "Send keys only in the api-key header.", "interface §5", "misplaced", manners.misplaced, ("key",)),
    ClientRule("secret-key-in-browser", ERROR, "A web page uses a secret key", "a call with a secret key", "Every visitor can read the key and make refunds to themselves.", "Call from the server, or with the publishable key and the client_secret.", "interface §5", "browser", manners.secret_key_in_browser),
    ClientRule("first-page-only", ADVICE, "Only the first page of a list is read", "a list with more items than a page", "Accounts are made from a part of the payments.", "Request pages until one is empty, or until has_more is false.", "interface §8.1", "listed", manners.first_page_only),
    ClientRule("amount-not-whole", ERROR, "An amount is sent as text or as a decimal", "a call with an amount", "Decimals can lose cents, and the call is refused.", "Use integers in minor units everywhere.", "interface §4.2", "trouble", manners.amount_not_whole),
    ClientRule("unknown-fields", ERROR, "Unknown fields are sent", "a call with a body", "They have no effect.", "Correct the names: the answer suggests the nearest known field.", "facts §8", "trouble", manners.unknown_fields),
)  # fmt: skip


FORGOTTEN: Final = "calls that change nothing are lost in a restart of the sandbox, so what was read is not known"


class State(StrEnum):
    """The result of a rule, the worst first: not checked if its situation occurred, and not all that was done shows."""

    FOUND = "failed"
    ACCEPTED = "accepted"
    NOT_JUDGED = "not checked"
    WELL = "passed"
    NO_OCCASION = "no occasion"


class Result(NamedTuple):
    """The result of one rule: its findings, the number of occasions, and why it was not judged, or is accepted."""

    rule: ClientRule
    state: State
    seen: Sequence[Finding] = ()
    occasions: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The results of all rules for a client."""

    results: Sequence[Result]
    dropped: int = 0
    base: str = ""
    """The URL of the sandbox with the evidence; empty if that is from a file."""

    def found(self, severity: str | None = None) -> list[Result]:
        """The mistakes that are not accepted. Raises ValueError for a severity that there is not."""
        if severity not in (None, ERROR, ADVICE):
            raise ValueError(f"there is no severity {severity!r}; it is {ERROR} or {ADVICE}")
        return [row for row in self.results if row.state is State.FOUND and severity in (None, row.rule.severity)]

    def of(self, *states: State) -> list[Result]:
        return [result for result in self.results if result.state in states]

    @property
    def is_judged(self) -> bool:
        """Whether anything could be judged at all."""
        return bool(self.of(State.FOUND, State.ACCEPTED, State.WELL))

    def fails(self, *, strict: bool = False) -> bool:
        """Whether a build fails: errors, and with `strict` advice too."""
        return bool(self.found(None if strict else ERROR))


Baseline = Mapping[str, tuple[str, date]]
"""By a rule's id: why it is accepted, and until when; `date.max` for as long as it is said."""
NOTHING: Final[Baseline] = {}


def judge(
    evidence: Evidence,
    baseline: Baseline = NOTHING,
    today: date = date.min,
    rules: Sequence[ClientRule] = RULES,
    base: str = "",
) -> Verdict:
    """Applies the rules to the evidence."""
    said = {rule: (reason, date.max) for rule, reason in evidence.accepts.items()}
    results = [_accepted(_result(rule, evidence), {**said, **baseline}, today) for rule in rules]
    return Verdict(results, evidence.dropped, base)


def combined(told: Sequence[Json], baseline: Baseline = NOTHING, today: date = date.min) -> Verdict:
    """One verdict from the control API's verdicts on several workspaces: a mistake in one of them is a mistake."""
    rows = [{row["id"]: {**row, "in": verdict["workspace"]} for row in verdict["rules"]} for verdict in told]
    results = [_accepted(_of_several(rule, [row[rule.id] for row in rows]), baseline, today) for rule in RULES]
    return Verdict(results, sum(verdict["dropped"] for verdict in told))


def _of_several(rule: ClientRule, rows: Sequence[Json]) -> Result:
    state = next((state for state in State if any(row["state"] == state for row in rows)), State.NO_OCCASION)
    told = [row for row in rows if row["state"] == state]
    seen = [Finding(f"{row['in']}: {one['what']}", one["calls"], one["events"]) for row in told for one in row["seen"]]
    return Result(rule, state, seen, sum(row["occasions"] for row in told), told[0]["reason"] or "" if told else "")


def suspected(evidence: Evidence) -> list[ClientRule]:
    """The rules that can have a finding here, for callers that need only findings."""
    signs = evidence.signs()
    return [rule for rule in RULES if rule.sign in signs]


def _result(rule: ClientRule, evidence: Evidence) -> Result:
    try:
        occasions = list(rule.find(evidence, *rule.given))
    except Lacking as lacking:
        return Result(rule, State.NOT_JUDGED, reason=str(lacking))
    if not occasions:
        return Result(rule, State.NO_OCCASION, reason=f"it needs {rule.occasion}")
    unseen = [occasion for occasion in occasions if isinstance(occasion, str)]
    seen = [occasion for occasion in occasions if isinstance(occasion, Finding)]
    if rule.by_absence and (forgotten := [one for one in seen if min(one.calls) <= evidence.gaps_until]):
        unseen, seen = [*unseen, *[FORGOTTEN] * len(forgotten)], [one for one in seen if one not in forgotten]
    if unseen and not seen:
        return Result(rule, State.NOT_JUDGED, reason=unseen[0])
    return Result(rule, State.FOUND if seen else State.WELL, seen, len(occasions) - len(unseen))


def _accepted(result: Result, baseline: Baseline, today: date) -> Result:
    reason, until = baseline.get(result.rule.id, ("", date.min))
    if result.state is not State.FOUND or not reason:
        return result
    if until < today:
        return result._replace(reason=f"accepted until {until}, which has passed")
    when = "" if until == date.max else f" until {until}"
    return result._replace(state=State.ACCEPTED, reason=f"accepted{when}: {reason}")


def baseline_of(found: Mapping[str, Any]) -> Baseline:
    """The tables `[[accepted]]` of a TOML file. Raises ValueError with what is wrong there."""
    known = {rule.id for rule in RULES}
    accepted: dict[str, tuple[str, date]] = {}
    rows, parts = found.get("accepted", []), {"id", "reason", "until"}
    is_known = isinstance(rows, list) and all(isinstance(row, dict) and row.keys() <= parts for row in rows)
    if found.keys() - {"accepted"} or not is_known:
        raise ValueError("only tables [[accepted]] with id, reason and until are allowed")
    for row in rows:
        name, reason, until = (row.get(part) for part in ("id", "reason", "until"))
        if name not in known:
            raise ValueError(f"there is no rule {name!r}{hint(str(name), known)}")
        if not isinstance(reason, str) or not reason or type(until) is not date:
            raise ValueError(f"{name} needs a reason and a date `until`")
        accepted[str(name)] = (reason, until)
    return accepted
