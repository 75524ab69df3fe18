"""Coverage of outcomes: the possible outcomes of the operations that a suite uses, those it tests, and its gaps.

`order` is their importance, which is ours: first money that moves twice, then webhooks, then final statuses of
payments, and last errors and rare declines. It is shown as text, JSON and a page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

from jinja2 import Template

from mock_server.contract.operations import BY_NAME
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.declines import DECLINES
from mock_server.domain.errors import Cause
from mock_server.domain.faults import LineFault
from mock_server.domain.outcomes import CHALLENGE_DECLINE, Challenge
from mock_server.domain.statuses import DisputeStatus, RefundStatus
from mock_server.domain.statuses import PaymentStatus as S
from mock_server.domain.transitions import PAYMENT_MACHINE
from mock_server.domain.transitions import Trigger as T
from mock_server.guesses import hint
from mock_server.settings.load import nearest_table
from mock_server.verdict.calls import CHANGING, ClientCall, as_object, is_forged
from mock_server.verdict.evidence import Evidence, decline_in

COMMON: Final = ("generic_decline", "insufficient_funds", "expired_card", "incorrect_cvc", "processing_error")
_ONLY_BY: Final = {
    "payments.cancel": (
        T.CANCELLED, T.REST_RELEASED, T.REST_NOT_RELEASED, T.VOID_SUBMITTED, T.VOIDED, T.VOIDED_REST, T.VOID_FAILED,
    ),
    "payments.capture": (
        T.CAPTURED_IN_FULL, T.CAPTURED_IN_PART, T.CAPTURED_AND_CLOSED, T.CAPTURE_SUBMITTED, T.CAPTURE_FAILED,
        T.REST_NOT_CAPTURED,
    ),
    "payments.approve": (T.APPROVED_AND_CHARGED, T.APPROVED_AND_AUTHORIZED),
    "payments.reject": (T.REJECTED,),
    "payments.confirm": (T.RETRIED,),
    "payments.cancel_post_capture": (T.REVERSED,),
    "payments.update": (T.METHOD_ATTACHED,),
    "payments.replace": (T.METHOD_DETACHED,),
}  # fmt: skip
NEEDS: Final = {what: name for name, happenings in _ONLY_BY.items() for what in happenings}
"""The operation that something needs in order to happen; what is not here happens by itself."""
NEXT: Final = "payment_sandbox.next"


def _of_new(call: str, how: str = "manual", body: str = "{}") -> str:
    """A call about a new payment."""
    paid = f"{{payment_sandbox.client.pay(capture_method='{how}')['payment_id']}}"
    return f'payment_sandbox.client.post(f"/payments/{paid}/{call}", {body})'


TO_STATUS: Final[Mapping[S, str]] = {
    S.REQUIRES_PAYMENT_METHOD: "payment_sandbox.client.pay(confirm=False, payment_method_data=None)",
    S.REQUIRES_CONFIRMATION: "payment_sandbox.client.pay(confirm=False)",
    S.REQUIRES_ACTION: f'{NEXT}("charge", challenge="approved")',
    S.REQUIRES_MERCHANT_ACTION: f'{NEXT}("charge", outcome="requires_merchant_action")',
    S.REQUIRES_CAPTURE: 'payment_sandbox.client.pay(capture_method="manual")',
    S.PENDING: f'{NEXT}("charge", settles={{"after": "30s", "as": "succeeded"}})',
    S.PARTIALLY_CAPTURED_AND_CAPTURABLE: _of_new("capture", "manual_multiple", '{"amount_to_capture": 1}'),
    S.PARTIALLY_AUTHORIZED: 'payment_sandbox.client.pay("visa_partial_authorization", capture_method="manual", '
    "enable_partial_authorization=True)",
    S.PARTIALLY_CAPTURED: _of_new("capture", body='{"amount_to_capture": 1}'),
    S.SUCCEEDED: f'{NEXT}("charge", outcome="succeeded")',
    S.FAILED: f'{NEXT}("charge", decline="generic_decline")',
    S.CANCELLED: _of_new("cancel"),
    S.CANCELLED_POST_CAPTURE: _of_new("cancel_post_capture", "automatic"),
    S.EXPIRED: 'payment_sandbox.client.pay(capture_method="manual"); payment_sandbox.clock.advance(days=8)',
}
"""The line of a test that leads to a status; the test's own call follows it."""
_DISPUTE: Final = "payment_sandbox.trigger.dispute(payment_sandbox.client.pay())"
DISORDERS: Final[Mapping[str, str]] = {
    "twice": "duplicate_webhooks",
    "out-of-order": "webhooks_out_of_order",
    "forged": "webhook_bad_signature",
    "stale": "stale_webhook",
    "before-response": "webhook_before_response",
}
"""Problems of webhooks, and the bundled scenario that causes each."""


