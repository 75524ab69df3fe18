"""Figures in prose are those of the code: each sentence is written here with the constants that decide it."""

from __future__ import annotations

import re
from typing import Final

import pytest

from mock_server.cli.logs import MOST as LOGGED
from mock_server.contract.requests.analytics import MOST_REQUESTS
from mock_server.dashboard.calls import JUDGED
from mock_server.dialects.hyperswitch import HYPERSWITCH
from mock_server.domain import limits
from mock_server.domain.api_keys import REST_MAX, REST_MIN
from mock_server.domain.dispute import CHALLENGE_MS
from mock_server.domain.faults import LinePlan
from mock_server.domain.instants import DAY_MS, HOUR_MS, SECOND_MS
from mock_server.domain.paging import DEFAULT_LIMIT
from mock_server.http.observe import _LONGEST, _LONGEST_LIST
from mock_server.http.redaction import KEPT_BYTES
from mock_server.lasting.postgres import LEASE_S
from mock_server.scenario.conditions.when import LONGEST_PATTERN, LONGEST_PROGRAM, LONGEST_TEXT, MOST_STEPS
from mock_server.scenario.loading.reading import LONGEST as LONGEST_DOCUMENT
from mock_server.scenario.schema.block import DEEPEST, MOST_NODES
from mock_server.server.faults import LARGE
from mock_server.server.pool import Pool
from mock_server.server.service import Patience
from mock_server.settings import ROWS
from mock_server.settings.load import MOST_BYTES
from mock_server.verdict.evidence import MANY_CALLS, MANY_LOOKS
from mock_server.verdict.manners import LATE_MS, MANY_RETRIES
from mock_server.verdict.probing import FLOOD_S
from mock_server.webhooks.delivery_log import DELAYS
from tests.architecture.sources import ROOT

WORDS: Final = {3: "three", 4: "four", 5: "five", 7: "seven", 8: "eight", 10: "ten", 16: "sixteen", 20: "twenty"}
MILLION: Final = 1 << 20
PLAN: Final = LinePlan()
POOL: Final = Pool(lambda _: None, start=lambda _: None)


def word(number: float) -> str:
    return WORDS[int(number)]


def spaced(number: int) -> str:
    return f"{number:,}".replace(",", " ")


def default(name: str, unit: str) -> int:
    """A setting's default in its unit."""
    return int(ROWS[name].shown_default().removesuffix(unit))


