"""What is only looked at, and not counted: records as the API lists them, and the server's tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from mock_server.contract.answers.common import MACHINE
from mock_server.contract.answers.fields import AnswerShape
from mock_server.contract.answers.payment import ShownPayment
from mock_server.contract.answers.writing import write
from mock_server.contract.operations import BY_NAME
from mock_server.control.answers import answer
from mock_server.control.answers.scenarios import INBOX_EVENT
from mock_server.control.answers.server import CARDS as CARD_LIST
from mock_server.control.answers.server import ERRORS
from mock_server.control.answers.story import RECORDS
from mock_server.control.stages import shows, view
from mock_server.control.webhooks import as_it_stands
from mock_server.dialects.interface import INTERFACE
from mock_server.domain.cards import CARDS
from mock_server.domain.declines import DECLINES
from mock_server.domain.errors import Cause, wrong_field
from mock_server.domain.machines import MACHINES
from mock_server.domain.outcomes import NO_CALL
from mock_server.domain.paging import Page, Query
from mock_server.engine import disputes, events, refunds, related
from mock_server.engine.kinds import DISPUTES, EVENTS, MANDATES, PAYMENTS, REFUNDS
from mock_server.engine.payments import access, settle
from mock_server.engine.vault import mandates
from mock_server.guesses import hint
from mock_server.http.binding import show
from mock_server.http.running import Answer, Call, seen_from
from mock_server.store.protocol import RecordKind
from mock_server.store.transaction import Transaction

KINDS: Final[Mapping[str, tuple[RecordKind[Any], Callable[..., Page[Any]]]]] = {
    "payments": (PAYMENTS, settle.page),
    "refunds": (REFUNDS, refunds.page),
    "disputes": (DISPUTES, disputes.page),
    "mandates": (MANDATES, mandates.page),
    "events": (EVENTS, lambda tx, context, query: events.page(tx, context, context.merchant_id, query, oldest=0)),
}
"""What can be looked at, and the command of the API's list."""


@view("control.records")
def records(call: Call, kind: str) -> Answer:
    """The newest records that match the query of the API's list, or the one with the `id`. Refused as the list is."""
    if kind not in KINDS:
        raise wrong_field("kind", f"must be one of {', '.join(KINDS)}{hint(kind, KINDS)}")
    row, workspace, (stored, page_of) = BY_NAME[f"{kind}.list"], call.workspace, KINDS[kind]
    query, shape = row.takes[1], row.gives
    assert query is not None and isinstance(shape, AnswerShape)
    key = call.query.get("id")
    wanted = Query() if key is not None else query.of(INTERFACE).load_query(call.query_pairs, call.now)
    context = workspace.context(call.now, NO_CALL)

    def read(tx: Transaction) -> tuple[list[Any], int]:
        """The records and their number, with what is shown inside them: one state, whatever is changed meanwhile."""
        one = None if key is None else tx.get(stored, key)
        page = page_of(tx, context, wanted) if key is None else Page((one,) if one else (), int(one is not None), 0)
        found = list(page.items)
        if stored is PAYMENTS:
            found = [(access.as_now(tx, payment, call.now), related.of(tx, payment)) for payment in found]
        elif stored is EVENTS:  # with their delivery attempts, as the inbox shows them
            found = [as_it_stands(tx, workspace, event) for event in found]
        return found, page.total

    found, total = workspace.space.transact(read)
    if stored is PAYMENTS:
        found = [ShownPayment(seen_from(call, payment), own.refunds, own.disputes) for payment, own in found]
    elif stored is EVENTS:
        shape, found = INBOX_EVENT, [show() for show in found]
    return answer(RECORDS, data=[write(shape, record, INTERFACE) for record in found], total_count=total)


shows("control.cards", lambda call: answer(CARD_LIST, data=CARDS))
shows("control.states", lambda call: show({machine.name: write(MACHINE, machine, INTERFACE) for machine in MACHINES}))


@view("control.errors")
def errors(call: Call) -> Answer:
    dialect = call.dialect
    causes = [dialect.errors[cause] for cause in Cause]
    return answer(ERRORS, causes=causes, codes=dialect.codes.values(), declines=DECLINES)