class PossibleOutcome(NamedTuple):
    """One possible outcome: `id` is its kind and name with slashes; `line` the line of a test that leads to it."""

    id: str
    order: int
    line: str

    @property
    def kind(self) -> str:
        return self.id.partition("/")[0]


class Met(NamedTuple):
    """The operations that a suite used, and how often it had each outcome."""

    used: frozenset[str] = frozenset()
    counts: Mapping[str, int] = {}

    def and_also(self, other: Met) -> Met:
        """Both together."""
        return Met(self.used | other.used, dict(sorted((Counter(self.counts) + Counter(other.counts)).items())))

    def as_json(self) -> dict[str, Any]:
        """The content of a coverage file."""
        return {"payment_sandbox_coverage": 1, "used": sorted(self.used), "met": dict(self.counts)}


def from_json(found: Any) -> Met:
    """The content of a coverage file. Raises ValueError for other files."""
    if not isinstance(found, dict) or found.get("payment_sandbox_coverage") != 1:
        raise ValueError("it is not a coverage file")
    used = frozenset(map(str, found["used"]))
    for unknown in sorted(used - BY_NAME.keys()):
        raise ValueError(f"there is no operation {unknown!r}{hint(unknown, BY_NAME)}")
    return Met(used, {str(name): int(count) for name, count in found["met"].items()})


# possible outcomes


def possible(used: frozenset[str]) -> list[PossibleOutcome]:
    """All possible outcomes of these operations, the most important first."""
    rows = [*_faults(used), *_errors(used)]
    if used & CHARGES:
        rows += [*_statuses(used), *_declines(), *_webhooks()]
        rows += [PossibleOutcome(f"challenge/{one}", 4, f'{NEXT}("charge", challenge="{one}")') for one in Challenge]
    if "refunds.create" in used:
        kinds = (one for one in RefundStatus if one is not RefundStatus.REVIEW)
        rows += [PossibleOutcome(f"refund/{one}", 4, f'{NEXT}("refunds.create", outcome="{one}")') for one in kinds]
    if any(name.startswith("disputes.") for name in used):
        advanced = f'payment_sandbox.trigger.advance_dispute({_DISPUTE}, "{{}}")'
        for one in DisputeStatus:
            line = _DISPUTE if one is DisputeStatus.OPENED else advanced.format(one.removeprefix("dispute_"))
            rows.append(PossibleOutcome(f"dispute/{one}", 8, f"dispute = {line}"))
    return sorted(rows, key=lambda one: one.order)


CHARGES: Final = frozenset({"payments.create", "payments.confirm"})
FAULT_ORDER: Final = {(LineFault.CONNECTION_RESET, "kept"): 1, (LineFault.CONNECTION_RESET, "none"): 5}


def _faults(used: frozenset[str]) -> Iterator[PossibleOutcome]:
    for name in sorted(used & CHANGING):
        for fault in LineFault:
            for effect in ("kept", "none") if fault is not LineFault.SLOW_BODY else ("kept",):
                line = f'{NEXT}("{name}", fault="{fault}", effect="{effect}")'
                yield PossibleOutcome(f"fault/{name}/{fault}/{effect}", FAULT_ORDER.get((fault, effect), 7), line)
    for name in sorted(used):
        yield PossibleOutcome(f"fault/{name}/delay", 6, f'{NEXT}("{name}", delay="5s")')
        yield PossibleOutcome(f"fault/{name}/server_error", 3, f'{NEXT}("{name}", error="HE_00")')


def _errors(used: frozenset[str]) -> Iterator[PossibleOutcome]:
    for name in sorted(used):
        causes = (Cause.RATE_LIMITED, *BY_NAME[name].errors)
        for code in dict.fromkeys(_CODES[cause] for cause in causes):
            yield PossibleOutcome(f"error/{name}/{code}", 8, f'{NEXT}("{name}", error="{code}")')


