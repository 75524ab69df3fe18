"""Workspaces that fixtures of one name share, each in its folder: a test's report is about those that it uses."""

from __future__ import annotations

import re
from textwrap import dedent
from typing import Final

import pytest

from tests.plugin.conftest import WITHIN, imported

__all__ = ["imported"]
pytest_plugins = "pytester"

TILL: Final = """
    import pytest

    @pytest.fixture(scope="{scope}")
    def till(request, payment_sandbox_factory{asks}):
        made = payment_sandbox_factory(request)
        made.client.pay()
        return made
"""
FAILS: Final = "def test_{place}(till): assert not till.api_key"
PLACES: Final = {
    "side by side": (("a", ""), ("b", "")),
    "one below": (("a", ""), ("a/b", "")),
    "one below, which asks for the other": (("a", ""), ("a/b", ", till")),
}
"""Folders with a fixture `till`, and what that fixture asks for."""


@pytest.mark.parametrize("where", PLACES)
@pytest.mark.parametrize("scope", ["function", "class", "module", "package", "session"])
@pytest.mark.usefixtures("imported")
def test_a_report_is_about_the_fixtures_of_its_folder(pytester: pytest.Pytester, scope: str, where: str) -> None:
    for place, asks in PLACES[where]:
        folder = pytester.mkdir(place)
        (folder / "__init__.py").touch()
        (folder / "conftest.py").write_text(dedent(TILL.format(scope=scope, asks=asks)))
        (folder / "test_till.py").write_text(FAILS.format(place=folder.name))
    told = pytester.runpytest_inprocess(*WITHIN).stdout.str()
    for place, asks in PLACES[where]:
        report = re.split("\n_{3,} test_|\n=", told.split(f"_ test_{place[-1]} _", 1)[1])[0]
        assert report.count("- payment sandbox till -") == (2 if asks else 1), report
