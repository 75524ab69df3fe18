"""The pages of the dashboard: one row per page, with its path and its name in the menu."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from mock_server.control import DASHBOARD
from mock_server.engine.kinds import CUSTOMERS, DISPUTES, MANDATES, PAYMENT_METHODS, REFUNDS
from mock_server.store.protocol import RecordKind

HOME: Final = DASHBOARD
WORKSPACE: Final = f"{HOME}/<space_name>"


class DashboardPage(NamedTuple):
    """One page; `menu` names it there (empty: only linked from `under`), `template` is the file that several share."""

    name: str
    path: str
    title: str
    menu: str = ""
    under: str = ""
    template: str = ""


class Listing(NamedTuple):
    """A kind of record with a list and a page per record: the list's name and title, the record's, and its call."""

    page: str
    title: str
    one: str
    kind: RecordKind[Any]
    operation: str
    part: str
    empty: str


# ruff: noqa: E501  (one row, one line)
LISTINGS: Final = (
    Listing("refunds", "Refunds", "Refund", REFUNDS, "refunds.retrieve", "refund_id", "Refund a payment on its page, and the refund appears here."),
    Listing("disputes", "Disputes", "Dispute", DISPUTES, "disputes.retrieve", "dispute_id", "Dispute a payment on its page, or pay with a card that leads to a dispute."),
    Listing("customers", "Customers", "Customer", CUSTOMERS, "customers.retrieve", "customer_id", "A payment that names a customer creates one."),
    Listing("methods", "Saved methods", "Saved method", PAYMENT_METHODS, "payment_methods.retrieve", "payment_method_id", "A payment with setup_future_usage saves its method."),
    Listing("mandates", "Mandates", "Mandate", MANDATES, "mandates.retrieve", "mandate_id", "A payment with mandate_data and the customer's acceptance creates one."),
)  # fmt: skip
BY_LIST: Final = {row.page: row for row in LISTINGS}


def _lists() -> Iterator[DashboardPage]:
    for row in LISTINGS:
        yield DashboardPage(row.page, f"{WORKSPACE}/{row.page}", row.title, row.title, template="listed")
        yield DashboardPage(
            f"{row.page}_one", f"{WORKSPACE}/{row.page}/<id>", row.one, under=row.page, template="record"
        )


PAGES: Final = (
    DashboardPage("overview", f"{WORKSPACE}/overview", "Overview", "Overview"),
    DashboardPage("payments", f"{WORKSPACE}/payments", "Payments", "Payments"),
    DashboardPage("payment", f"{WORKSPACE}/payments/<payment_id>", "Payment", under="payments"),
    DashboardPage("export", f"{WORKSPACE}/payments/<payment_id>/export", "Export", under="payments"),
    DashboardPage("new_payment", f"{WORKSPACE}/new-payment", "New payment", under="payments"),
    *_lists(),
    DashboardPage("journal", f"{WORKSPACE}/journal", "Journal", "Journal"),
    DashboardPage("line", f"{WORKSPACE}/journal/<number>", "Call", under="journal"),
    DashboardPage("replay", f"{WORKSPACE}/journal/<number>/replay", "Edit and replay", under="journal"),
    DashboardPage("compare", f"{WORKSPACE}/compare", "Compare", under="journal"),
    DashboardPage("webhooks", f"{WORKSPACE}/webhooks", "Webhooks", "Webhooks"),
    DashboardPage("event", f"{WORKSPACE}/webhooks/<event_id>", "Event", under="webhooks"),
    DashboardPage("verdict", f"{WORKSPACE}/verdict", "Verdict", "Verdict"),
    DashboardPage("clock", f"{WORKSPACE}/clock", "Clock", "Clock"),
    DashboardPage("scenarios", f"{WORKSPACE}/scenarios", "Scenarios", "Scenarios"),
    DashboardPage("scenario", f"{WORKSPACE}/scenarios/<name>", "Scenario", under="scenarios"),
    DashboardPage("new_scenario", f"{WORKSPACE}/new-scenario", "New scenario", under="scenarios"),
    DashboardPage("queue", f"{WORKSPACE}/queue", "Next calls", "Next calls"),
    DashboardPage("cards", f"{WORKSPACE}/cards", "Cards and declines", "Cards"),
    DashboardPage("snapshots", f"{WORKSPACE}/snapshots", "Snapshots", "Snapshots"),
    DashboardPage("find", f"{WORKSPACE}/find", "Search"),
)
"""Every page of a workspace, in the menu's order."""
