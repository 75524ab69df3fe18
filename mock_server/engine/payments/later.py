"""How an operation on a payment that was paid ends: the deciders know what its charge foretold."""

from __future__ import annotations

from mock_server.domain.commands import JsonText
from mock_server.domain.outcomes import DecisionRequest, Outcome
from mock_server.domain.payment import Payment
from mock_server.engine import requested_outcome
from mock_server.engine.context import CommandContext
from mock_server.store.protocol import Transaction


def outcome(
    tx: Transaction,
    desk: CommandContext,
    payment: Payment,
    operation: str,
    *,
    metadata: JsonText = "{}",
    **records: object,
) -> Outcome:
    """The answer to a capture, a void, an increment, a refund or evidence, and notes why.

    `metadata` can hold a wish; `records` are what else the deciders may look at, by name (`refund`, `dispute`).
    """
    words = desk.words
    wanted, wanted_by = requested_outcome.of(words, metadata)
    decision = desk.decide(
        tx,
        DecisionRequest(
            names=(operation,),
            operation=operation,
            now=desk.now,
            call=words.number,
            body=words.body,
            headers=words.headers,
            query=words.query,
            records={"payment": payment, "card": payment.card, **records},
            attempt=payment.attempt_number,
            wanted=wanted,
            wanted_by=wanted_by,
            scenarios=words.scenarios,
            payment_scenarios=payment.scenarios,
            subject=words.subject,
        ),
    )
    desk.note(decision.because)
    return decision.outcome
