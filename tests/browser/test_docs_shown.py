"""The page of the API's documentation is fit for screen readers and keyboards, though its viewer is not ours."""

from __future__ import annotations

from typing import Final

from playwright.sync_api import Route

from tests.browser.axe import every_finding, findings_of_all_views, issues_in
from tests.browser.customer import Customer
from tests.counts import SOAK

DRAWN = """() => document.querySelector('.response-card, .client-libraries-list')
  && document.querySelector('ul.endpoints') && !document.querySelector(`
    aside[role=navigation], button[role=search], .response-card[role=region], [aria-selected]:not([role]),
    ul.endpoints:not([tabindex]), [role=tablist] button:not([role])`)"""
LEFT_OUT = (
    "aria-allowed-attr", "aria-allowed-role", "aria-input-field-name", "aria-required-children", "button-name",
    "landmark-unique", "scrollable-region-focusable",
)  # fmt: skip
"""The rules that the viewer breaks by itself: the others take a minute on a page of this size."""
SOME: Final = 6


def some_paths(route: Route) -> None:
    """A document of few calls: the viewer puts each of them together in the same way, and takes its time for each."""
    answer = route.fetch()
    document = answer.json()
    document["paths"] = dict(list(document["paths"].items())[:: len(document["paths"]) // SOME])
    route.fulfill(response=answer, json=document)


def test_the_viewer_is_put_right(reader: Customer, base: str) -> None:
    if not SOAK:
        reader.page.route("**/openapi.json", some_paths)
    reader.open(f"{base}/_sandbox/docs")
    reader.page.wait_for_function(DRAWN)
    assert (
        issues_in(reader.page.main_frame, *LEFT_OUT, least=frozenset({"minor", "moderate", "serious", "critical"}))
        == []
    )
    if SOAK:
        assert [*every_finding(reader), *findings_of_all_views(reader)] == []
    reader.alarms.clear()  # the viewer asks whether it may compile code, and may not
