"""The pages of the dashboard: one row a page, with its place and its name in the menu."""

from __future__ import annotations

from typing import Final, NamedTuple

from mock_server.control import DASHBOARD

HOME: Final = DASHBOARD
WORKSPACE: Final = f"{HOME}/<place>"


class DashboardPage(NamedTuple):
    """One page: `menu` is how the menu calls it (empty: it is reached from another page), `under` which that is."""

    name: str
    path: str
    title: str
    menu: str = ""
    under: str = ""


PAGES: Final = (
    DashboardPage("payments", f"{WORKSPACE}/payments", "Payments", "Payments"),
    DashboardPage("payment", f"{WORKSPACE}/payments/<payment_id>", "Payment", under="payments"),
    DashboardPage("journal", f"{WORKSPACE}/journal", "Journal", "Journal"),
    DashboardPage("line", f"{WORKSPACE}/journal/<number>", "Call", under="journal"),
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
)
"""Every page of a workspace, in the menu's order."""
