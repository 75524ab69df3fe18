"""The page of the API's documentation is fit for screen readers and keyboards, though its viewer is not ours."""

from __future__ import annotations

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


def test_the_viewer_is_put_right(reader: Customer, base: str) -> None:
    reader.open(f"{base}/_sandbox/docs")
    reader.page.wait_for_function(DRAWN)
    assert (
        issues_in(reader.page.main_frame, *LEFT_OUT, least=frozenset({"minor", "moderate", "serious", "critical"}))
        == []
    )
    if SOAK:
        assert [*every_finding(reader), *findings_of_all_views(reader)] == []
    reader.alarms.clear()  # the viewer asks whether it may compile code, and may not
