"""The pages of the dashboard: one row a page, with its place and its name in the menu."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from mock_server.control import DASHBOARD

HOME: Final = DASHBOARD
WORKSPACE: Final = f"{HOME}/<place>"


class DashboardPage(NamedTuple):
    """One page.

    `menu` is how the menu calls it (empty: it is reached from another page), `under` which that is, and `template` what
    several pages share.
    """

    name: str
    path: str
    title: str
    menu: str = ""
    under: str = ""
    template: str = ""


LISTS: Final = (
    ("refunds", "Refunds", "Refund"),
    ("disputes", "Disputes", "Dispute"),
    ("customers", "Customers", "Customer"),
    ("methods", "Saved methods", "Saved method"),
    ("mandates", "Mandates", "Mandate"),
)
"""What has a list and a page for each: the list's name, what the menu calls it, what one of them is."""


def _lists() -> Iterator[DashboardPage]:
    for name, menu, one in LISTS:
        yield DashboardPage(name, f"{WORKSPACE}/{name}", menu, menu, template="listed")
        yield DashboardPage(f"{name}_one", f"{WORKSPACE}/{name}/<id>", one, under=name, template="record")


PAGES: Final = (
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
