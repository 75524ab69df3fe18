from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.faults import LineFault, cut, malformed, pieces

SHARES = st.floats(min_value=0.0, max_value=1.0)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def test_faults_are_the_words_of_the_scenario_language() -> None:
    assert [str(fault) for fault in LineFault] == [
        "connection_reset",
        "empty_response",
        "truncated_body",
        "malformed_json",
        "slow_body",
        "hang",
    ]


@given(st.binary(min_size=1), SHARES)
def test_a_cut_body_is_a_proper_beginning(body: bytes, keep: float) -> None:
    part = cut(body, keep)
    assert body.startswith(part)
    assert len(part) < len(body)


@pytest.mark.parametrize(("keep", "part"), [(0.0, b""), (0.5, b"01234"), (0.99, b"012345678"), (1.0, b"012345678")])
def test_a_cut_keeps_the_share(keep: float, part: bytes) -> None:
    assert cut(b"0123456789", keep) == part


def test_nothing_is_left_of_an_empty_body() -> None:
    assert cut(b"", 0.5) == b""


@given(JSON, SHARES, st.sampled_from([None, 2]))
def test_a_malformed_body_is_no_json(value: Any, keep: float, indent: int | None) -> None:
    broken = malformed(json.dumps(value, indent=indent).encode(), keep)
    assert broken.startswith((b"{", b"["))
    with pytest.raises(json.JSONDecodeError):
        json.loads(broken)


@given(SHARES)
def test_an_empty_body_becomes_malformed_and_not_missing(keep: float) -> None:
    assert malformed(b"", keep) == b"{"


@pytest.mark.parametrize(("keep", "part"), [(0.0, b"{"), (0.5, b'{"a"'), (1.0, b'{"a": 1')])
def test_the_share_is_left_of_a_malformed_object(keep: float, part: bytes) -> None:
    assert malformed(b'{"a": 1}', keep) == part


@pytest.mark.parametrize(
    ("count", "parts"), [(0, ["abcd"]), (1, ["abcd"]), (2, ["ab", "cd"]), (3, ["ab", "cd"]), (4, list("abcd"))]
)
def test_a_short_body_has_as_many_pieces_as_bytes(count: int, parts: list[str]) -> None:
    assert pieces(b"abcd", count) == [part.encode() for part in parts]


@given(st.binary(), st.integers(min_value=0, max_value=40))
def test_pieces_make_up_the_body(body: bytes, count: int) -> None:
    parts = pieces(body, count)
    assert b"".join(parts) == body
    assert all(parts)
    assert len(parts) <= max(1, count)