def _statuses(used: frozenset[str]) -> Iterator[PossibleOutcome]:
    rows = [row for row in PAYMENT_MACHINE.rows if NEEDS.get(row.what) in {None, *used}]
    targets = dict.fromkeys(row.target for row in rows)
    yield from (PossibleOutcome(f"status/{status}", 3, TO_STATUS[status]) for status in targets)
    edges = dict.fromkeys((row.source, row.target) for row in rows if row.source and row.source != row.target)
    yield from (PossibleOutcome(f"transition/{status}->{target}", 8, TO_STATUS[target]) for status, target in edges)


def _declines() -> Iterator[PossibleOutcome]:
    for row in DECLINES:
        if not row.name.startswith(("refund_", "authorization_")):
            order = 5 if row.name in COMMON else 9
            yield PossibleOutcome(f"decline/{row.name}", order, f'{NEXT}("charge", decline="{row.name}")')


def _webhooks() -> Iterator[PossibleOutcome]:
    for name, scenario in DISORDERS.items():
        yield PossibleOutcome(f"webhook/{name}", 2, f'payment_sandbox.scenario("{scenario}")')
    again = 'payment_sandbox.webhooks.resend(payment_sandbox.webhooks.wait_for("payment_succeeded"))'
    yield PossibleOutcome("webhook/retried", 2, f"payment_sandbox.client.pay(); {again}")


# outcomes of a suite

_ENDS: Final = {decline: end for end, decline in CHALLENGE_DECLINE.items()}
_GOOD: Final = (S.SUCCEEDED, S.REQUIRES_CAPTURE, S.PENDING)
_CODES: Final[Mapping[str | None, str]] = {cause.value: INTERFACE.errors[cause].code for cause in Cause}
"""The codes under which errors are counted, in any dialect."""
_END_AT: Final = {S.EXPIRED: Challenge.ABANDONED, **dict.fromkeys(_GOOD, Challenge.APPROVED)}


def met(evidence: Evidence) -> Met:
    """The outcomes in the calls and events of one workspace."""
    in_calls = chain.from_iterable(map(_in_call, evidence.calls))
    found = (*in_calls, *_in_events(evidence.events), *_in_histories(evidence))
    counts = Counter(one for one in found if not one.endswith("/None"))  # refused, or without an end
    return Met(frozenset(call.operation for call in evidence.calls), counts)


def _in_call(call: ClientCall) -> Iterator[str]:
    begins, error = f"fault/{call.operation}", as_object(call.answer.get("error"))
    if call.fault:
        yield f"{begins}/{call.fault}/{'kept' if call.took_place else 'none'}"
    if call.delay_ms:
        yield f"{begins}/delay"
    if call.status >= 500:
        yield f"{begins}/server_error"
    if code := _CODES.get(call.cause) or error.get("code"):
        yield f"error/{call.operation}/{code}"
    for kind, name in (("refund", "status"), ("dispute", "dispute_status")):
        if call.operation.startswith(f"{kind}s."):
            yield f"{kind}/{call.answer.get(name)}"


