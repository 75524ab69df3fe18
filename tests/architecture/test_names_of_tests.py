"""The names of the tests: the same in every process, as those that share the work compare them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.architecture.sources import ROOT
from tests.counts import times
from tests.running import environment


def test_they_depend_neither_on_the_time_nor_on_chance(request: pytest.FixtureRequest) -> None:
    """Of every twelfth file in CI, whose workers compare all names: each has its own seed of hashes."""
    file_of = {item.nodeid: item.nodeid.partition("::")[0] for item in request.session.items}
    files = sorted(set(file_of.values()), reverse=True)[:: times(12, soak=1)]
    asked = set(files)
    here = {name for name, file in file_of.items() if file in asked}
    words = ["-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *files]
    there = subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env=environment(PYTHONHASHSEED="1", TZ="Asia/Kathmandu", PYTEST_ADDOPTS=""),
        capture_output=True,
        text=True,
        check=True,
    )
    assert here - set(there.stdout.splitlines()) == set()
