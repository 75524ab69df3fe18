"""A failing test's report has the history of each workspace that it used, however it asked for it, and of no other."""

from __future__ import annotations

from textwrap import dedent
from typing import Final

import pytest

from tests.plugin.conftest import Run, imported, run

__all__ = ["imported", "run"]
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
@pytest.mark.parametrize("asks", ASKS)
def test_the_report_shows_what_was_used(asks: str, scope: str, is_first: bool, run: Run) -> None:
    source = ("" if is_first else FIRST) + ASKS[asks] + OTHER
    result = run(source, conftest=dedent(CONFTEST.format(scope=scope)))
    result.assert_outcomes(failed=2, passed=0 if is_first else 1)
    text = result.stdout.str()
    used, other = (text.partition("test_other ___")[at] for at in (0, 2))
    assert used.count("- payment sandbox till -") == 1, text
    assert "payments.create" in used.partition("- payment sandbox till -")[2]
    assert "payment sandbox till" not in other, text
