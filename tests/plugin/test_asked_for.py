"""A failing test's report has the history of each workspace that it used, however it asked for it, and of no other."""

from __future__ import annotations

import re
from textwrap import dedent
from typing import Final

import pytest

from tests.plugin.conftest import WITHIN, imported

__all__ = ["imported"]
pytest_plugins = "pytester"

CONFTEST: Final = """
    import pytest

    @pytest.fixture(scope={scope!r})
    def till(request, payment_sandbox_factory):
        return payment_sandbox_factory(request)

    @pytest.fixture
    def paid(till):
        return till.client.pay()

    @pytest.fixture
    def paid_late(request):
        return request.getfixturevalue("till").client.pay()
"""
ASKS: Final = {
    "by argument": "def test_it(till):\n    till.client.pay(); assert 0",
    "by a fixture": "def test_it(paid):\n    assert 0",
    "late, in the test": "def test_it(request):\n    request.getfixturevalue('till').client.pay(); assert 0",
    "late, in a fixture": "def test_it(paid_late):\n    assert 0",
    "by a marker": "import pytest\n@pytest.mark.usefixtures('paid')\ndef test_it():\n    assert 0",
    "late, by a marker": "import pytest\n@pytest.mark.usefixtures('paid_late')\ndef test_it():\n    assert 0",
    "by a parameter": "import pytest\n@pytest.mark.parametrize('name', ['till'])\n"
    "def test_it(request, name):\n    request.getfixturevalue(name).client.pay(); assert 0",
    "of unittest": "import pytest, unittest\nclass TestIt(unittest.TestCase):\n    @pytest.fixture(autouse=True)\n"
    "    def _till(self, request):\n        self.till = request.getfixturevalue('till')\n"
    "    def test_it(self):\n        self.till.client.pay(); self.fail()",
}
FIRST: Final = "def test_before(till):\n    till.client.pay()\n\n"
OTHER: Final = "\n\ndef test_other():\n    assert 0\n"


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("scope", ["function", "class", "module", "session"])
def test_the_report_shows_what_was_used(scope: str, is_first: bool, pytester: pytest.Pytester, imported: None) -> None:
    for number, asks in enumerate(ASKS.values()):  # each in a folder of its own, with fixtures of its own
        folder = pytester.mkdir(f"folder_{number}")
        source = ("" if is_first else FIRST) + asks + OTHER
        for name, text in (("conftest", dedent(CONFTEST.format(scope=scope))), (f"test_{number}", source)):
            (folder / f"{name}.py").write_text(text.replace("till", f"till_{number}"))
    result = pytester.runpytest_inprocess(*WITHIN)
    result.assert_outcomes(failed=2 * len(ASKS), passed=0 if is_first else len(ASKS))
    heads, reports = split_at_heads(result.stdout.str())
    assert [head.endswith("test_other") for head in heads] == [False, True] * len(ASKS)
    for number, (used, other) in enumerate(zip(reports[::2], reports[1::2], strict=True)):
        assert used.count(f"- payment sandbox till_{number} -") == 1, used
        assert "payments.create" in used.partition(f"- payment sandbox till_{number} -")[2], used
        assert used.count("- payment sandbox ") == 1 and "payment sandbox till" not in other, (used, other)


def split_at_heads(text: str) -> tuple[list[str], list[str]]:
    """The names of the tests that failed, and their reports."""
    _, *parts = re.split(
        r"^_+ ((?:TestIt\.)?test_\S+) _+$", text.partition("= short test summary")[0], flags=re.MULTILINE
    )
    return parts[::2], parts[1::2]