def _in_events(events: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    last: dict[str, float] = {}
    for event in events:
        for attempt in event["deliveries"]:
            disorders = {
                "twice": attempt["copy"] > 1,
                "forged": is_forged(attempt),
                "stale": attempt["stale"],
                "before-response": "before_response" in f"{attempt['because']}{event['because']}",
                "retried": attempt["number"] > 1,
            }
            yield from (f"webhook/{name}" for name, is_met in disorders.items() if is_met)
        began = [attempt["began_us"] for attempt in event["deliveries"]]
        if began and event["payment_id"]:
            if min(began) < last.get(event["payment_id"], 0.0):
                yield "webhook/out-of-order"
            last[event["payment_id"]] = min(began)


def _in_histories(evidence: Evidence) -> Iterator[str]:
    for payment_id in evidence.payments:
        history = evidence.history(payment_id)
        yield from (f"status/{since.status}" for since in history)
        declines = [decline_in(since.payment) for since in history]
        yield from (f"decline/{name}" for name in dict.fromkeys(row.name for row in declines if row))
        for (before, after), decline in zip(pairwise(history), declines[1:], strict=True):
            if before.status != after.status:
                yield f"transition/{before.status}->{after.status}"
            if before.status == S.REQUIRES_ACTION != after.status:
                yield f"challenge/{_ENDS.get(decline.name if decline else '') or _END_AT.get(S(after.status))}"


class Coverage(NamedTuple):
    """The possible outcomes except those out of scope, and those that were met."""

    outcomes: Sequence[PossibleOutcome]
    met: Met

    @property
    def gaps(self) -> list[PossibleOutcome]:
        """The outcomes that were not met, the most important first."""
        return [outcome for outcome in self.outcomes if outcome.id not in self.met.counts]

    @property
    def percent(self) -> float:
        """The share that was met; zero if the suite uses nothing."""
        return 100 * (len(self.outcomes) - len(self.gaps)) / len(self.outcomes) if self.outcomes else 0.0

    def by_kind(self) -> dict[str, tuple[int, int]]:
        """By kind: how many were met, and how many there are."""
        totals, missing = (Counter(outcome.kind for outcome in some) for some in (self.outcomes, self.gaps))
        return {kind: (total - missing[kind], total) for kind, total in totals.items()}


def coverage(met: Met, out_of_scope: Iterable[str] = ()) -> Coverage:
    """Compares what was met with the possible outcomes; patterns name those out of scope."""
    patterns = tuple(out_of_scope)
    inside = [row for row in possible(met.used) if not any(fnmatchcase(row.id, pattern) for pattern in patterns)]
    return Coverage(inside, met)


def out_of_scope(folder: Path) -> list[str]:
    """`out_of_scope` of [tool.payment-sandbox.coverage], from the nearest pyproject.toml upwards. Raises ValueError."""
    file, given = nearest_table("pyproject.toml", folder)
    for table in ("tool", "payment-sandbox", "coverage"):
        given = given.get(table, {})
        if not isinstance(given, dict):
            raise ValueError(f"{file}: {table} must be a table")
    patterns = given.get("out_of_scope", [])
    if not isinstance(patterns, list) or not all(isinstance(pattern, str) for pattern in patterns):
        raise ValueError(f"{file}: out_of_scope must be a list of patterns")
    ids = [row.id for row in possible(frozenset(BY_NAME))] if patterns else []
    known = {*ids, *(f"{one.partition('/')[0]}/*" for one in ids)}
    for what, name, among in (
        *(("key", name, ("out_of_scope",)) for name in given if name != "out_of_scope"),
        *(("outcome", one, known) for one in patterns if not any(fnmatchcase(id_, one) for id_ in ids)),
    ):
        raise ValueError(f"{file}: [tool.payment-sandbox.coverage]: there is no {what} {name}{hint(name, among)}")
    return patterns


FIRST: Final = 10
"""The number of gaps in a terminal; the page and JSON have all."""
ORDER: Final = "in order of importance: money that moves twice, webhooks, final statuses of payments, the rest"


def text(found: Coverage, first: int = FIRST) -> list[str]:
    """For a terminal."""
    lines = [f"{'outcomes':12} tested   of"]
    lines += [f"{kind:12} {met:6} {total:4}  {met / total:4.0%}" for kind, (met, total) in found.by_kind().items()]
    lines.append(f"{'all':12} {len(found.outcomes) - len(found.gaps):6} {len(found.outcomes):4}  {found.percent:.0f}%")
    if found.gaps:
        lines += ["", f"not tested yet, with a line of test code for each ({ORDER}):"]
        lines += [f"  {gap.id}\n      {gap.line}" for gap in found.gaps[:first]]
        more = len(found.gaps) - first
        lines += [f"  and {more} more"] if more > 0 else []
    return lines


def as_json(found: Coverage) -> dict[str, Any]:
    """For programs; files of it can be combined."""
    return {
        **found.met.as_json(),
        "percent": round(found.percent, 2),
        "kinds": {kind: {"met": met, "of": total} for kind, (met, total) in found.by_kind().items()},
        "gaps": [{"id": gap.id, "order": gap.order, "line": gap.line} for gap in found.gaps],
    }


def html(found: Coverage) -> str:
    """One page without other files: the kinds with their shares, and each outcome with its line."""
    source = Path(__file__).with_name("coverage.html").read_text("utf-8")
    template = Template(source, autoescape=True, keep_trailing_newline=True)
    return str(template.render(found=found, order=ORDER.capitalize()))
