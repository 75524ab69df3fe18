"""The pages of the dashboard: one row a page, with its place and its name in the menu."""

from __future__ import annotations

from typing import Final, NamedTuple

from mock_server.control import DASHBOARD

HOME: Final = DASHBOARD
WORKSPACE: Final = f"{HOME}/<place>"


class Page(NamedTuple):
    """One page: `menu` is how the menu calls it (empty: it is reached from another page), `under` which that is."""

    name: str
    path: str
    title: str
    menu: str = ""
    under: str = ""


PAGES: Final = (
    Page("payments", f"{WORKSPACE}/payments", "Payments", "Payments"),
    Page("payment", f"{WORKSPACE}/payments/<payment_id>", "Payment", under="payments"),
    Page("journal", f"{WORKSPACE}/journal", "Journal", "Journal"),
    Page("line", f"{WORKSPACE}/journal/<number>", "Call", under="journal"),
    Page("webhooks", f"{WORKSPACE}/webhooks", "Webhooks", "Webhooks"),
    Page("event", f"{WORKSPACE}/webhooks/<event_id>", "Event", under="webhooks"),
    Page("clock", f"{WORKSPACE}/clock", "Clock", "Clock"),
    Page("scenarios", f"{WORKSPACE}/scenarios", "Scenarios", "Scenarios"),
    Page("scenario", f"{WORKSPACE}/scenarios/<name>", "Scenario", under="scenarios"),
    Page("new_scenario", f"{WORKSPACE}/new-scenario", "New scenario", under="scenarios"),
    Page("queue", f"{WORKSPACE}/queue", "Next calls", "Next calls"),
    Page("cards", f"{WORKSPACE}/cards", "Cards and declines", "Cards"),
    Page("snapshots", f"{WORKSPACE}/snapshots", "Snapshots", "Snapshots"),
)
"""Every page of a workspace, in the menu's order."""
