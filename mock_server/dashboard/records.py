"""Lists of what belongs to payments, and one record of them: refunds, disputes, customers, saved methods, mandates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from mock_server.dashboard.doing import owned_forms
from mock_server.dashboard.folding import folded
from mock_server.dashboard.visit import PageContent, Visit
from mock_server.domain.customer import Customer
from mock_server.domain.dispute import Dispute
from mock_server.domain.instants import iso
from mock_server.domain.mandate import Mandate
from mock_server.domain.paging import Query
from mock_server.domain.payment_method import PaymentMethod
from mock_server.domain.refund import Refund
from mock_server.domain.statuses import DisputeStatus
from mock_server.engine.kinds import CUSTOMERS, DISPUTES, MANDATES, PAYMENT_METHODS, REFUNDS
from mock_server.store.protocol import RecordKind
from mock_server.story import words
from mock_server.story.words import Tone

PAGE: Final = 50


class RecordRow(NamedTuple):
    """One record in a list: what it is about in a few words, and whose it is."""

    id: str
    at: str
    says: str
    status: str = ""
    tone: str = "plain"
    amount: str = ""
    payment_id: str | None = None
    customer_id: str | None = None


class Listing(NamedTuple):
    """One list: its page, its heading, what is in it, how a row is made, the call that looks one up."""

    page: str
    title: str
    kind: RecordKind[Any]
    row: Callable[[Any], RecordRow]
    operation: str
    part: str
    empty: str


def _refund(one: Refund) -> RecordRow:
    return RecordRow(
        one.refund_id, iso(one.created_at), one.reason or "", one.status, words.tone_of(one.status),
        words.amount(one.amount, one.currency), one.payment_id, one.customer_id,
    )  # fmt: skip


def _dispute(one: Dispute) -> RecordRow:
    tone = Tone.GOOD if one.status is DisputeStatus.WON else Tone.BAD if one.held_amount else Tone.PLAIN
    says = f"{words.plain(one.reason)}, {words.plain(one.stage)}"
    amount = words.amount(one.amount, one.currency)
    return RecordRow(
        one.dispute_id, iso(one.created_at), says, one.status, tone, amount, one.payment_id, one.customer_id
    )


def _customer(one: Customer) -> RecordRow:
    says = ", ".join(part for part in (one.name, one.email) if part)
    return RecordRow(one.customer_id, iso(one.created_at), says, "redacted" if one.redacted else "")


def _method(one: PaymentMethod) -> RecordRow:
    says = f"{one.card.brand} •••• {one.card.last4}" if one.card else words.plain(one.payment_method_type or "")
    tone = Tone.GOOD if one.status.value == "active" else Tone.PLAIN
    return RecordRow(
        one.payment_method_id, iso(one.created_at), says, one.status.value, tone, customer_id=one.customer_id
    )


def _mandate(one: Mandate) -> RecordRow:
    amount = words.amount(one.amount, one.currency) if one.amount is not None and one.currency else ""
    tone = Tone.GOOD if one.status.value == "active" else Tone.PLAIN
    says = "single use" if one.single_use else "multiple use"
    return RecordRow(
        one.mandate_id, iso(one.created_at), says, one.status.value, tone, amount, one.payment_id, one.customer_id
    )


# ruff: noqa: E501  (one row, one line)
LISTINGS: Final = (
    Listing("refunds", "Refunds", REFUNDS, _refund, "refunds.retrieve", "refund_id", "Refund a payment on its page, and the refund appears here."),
    Listing("disputes", "Disputes", DISPUTES, _dispute, "disputes.retrieve", "dispute_id", "Dispute a payment on its page, or pay with a card that leads to a dispute."),
    Listing("customers", "Customers", CUSTOMERS, _customer, "customers.retrieve", "customer_id", "A payment that names a customer creates one."),
    Listing("methods", "Saved methods", PAYMENT_METHODS, _method, "payment_methods.retrieve", "payment_method_id", "A payment with <code>setup_future_usage</code> saves its method."),
    Listing("mandates", "Mandates", MANDATES, _mandate, "mandates.retrieve", "mandate_id", "A payment with <code>mandate_data</code> and the customer's acceptance creates one."),
)  # fmt: skip
"""Every list."""
BY_PAGE: Final[Mapping[str, Listing]] = {row.page: row for row in LISTINGS}


def listed(visit: Visit, page: str) -> PageContent:
    """One list, the newest first; `of` narrows it to a customer or a payment."""
    row = BY_PAGE[page]
    names = {one.name for one in row.kind.indexes} & {"payment_id", "customer_id", "status"}
    asked = {name: value for name, value in visit.query if name in names}
    query = Query(
        filters={name: (value,) for name, value in asked.items()}, limit=PAGE, offset=visit.number("offset", 10_000_000)
    )
    found = visit.workspace.space.transact(lambda tx: tx.find(row.kind, query))
    rows = [row.row(one) for one in found.items]
    return PageContent(
        {
            "listing": row,
            "rows": rows,
            "listed": found,
            "asked": asked,
            "names": sorted(names),
            "size": PAGE,
            "is_empty": not rows and not asked,
        }
    )


def record(visit: Visit, page: str, id: str) -> PageContent:
    """One record: its facts, what can be done to it, and the API's own object."""
    row = BY_PAGE[page]
    shown = visit.ask(row.operation, (), **{row.part: id})
    found = visit.workspace.space.transact(lambda tx: tx.get(row.kind, id))
    return PageContent(
        {
            "listing": row,
            "one": row.row(found),
            "forms": list(owned_forms(found)),
            "shown": folded(shown, "The record"),
        },
        f"{row.title} {id}",
    )
