"""The test files of the README and the guide pass as they stand, in every way in which they are run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from mock_server.testing import Sandbox, SandboxServer
from tests.architecture.sources import ROOT
from tests.docs.snippets import blocks, documents
from tests.plugin.in_a_process import pytest_in_a_process

README = ROOT / "README.md"
LONGEST = 12
"""The README promises about ten lines."""


def files_of(path: Path) -> list[str]:
    """The Python blocks that hold tests, but those with a reason why they are not run here."""
    found = (block for block in blocks(path.read_text("utf-8")) if not block.left_out)
    return [block.text for block in found if "def test_" in block.text]


def written(folder: Path, path: Path) -> int:
    """Writes a document's test files into a folder; gives how many tests they hold."""
    files = files_of(path)
    for number, text in enumerate(files):
        (folder / f"test_{path.stem.replace('-', '_')}_{number}.py").write_text(text, "utf-8")
    return sum(len(re.findall(r"def test_", text)) for text in files)


@pytest.mark.parametrize("arguments", [(), ("-n", "2")], ids=["alone", "two workers"])
def test_the_readmes_test_file_passes(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    count = written(tmp_path, README)
    assert f"{count} passed" in pytest_in_a_process(tmp_path, *arguments)


def test_it_passes_against_a_server_that_runs(tmp_path: Path, inside: SandboxServer) -> None:
    count = written(tmp_path, README)
    assert f"{count} passed" in pytest_in_a_process(tmp_path, f"--payment-sandbox-url={inside.url}")


def test_the_guides_test_files_pass(tmp_path: Path) -> None:
    counts = {path.stem: written(tmp_path, path) for path in documents(ROOT) if path != README}
    pages = {
        "use-in-pytest",
        "reconcile-payments",
        "charge-by-mandate",
        "test-refunds-and-disputes",
        "judge-your-client",
    }
    assert pages <= {name for name, count in counts.items() if count}
    passed = re.search(r"(\d+) passed", pytest_in_a_process(tmp_path))
    assert passed is not None
    assert int(passed[1]) >= sum(counts.values()), "with each case of those that have several"


def test_the_readmes_test_file_is_short() -> None:
    (text,) = files_of(README)
    assert len(text.strip().splitlines()) <= LONGEST


EMPTY = re.compile(r"\.(probe|verdict|none|assert_not_called)\(")
"""What asserts that something was not found."""
REFUND = "post('/refunds', {'payment_id': payment_sandbox.client.pay()['payment_id']})"
BROKEN = {
    ("use-in-pytest.md", "probe"): ("if not hmac.compare_digest(", "if not max(", "test_forged_and_double_events"),
    ("use-in-pytest.md", "none"): (
        "    payment_sandbox.webhooks.none",
        f"    payment_sandbox.client.{REFUND}\n    payment_sandbox.webhooks.none",
        "test_one_event_by_hand",
    ),
    ("use-in-pytest.md", "assert_not_called"): (
        "    payment_sandbox.journal.assert_not_called",
        f"    payment_sandbox.client.{REFUND}\n    payment_sandbox.journal.assert_not_called",
        "test_the_shop_sends_whole_amounts",
    ),
    ("judge-your-client.md", "verdict"): ('pay(idempotency_key="order-1")', 'pay(amount="42.00")', ""),
}
"""Each such assertion of the docs: what the client or the receiver does right, what it does wrong, and the test."""


def found_empty() -> dict[tuple[str, str], str]:
    """Their blocks, by page and method."""
    pages = ((path.name, block.text) for path in documents(ROOT) for block in blocks(path.read_text("utf-8")))
    return {(name, str(one[1])): text for name, text in pages for one in EMPTY.finditer(text)}


def test_every_assertion_of_the_docs_that_nothing_was_found_is_tried() -> None:
    assert BROKEN.keys() == found_empty().keys()


@pytest.mark.parametrize("which", BROKEN, ids=" ".join)
def test_it_fails_where_something_is_to_be_found(which: tuple[str, str], sandbox: Sandbox) -> None:
    right, wrong, test = BROKEN[which]
    text = found_empty()[which]
    assert right in text
    with pytest.raises(AssertionError):
        ran(text.replace(right, wrong), test, sandbox)


def ran(text: str, test: str, sandbox: Sandbox) -> None:
    names: dict[str, Any] = {}
    exec(text, names)
    if test:
        names[test](sandbox)
