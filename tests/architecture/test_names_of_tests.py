"""The names of the tests: the same in every process, as those that share the work compare them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.architecture.sources import ROOT
from tests.running import environment


def test_they_depend_neither_on_the_time_nor_on_chance(request: pytest.FixtureRequest) -> None:
    here = {item.nodeid for item in request.session.items}
    files = sorted({name.partition("::")[0] for name in here}, reverse=True)
    words = ["-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *files]
    there = subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env=environment(PYTHONHASHSEED="1", TZ="Asia/Kathmandu"),
        capture_output=True,
        text=True,
        check=True,
    )
    assert here - set(there.stdout.splitlines()) == set()
