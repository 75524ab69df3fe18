"""Patterns of `matches` say what `re` says, and take no longer for it than the text is long."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_server.scenario.conditions.when import LONGEST_PATTERN, LONGEST_TEXT, compile_pattern

SETS = ["[ab]", "[^a]", "[a-c]", r"[\d_-]", "."]
ESCAPES = [r"\d", r"\w", r"\s", r"\D", r"\W", r"\S", r"\.", "^", "$", r"\b", r"\B"]
ATOMS = st.sampled_from(["a", "b", "c", "-", "1", *SETS, *ESCAPES])
TIMES = st.sampled_from(["", "", "", "*", "+", "?", "{2}", "{1,3}", "{2,}", "{0,2}", "*?", "+?"])


def _repeated(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(inner, TIMES).map("".join)


PATTERNS = st.recursive(
    _repeated(ATOMS),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=4).map("".join)
        | _repeated(st.lists(inner, min_size=1, max_size=3).map(lambda ways: f"({'|'.join(ways)})"))
    ),
    max_leaves=8,
)


@given(PATTERNS, st.text(alphabet="abc1_-. ", max_size=12))
def test_it_finds_what_re_finds(text: str, subject: str) -> None:
    if not subject and r"\B" in text:  # Python changed its mind about this one in 3.14
        return
    try:
        expected = re.compile(text)
    except re.error:
        return
    try:
        found = compile_pattern(text)
    except ValueError as refused:
        assert "bad repetition operator" in str(refused) or "repetition size" in str(refused)  # noqa: PT017 — rare and right
        return
    assert found.search(subject) is bool(expected.search(subject))


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("^ord-[0-9]+$", "ord-42", True),
        ("^ord-[0-9]+$", "ord-", False),
        ("(?i)^anna", "ANNA@example.test", True),
        ("(?i)[a-c]X", "Bx", True),
        (r"(?i)\D[A-C]", "1b", False),
        ("a{,b", "a{,b", True),
        ("]", "]", True),
        ("[]]", "]", True),
        (r"\Aab\z", "ab\n", False),
        ("^ab$", "ab\n", False),
        ("ü", "für", True),
        ("f.r", "f\ud800r", True),
    ],
)
def test_it_finds_what_it_should(pattern: str, text: str, found: bool) -> None:
    assert compile_pattern(pattern).search(text) is found


@pytest.mark.parametrize("pattern", ["(a*)*b", "(a|a)*b", "(a|aa)+b", "(.*a){9}b", "([a-z]+)*1", "(a?){25}a{25}b"])
def test_catastrophes_do_not_happen(pattern: str) -> None:
    """With backtracking each of these would outlast the test's time limit."""
    assert compile_pattern(pattern).search("a" * LONGEST_TEXT) is False


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("(a", "missing )"),
        ("a)", "unexpected )"),
        ("[a", "missing ]"),
        ("*a", "no argument for repetition operator"),
        ("a**", "bad repetition operator"),
        ("a\\", "trailing"),
        ("[b-a]", "invalid character class range"),
        ("(?:a)(?!b)", "(?!"),
        (r"(a)\1", r"\1"),
        ("a{1001}", "invalid repetition size"),
        ("a{3,1}", "invalid repetition size"),
        ("(a{99}){99}", "invalid repetition size"),
        ("a" * (LONGEST_PATTERN + 1), "maximum is 500"),
    ],
)
def test_what_is_not_offered_is_refused(pattern: str, message: str) -> None:
    with pytest.raises(ValueError, match=r"^(has|cannot be read)") as found:
        compile_pattern(pattern)
    assert message in str(found.value)
