"""The example shop keeps its promises, and each mistake put into it is named by a test of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from tests.architecture.sources import ROOT
from tests.counts import SOAK
from tests.examples.mutations import MUTATIONS, Mutation

SHOP: Final = ROOT / "examples" / "shop"
RUNNER: Final = Path(__file__).with_name("run_suites.py")
FEW: Final = ("no_idempotency_key", "signatures_are_not_checked", "the_address_of_the_way_back_is_trusted")
"""The mistakes of the normal run; the long run makes them all."""
MADE: Final = [one for one in MUTATIONS if SOAK or one.name in FEW]
UNTOUCHED: Final = "untouched"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What became of the suite: of the shop as it is, and with each mistake in it."""
    home = tmp_path_factory.mktemp("shops")
    folders = {one.name: _copy(home / one.name, one) for one in MADE} | {UNTOUCHED: _copy(home / UNTOUCHED)}
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PAYMENT_SANDBOX_", "COV"))}
    subprocess.run(
        [sys.executable, str(RUNNER), *(text for name, folder in folders.items() for text in (folder, _asked(name)))],
        check=True,
        env={**clean, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )
    return {name: _read(folder) for name, folder in folders.items()}


def _asked(name: str) -> str:
    """The whole suite, of the untouched shop with the verdict; for mistakes in the normal run only the test that is to
    name it.
    """
    if name == UNTOUCHED:
        return "--payment-sandbox-verdict=error"
    return "" if SOAK else next((one.test for one in MADE if one.name == name), "")


def _copy(folder: Path, mutation: Mutation | None = None) -> Path:
    shutil.copytree(SHOP, folder, ignore=shutil.ignore_patterns("__pycache__"))
    if mutation is not None:
        source = folder / mutation.file
        source.write_text(mutated(source.read_text("utf-8"), mutation), "utf-8")
    return folder


def mutated(source: str, mutation: Mutation) -> str:
    count = source.count(mutation.old)
    assert count == 1, f"{mutation.name}: what it replaces stands there {count} times"
    return source.replace(mutation.old, mutation.new)


def _read(folder: Path) -> Any:
    told = folder / "result.json"
    return json.loads(told.read_text()) if told.exists() else {"output": (folder / "output.txt").read_text()}


def test_every_test_of_the_shop_passes_and_the_verdict_finds_nothing(results: dict[str, Any]) -> None:
    told = results[UNTOUCHED]
    assert (told["failed"], told["code"]) == ([], 0)
    assert told["passed"] >= 20


@pytest.mark.parametrize("mutation", MADE, ids=lambda one: one.name)
def test_a_mistake_is_named_by_its_test(mutation: Mutation, results: dict[str, Any]) -> None:
    told = results[mutation.name]
    assert mutation.test in told["failed"], told
    assert told["passed"] > 0 or not SOAK, "the whole shop is broken, which names nothing"


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda one: one.name)
def test_every_mistake_can_be_made(mutation: Mutation) -> None:
    compile(mutated((SHOP / mutation.file).read_text("utf-8"), mutation), mutation.file, "exec")
    file, name = mutation.test.split("::")
    assert f"def {name.partition('[')[0]}(" in (SHOP / file).read_text("utf-8")
