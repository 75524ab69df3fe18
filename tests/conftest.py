"""What every test of the project has."""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import Final

import pytest
from hypothesis import settings

IN_CI: Final = "CI" in os.environ

# No deadline: two workers on a busy machine make single examples slow, not wrong.
settings.register_profile("project", deadline=None, derandomize=IN_CI)
settings.load_profile("project")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let a test that was left out fail in CI: a green run there means that everything ran."""
    report = yield
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, and nothing may be in CI: {report.longrepr}"
    return report