SENTENCES: Final = {
    "README.md": (
        f"up to {word(len(DELAYS))} times in about a day",
        f"at least {word(REST_MIN)} letters or digits",
    ),
    "llms.txt": (f"({REST_MIN} or more letters or digits)",),
    "docs/tutorial/first-payment.md": (
        f"at least {word(REST_MIN)} letters or digits",
        f"expires after {word(default('authorization_expiry', 'd'))} days",
    ),
    "docs/how-to/point-your-integration-at-it.md": (f"at least {word(REST_MIN)} letters or digits",),
    "docs/how-to/use-from-other-languages.md": (
        f"at least {word(REST_MIN)} letters or digits",
        f"keeps {default('workspaces', '')} workspaces",
    ),
    "docs/how-to/configure.md": (
        f"`snd_` and {REST_MIN} to {REST_MAX} letters, digits",
        f"a snapshot of {default('max_snapshot', 'MiB')} MiB",
    ),
    "docs/how-to/edit-scenarios.md": (f"has more than {MOST_BYTES // MILLION} MiB",),
    "docs/how-to/receive-webhooks.md": (
        f"within {default('webhook_timeout', 's')} s (setting `webhook_timeout`)",
        f"After {word(default('before_response_timeout', 's'))} seconds (setting",
    ),
    "docs/how-to/test-refunds-and-disputes.md": (
        f"After {word(default('authorization_expiry', 'd'))} days (setting",
        f"at most {word(limits.REFUNDS_PER_PAYMENT)} refunds",
        f"for {limits.REFUND_AGE_MS // DAY_MS} days",
        f"by default {word(CHALLENGE_MS // DAY_MS)} days",
    ),
    "docs/how-to/use-the-dashboard.md": (f"({limits.WORKSPACE_LABEL} characters; empty removes it)",),
    "docs/how-to/judge-your-client.md": (f"a workspace's last {JUDGED} calls",),
    "docs/how-to/probe-your-receiver.md": (f"for the flood at most {FLOOD_S:.0f}",),
    "docs/how-to/keep-your-payments.md": (f"After {word(LEASE_S)} seconds all calls are",),
    "docs/how-to/run-it-for-a-whole-company.md": (f"after at most {word(LEASE_S)} seconds",),
    "docs/how-to/speak-the-public-api.md": (f"as JSON of at most {_LONGEST_LIST // 1024} kB",),
    "docs/how-to/answer-under-a-hard-wired-name.md": (
        f"up to {Patience().idle_s:.0f} seconds, like an idle connection",
    ),
    "docs/explanation/limits.md": (
        f"{limits.METADATA_PAIRS} pairs, keys of {limits.METADATA_KEY} and values of",
        f"values of {limits.METADATA_VALUE} characters",
        f"the {limits.STATEMENT_DESCRIPTOR} characters of `statement_descriptor_name`",
        f"have at most {spaced(limits.ITEMS)} items",
        f"stored for {limits.IDEMPOTENCY_MS // HOUR_MS} hours of the workspace's clock",
        f"processing {POOL._limit} calls of the control API or analytics, {POOL.share} of them",
    ),
    "docs/explanation/not-judged.md": (
        f"the beginning is recorded**, {KEPT_BYTES // 1024} KiB",
        f"after its {limits.IDEMPOTENCY_MS // HOUR_MS} hours",
    ),
    "docs/explanation/architecture.md": (f"for bodies over {LARGE // 1024} KiB",),
    "docs/reference/calls.md": (
        f"`limit` ({limits.LIST_MIN} to {limits.LIST_MAX}, by default {DEFAULT_LIMIT})",
        f"Each key with {REST_MIN} to {REST_MAX} letters, digits",
        f"cut after {_LONGEST} characters",
    ),
    "docs/reference/dialects.md": (
        f"at most {limits.LIST_MAX} payments there, and {HYPERSWITCH.lists['payments.list'].most} in",
    ),
    "docs/reference/analytics.md": (
        f"an array of one to {word(MOST_REQUESTS)} requests",
        f"works for {limits.REPORT_LINK_MS // HOUR_MS} hours of the workspace's time",
        f"more than {spaced(limits.REPORT_ROWS)} is refused",
    ),
    "docs/reference/faults.md": (f"in {word(PLAN.pieces)} parts over {word(PLAN.pieces * PLAN.pause_s)} seconds",),
    "docs/reference/metrics.md": (f"up to {'a million' if LOGGED == MILLION else LOGGED} characters are buffered",),
    "docs/reference/rules.md": (
        f"{MANY_CALLS} calls of one client for connections, {word(MANY_LOOKS)} retrievals in a row",
        f"{word(MANY_RETRIES)} answers with 5xx in a row",
        f"late after {word(LATE_MS / SECOND_MS)} seconds",
    ),
    "docs/reference/scenario-language.md": (
        f"up to {LONGEST_DOCUMENT // MILLION} million characters, {spaced(MOST_NODES)}",
        f"values and {DEEPEST} levels",
        f"the first {spaced(LONGEST_TEXT)} bytes of a value",
        f"at most {LONGEST_PATTERN} characters and {spaced(LONGEST_PROGRAM)} steps",
        f"have at most {spaced(MOST_STEPS)} together",
    ),
}


@pytest.mark.parametrize(("page", "sentence"), [(page, one) for page, given in SENTENCES.items() for one in given])
def test_a_page_has_the_figures_of_the_code(page: str, sentence: str) -> None:
    text = re.sub(r"\s+", " ", (ROOT / page).read_text("utf-8"))
    assert sentence in text
