"""Ten mistakes of payment integrations, each as a test that fails: its report alone has to name the mistake.

The reports are golden files beside the tests. To write them anew: `PAYMENT_SANDBOX_WRITE=1 pytest` with this file, and
then read each of them as somebody who has not seen the code.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

import pytest

from tests.plugin.conftest import WITHIN

pytest_plugins = "pytester"

FOLDER: Final = Path(__file__).with_name("mistakes")
SECTION: Final = "payment sandbox"
FROZEN: Final = """
import pytest

def pytest_collection_modifyitems(items):
    for item in items:
        item.add_marker(pytest.mark.payment_sandbox(clock="2026-01-31T12:00:00Z"))
"""
NAMED: Final = {
    "decline_treated_as_exception": "a decline is an answer of the issuer",
    "duplicate_webhook_charges_twice": "was delivered 3 times, and the app acted on it each time",
    "float_amount": "payments.create with amount = 1989.9999999999998 (#2)",
    "hammered_after_429": "before the 60 s of Retry-After had passed (#5, #6, #7, #8 and #9)",
    "new_key_for_each_retry": "the same request with another idempotency key each time, so it was done 2 times",
    "partial_capture_booked_in_full": "captured 3000 of 5000 EUR",
    "pending_taken_for_success": "was pending and then settled; the client neither retrieved it nor accepted a webhook",
    "redirect_trusted": "The customer's browser can return with any address",
    "retry_without_key": "the same request without an idempotency key, so it was done 2 times",
    "webhook_trusted_unsigned": "was answered 200 though it was not signed with the secret",
}
"""The mistakes, and by which words their reports name them."""
CARD_NUMBER: Final = re.compile(r"(?<![.\d])\d{13,19}\b")
SECRET: Final = re.compile(r"snd_|whsec|_secret_|api-key: \S|order-1-first|[0-9a-f]{64}")


def golden(name: str) -> Path:
    return FOLDER / f"{name}.report"


class Reports:
    """The sections of failing tests, by their files' names."""

    def __init__(self) -> None:
        self.told: dict[str, str] = {}
        self.passed: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            name = report.location[0].removeprefix("test_").removesuffix(".py")
            sections = {title: text for title, text, _ in getattr(report.longrepr, "sections", ())}
            self.told[name] = normal(sections.get(SECTION, ""))
            self.passed += [name] if report.passed else []


def normal(story: str) -> str:
    """A story without what differs from run to run."""
    story = re.sub(r"(http://127\.0\.0\.1):\d+", r"\1:PORT", story)
    return re.sub(r"w_[0-9a-f]{20}", "w_WORKSPACE", story) + "\n"


@pytest.fixture
def reports(imported: None, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Reports:
    monkeypatch.delenv("PAYMENT_SANDBOX_URL", raising=False)
    pytester.makeconftest(FROZEN)
    for source in FOLDER.glob("*.py"):
        (pytester.path / f"test_{source.name}").write_text(source.read_text("utf-8"), "utf-8")
    found = Reports()
    pytester.inline_run(*WITHIN, plugins=[found])
    return found


def test_every_mistake_fails_and_its_report_is_the_one_that_was_read(reports: Reports) -> None:
    assert sorted(reports.told) == sorted(NAMED)
    assert reports.passed == []
    if "PAYMENT_SANDBOX_WRITE" in os.environ:
        for name, story in reports.told.items():
            golden(name).write_text(story, "utf-8")
    for name, story in reports.told.items():
        assert story == golden(name).read_text("utf-8"), name


@pytest.mark.parametrize("name", NAMED)
def test_the_report_names_the_mistake(name: str) -> None:
    story = golden(name).read_text("utf-8")
    standing_out = story.partition("possible causes:\n")[2]
    assert NAMED[name] in standing_out
    assert f"\nto repeat: pytest {'' if '[' not in story.splitlines()[0] else chr(39)}test_{name}.py::" in story
    assert len(standing_out.splitlines()) <= 5, "what stands out is little, or it does not stand out"


@pytest.mark.parametrize("name", NAMED)
def test_the_report_holds_no_card_number_and_no_secret(name: str) -> None:
    story = golden(name).read_text("utf-8")
    assert CARD_NUMBER.findall(story) == []
    assert SECRET.findall(story) == []


def test_the_mistakes_are_short() -> None:
    for source in FOLDER.glob("*.py"):
        test = source.read_text("utf-8").partition("def test_")[2]
        assert len([line for line in test.splitlines() if line.strip()]) <= 16, source.name
