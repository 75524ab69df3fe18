"""The door to chance (decisions "Determinism")."""

from __future__ import annotations

import string
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_server.randomness import Randomness

SIGNS = set(string.ascii_letters + string.digits)


def chi_squared(counts: Counter[str], signs: int) -> float:
    expected = counts.total() / signs
    return sum((counts[sign] - expected) ** 2 / expected for sign in counts)


@given(st.text(), st.text(), st.text(), st.integers(0, 1 << 40))
def test_values_are_a_function_of_seed_name_kind_and_number(seed: str, name: str, kind: str, number: int) -> None:
    one, other = Randomness(seed, name), Randomness(seed, name)
    one.token("something else", 7)
    assert one.token(kind, number) == other.token(kind, number)
    assert one.uniform(kind, name, number) == other.uniform(kind, name, number)
    assert one.hex(kind, number) == other.hex(kind, number)
    assert one.sha_key(kind) == other.sha_key(kind)


def test_values_are_the_same_in_another_process() -> None:
    program = "from mock_server.randomness import Randomness as R; print(R('s', 'n').token('payment', 3), end='')"
    there = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert there == Randomness("s", "n").token("payment", 3)


def test_these_bytes_never_change() -> None:
    # Recorded: a change here changes every id that users have written into their tests.
    randomness = Randomness("seed", "name")
    assert randomness.token("payment", 1) == "R7czFXiXYaFl09CIrLI9"
    assert randomness.uniform("chaos", "order-1", 1) == 0.5093811951737908


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("a", "n"), ("b", "n")),
        (("a", "n"), ("a", "m")),
        (("a", "bc"), ("ab", "c")),
        (("1:a", ""), ("1", "a")),
        ((None, "n"), (None, "n")),
    ],
)
def test_other_workspaces_have_other_streams(one: tuple[str | None, str], other: tuple[str | None, str]) -> None:
    assert Randomness(*one).token("payment", 1) != Randomness(*other).token("payment", 1)


def test_kinds_numbers_subjects_and_blocks_do_not_meet() -> None:
    randomness = Randomness("s", "n")
    values = [randomness.hex(kind, number) for kind in ("a", "1", "a1", "") for number in range(200)]
    values += [randomness.hex("a", 1, 128)[32:64], randomness.sha_key("a").hex()[:32]]
    assert len(set(values)) == len(values)
    draws = [randomness.uniform("a", subject, number) for subject in ("", "1", "11") for number in (1, 11, 111)]
    assert len(set(draws)) == len(draws)


@given(st.integers(0, 400))
def test_tokens_have_the_wanted_length(length: int) -> None:
    token = Randomness("s", "n").token("long", 1, length)
    assert len(token) == length
    assert set(token) <= SIGNS


def test_long_tokens_do_not_repeat_themselves() -> None:
    token = Randomness("s", "n").token("long", 1, 400)
    assert len({token[start : start + 20] for start in range(0, 400, 20)}) == 20


def test_tokens_are_uniform() -> None:
    randomness = Randomness("s", "n")
    counts = Counter("".join(randomness.token("payment", number) for number in range(20_000)))
    assert set(counts) == SIGNS
    assert chi_squared(counts, 62) < 110  # 61 degrees of freedom: passed by chance but once in ten thousand


def test_digits_are_uniform_and_decimal() -> None:
    randomness = Randomness("s", "n")
    counts = Counter("".join(randomness.digits("iban", number, 20) for number in range(5_000)))
    assert set(counts) == set(string.digits)
    assert chi_squared(counts, 10) < 36


def test_hex_refuses_more_than_a_digest_holds() -> None:
    assert len(Randomness("s", "n").hex("any", 1, 128)) == 128
    with pytest.raises(ValueError, match="128"):
        Randomness("s", "n").hex("any", 1, 129)


def test_uniform_draws_spread_over_the_unit_interval() -> None:
    randomness = Randomness("s", "n")
    draws = [randomness.uniform("chaos", "order", number) for number in range(10_000)]
    assert all(0 <= draw < 1 for draw in draws)
    assert max(Counter(int(draw * 10) for draw in draws).values()) < 1_150
    assert sum(draws) / len(draws) == pytest.approx(0.5, abs=0.01)


def test_without_a_seed_the_root_is_drawn_once() -> None:
    randomness = Randomness(None, "n")
    assert len(randomness.root) == 32
    assert randomness.token("payment", 1) == randomness.token("payment", 1)


def test_a_root_restores_its_streams() -> None:
    before = Randomness(None, "n")
    assert Randomness.from_root(before.root).token("payment", 9) == before.token("payment", 9)


def test_lone_surrogates_are_subjects_like_others() -> None:
    assert 0 <= Randomness("\ud800", "\udfff").uniform("chaos", "\ud83d", 1) < 1
