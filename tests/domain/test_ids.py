"""Identifiers."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain import ids

LEGAL = st.text("ABCXYZabcxyz0189_-", min_size=1, max_size=64).filter(lambda text: text not in ids.RESERVED_WORDS)


@pytest.mark.parametrize("kind", ids.ID_KINDS, ids=lambda kind: kind.name)
def test_every_kind_is_found_and_makes_ids_that_a_caller_could_send_back(kind: ids.IdKind) -> None:
    assert ids.KINDS[kind.name] is kind
    assert re.fullmatch(r"[a-z]+_", kind.prefix)
    assert ids.is_caller_id(kind.prefix + "0" * kind.length)


def test_prefixes_and_names_are_each_ones_own() -> None:
    assert len({kind.prefix for kind in ids.ID_KINDS}) == len(ids.ID_KINDS)
    assert len({kind.name for kind in ids.ID_KINDS}) == len(ids.ID_KINDS)


@pytest.mark.parametrize(
    ("name", "prefix"),
    [
        ("payment", "pay_"),
        ("merchant", "mer_"),
        ("customer", "cus_"),
        ("profile", "pro_"),
        ("refund", "ref_"),
        ("dispute", "dp_"),
        ("event", "evt_"),
        ("payment_method", "pm_"),
        ("mandate", "man_"),
        ("file", "file_"),
    ],
)
def test_the_documented_kinds(name: str, prefix: str) -> None:
    assert ids.KINDS[name].prefix == prefix
    assert ids.KINDS[name].length == 20


@given(LEGAL)
def test_letters_digits_and_two_signs_make_an_id(text: str) -> None:
    assert ids.is_caller_id(text)
    assert ids.problem_of(text) is None


@given(st.text(max_size=80))
def test_either_it_is_an_id_or_there_is_a_reason(text: str) -> None:
    assert (ids.is_caller_id(text) is not None) is (ids.problem_of(text) is None)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("a" * 65, "at most 64 characters, not 65"),
        ("order 7", "' ' (character 6)"),
        ("naïve", "'ï' (character 3)"),
        ("a\n", "'\\n' (character 2)"),
        ("sync", "'sync'"),
    ],
)
def test_a_wrong_id_is_told_what_is_wrong(text: str, says: str) -> None:
    assert not ids.is_caller_id(text)
    assert says in (ids.problem_of(text) or "")


@pytest.mark.parametrize("word", sorted(ids.RESERVED_WORDS))
def test_words_of_the_paths_are_no_ids(word: str) -> None:
    assert not ids.is_caller_id(word)
    assert ids.is_caller_id(word + "_1")


def test_ids_made_of_ids() -> None:
    assert ids.part_id("pay_1", 2) == "pay_1_2"
    assert ids.part_id("pay_1_2", 3) == "pay_1_2_3"


@given(LEGAL, st.text("abcXYZ019", min_size=20, max_size=20))
def test_a_secret_names_its_owner(owner: str, token: str) -> None:
    assert ids.owner_of_secret(f"{owner}_secret_{token}") == owner


@pytest.mark.parametrize("text", ["", "pay_1", "pay_1_secret_", "secret"])
def test_what_is_no_secret_has_no_owner(text: str) -> None:
    assert ids.owner_of_secret(text) == ""
