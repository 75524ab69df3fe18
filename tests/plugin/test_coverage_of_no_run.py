"""What only collects tests, as editors do, has no coverage: it neither fails nor replaces the file of a run."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from tests.plugin.conftest import Run

pytest_plugins = "pytester"

FORMS = ("--payment-sandbox-coverage=json:found.json", "--payment-sandbox-coverage=html:found.json")
ONLY = ("--collect-only", "--co")


@pytest.mark.parametrize(("form", "only"), [*product(FORMS, ONLY)])
def test_collecting_tests_nothing(run: Run, pytester: pytest.Pytester, form: str, only: str) -> None:
    kept = Path(pytester.path / "found.json")
    kept.write_text("of a run")
    options = (form, "--payment-sandbox-coverage", "--payment-sandbox-coverage-fail-under=100")
    done = run("def test_it(payment_sandbox): payment_sandbox.client.pay()", only, *options)
    assert done.ret == 0
    assert kept.read_text() == "of a run"
    done.stdout.no_fnmatch_line("*coverage*")
