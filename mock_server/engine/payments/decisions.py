"""What the deciders say to a charge, and to an operation on a payment: capture, void, increment, refund, evidence."""

from __future__ import annotations

import json
from typing import Final

from mock_server.domain.commands import JsonText
from mock_server.domain.outcomes import DecisionRequest, Outcome
from mock_server.domain.payment import Payment
from mock_server.engine.context import CommandContext
from mock_server.store.transaction import Transaction

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
            call.number,
            call.body,
            call.headers,
            call.query,
            {"payment": payment, "card": payment.card, **records},
            len(payment.past_attempts) + 1,
            wanted,
            wanted_by,
            call.scenarios,
            payment.scenarios,
            call.subject,
        ),
    )
    context.notes.append(decision.because)
    return decision.outcome
