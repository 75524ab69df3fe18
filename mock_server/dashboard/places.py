"""The pages of the dashboard: one row a page, with its place and its name in the menu."""

from __future__ import annotations

from typing import Final, NamedTuple

from mock_server.control.addresses import DASHBOARD

HOME: Final = DASHBOARD
WORLD: Final = f"{HOME}/<place>"


class Page(NamedTuple):
    """One page: `menu` is how the menu calls it (empty: it is reached from another page), `under` which that is."""

    name: str
    path: str
    title: str
    menu: str = ""
    under: str = ""


PAGES: Final = (
    Page("payments", f"{WORLD}/payments", "Payments", "Payments"),
    Page("payment", f"{WORLD}/payments/<payment_id>", "Payment", under="payments"),
    Page("journal", f"{WORLD}/journal", "Journal", "Journal"),
    Page("line", f"{WORLD}/journal/<number>", "Call", under="journal"),
    Page("webhooks", f"{WORLD}/webhooks", "Webhooks", "Webhooks"),
    Page("event", f"{WORLD}/webhooks/<event_id>", "Event", under="webhooks"),
    Page("clock", f"{WORLD}/clock", "Clock", "Clock"),
    Page("scenarios", f"{WORLD}/scenarios", "Scenarios", "Scenarios"),
    Page("scenario", f"{WORLD}/scenarios/<name>", "Scenario", under="scenarios"),
    Page("new_scenario", f"{WORLD}/new-scenario", "New scenario", under="scenarios"),
    Page("queue", f"{WORLD}/queue", "Next calls", "Next calls"),
    Page("cards", f"{WORLD}/cards", "Cards and declines", "Cards"),
    Page("snapshots", f"{WORLD}/snapshots", "Snapshots", "Snapshots"),
)
"""Every page of a world, in the menu's order."""
