"""The table behind `make quick`: every kind of file in every folder has tests that it touches, the nearest first."""

from __future__ import annotations

import pytest

from tests.architecture.sources import ROOT
from tests.quick import touched

KINDS = {(path.parent, path.suffix): path for top in ("mock_server", "scenarios") for path in (ROOT / top).rglob("*.*")}
FILES = [path.relative_to(ROOT).as_posix() for path in sorted(KINDS.values()) if "__pycache__" not in path.parts]


@pytest.mark.parametrize("path", [path for path in FILES if path.count("/") > 1 or path.startswith("scenarios/")])
def test_every_kind_of_file_touches_tests(path: str) -> None:
    assert touched([path])


@pytest.mark.parametrize(
    ("path", "test"),
    [
        ("mock_server/contract/answers/payment.py", "tests/dialects/test_public.py"),
        ("mock_server/settings/table.py", "tests/architecture/test_settings_are_read.py"),
    ],
)
def test_what_shows_a_row_elsewhere_is_touched(path: str, test: str) -> None:
    assert test in touched([path])


@pytest.mark.parametrize(
    ("path", "first"),
    [
        ("tests/http/test_kept_headers.py", "tests/http/test_kept_headers.py"),
        ("mock_server/clock.py", "tests/test_clock.py"),
        ("mock_server/lasting/replicas.py", "tests/lasting/test_replicas.py"),
        ("scenarios/lost_response.yaml", "tests/scenarios_e2e/test_lost_response.py"),
    ],
)
def test_the_nearest_comes_first(path: str, first: str) -> None:
    assert touched([path, "mock_server/store/table.py"])[0] == first
