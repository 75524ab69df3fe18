"""A marker that a test's workspace cannot follow fails the test: on a shared workspace it would have no effect."""

from __future__ import annotations

from typing import Final

import pytest

from tests.plugin.conftest import Run

pytest_plugins = "pytester"

SAID: Final = {
    "scenario": '{"name": "mine", "rules": []}',
    "seed": '"7"',
    "clock": '"frozen"',
    "dialect": '"hyperswitch"',
}
PLACES: Final = ("function", "class", "module", "session")
"""From the narrowest: of a marker (not of the session), and of the fixture with the workspace."""

SHOPS: Final = "import pytest\n" + "".join(
    f"""
@pytest.fixture(scope="{scope}")
def shop_of_{scope}(request, payment_sandbox_factory):
    return payment_sandbox_factory(request)
"""
    for scope in PLACES
)


def source(argument: str, place: str) -> str:
    """A module with a marker in one place, and a test for each scope of a workspace."""
    mark = f"pytest.mark.payment_sandbox({argument}={SAID[argument]})"
    tests = "".join(
        f"    {f'@{mark}' if place == 'function' else ''}\n"
        f"    def test_{scope}(self, shop_of_{scope}): pass\n"
        f"    {f'@{mark}' if place == 'function' else ''}\n"
        f"    def test_{scope}_and_its_own(self, shop_of_{scope}, payment_sandbox): pass\n"
        for scope in PLACES
    )
    return (
        f"import pytest\n{f'pytestmark = {mark}' if place == 'module' else ''}\n"
        f"{f'@{mark}' if place == 'class' else ''}\nclass TestShop:\n{tests}"
        f"    {f'@{mark}' if place == 'function' else ''}\n    def test_nothing(self): pass\n"
    )


@pytest.mark.parametrize("argument", SAID)
@pytest.mark.parametrize("place", PLACES[:3])
def test_a_marker_that_has_no_effect_fails_the_test(argument: str, place: str, run: Run) -> None:
    result = run(source(argument, place), "-v", conftest=SHOPS)
    for scope in PLACES:
        has_effect = PLACES.index(place) >= PLACES.index(scope)
        result.stdout.fnmatch_lines([f"*test_{scope} {'PASSED' if has_effect else 'FAILED'}*"])
        result.stdout.fnmatch_lines([f"*test_{scope}_and_its_own PASSED*"])
    result.stdout.fnmatch_lines([f"*test_nothing {'FAILED' if place == 'function' else 'PASSED'}*"])
    result.stdout.no_fnmatch_line("*entries are hidden*")
    if place != "module":
        result.stdout.fnmatch_lines(
            ["*the marker payment_sandbox has no effect: shop_of_session is shared by more tests*"]
        )


@pytest.mark.parametrize("scope", PLACES)
@pytest.mark.parametrize("given", ['"lost_card"', '"declines"', '{"decline": "lost_card"}'])
def test_outcomes_of_a_workspace_that_has_none_are_refused(given: str, scope: str, run: Run) -> None:
    test = f"""
        import pytest

        @pytest.mark.payment_outcomes({given})
        def test_x(shop_of_{scope}, payment_outcome): pass
    """
    result = run(test, conftest=SHOPS)
    result.stdout.fnmatch_lines(["*payment_outcomes needs the fixture payment_sandbox*"])
    assert "passed" not in result.parseoutcomes()


@pytest.mark.parametrize(
    "given", ['["lost_card"]', "5", "None", '("lost_card", "pending")', "b'lost_card'", "", "[]", "True"]
)
def test_what_is_no_outcome_is_said_plainly(given: str, run: Run) -> None:
    test = f"""
        import pytest

        @pytest.mark.payment_outcomes({given})
        def test_x(payment_sandbox): pass
    """
    result = run(test)
    result.stdout.fnmatch_lines(["*test_x: *outcome*"])
    result.stdout.no_fnmatch_line("*Error: *")
    assert "passed" not in result.parseoutcomes()
