"""A folder's own conftest.py holds for its tests alone, in any order; where that cannot be, its tests say so."""

from __future__ import annotations

from textwrap import dedent
from typing import Final

import pytest

from tests.plugin.conftest import WITHIN, imported

__all__ = ["imported"]
pytest_plugins = "pytester"

PLACES: Final = ("", "a", "a/deep", "b")
WHAT: Final = {
    "scenarios": """
        import pytest

        @pytest.fixture(scope="session")
        def payment_sandbox_scenarios():
            return {{"house": {{"rules": [{{"on": "charge", "then": {{"decline": "{decline}"}}}}]}}}}
    """,
    "config": """
        import pytest

        @pytest.fixture(scope="session")
        def payment_sandbox_config():
            return {{"scenarios_inline": "name: house\\nrules: [{{on: charge, then: {{decline: {decline}}}}}]"}}
    """,
}
DECLINES: Final = dict(zip(PLACES, ("lost_card", "stolen_card", "expired_card", "insufficient_funds"), strict=True))
OVERRIDES: Final = (("", "a"), ("a",), ("b", "a/deep"), ("", "a", "a/deep", "b"), ("a", "a/deep"))
ORDERS: Final = (("", "a", "a/deep", "b"), ("b", "a/deep", "a", ""), ("a/deep", "", "b", "a"))
TEST: Final = """
    import pytest
    from payment_sandbox import ControlRefused

    DECLINE = {decline!r}

    @pytest.fixture(scope="module")
    def shop(request, payment_sandbox_factory):
        return payment_sandbox_factory(request)

    def looked_at(it):
        if DECLINE is None:
            with pytest.raises(ControlRefused):
                it.scenario("house")
        else:
            it.scenario("house")
            assert it.why(it.client.pay())["failure"]["decline"] == DECLINE

    def test_own(payment_sandbox):
        looked_at(payment_sandbox)

    def test_shared(shop):
        looked_at(shop)
"""


@pytest.mark.parametrize("order", ORDERS, ids=">".join)
@pytest.mark.parametrize("folders", OVERRIDES, ids="+".join)
@pytest.mark.parametrize("what", WHAT)
def test_each_test_has_what_its_folder_says(
    what: str, folders: tuple[str, ...], order: tuple[str, ...], pytester: pytest.Pytester, imported: None
) -> None:
    files = {}
    for place in PLACES:
        above = [one for one in folders if one in ("", place) or place.startswith(f"{one}/")]
        wanted = DECLINES[max(above, key=len)] if above else None
        folder = pytester.path / place
        folder.mkdir(exist_ok=True)
        files[place] = folder / f"test_{place.replace('/', '_') or 'top'}.py"
        files[place].write_text(dedent(TEST.format(decline=wanted)))
        if place in folders:
            (folder / "conftest.py").write_text(dedent(WHAT[what].format(decline=DECLINES[place])))
    result = pytester.runpytest_inprocess(*WITHIN, *(files[place] for place in order))
    found = result.parseoutcomes()
    assert found.get("failed", 0) == 0, result.stdout.str()
    assert found.get("passed", 0) + found.get("errors", 0) == 2 * len(PLACES)
    assert what == "config" or "errors" not in found
    if "errors" in found:
        result.stdout.fnmatch_lines(["payment_sandbox_config differs between folders, but the run has one server"])
