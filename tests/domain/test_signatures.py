"""Signatures against values that another implementation made (`openssl dgst -sha512 -hmac`)."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.events import query_message, signature, signed_pairs


def test_a_known_answer() -> None:
    """RFC 4231, test case 2."""
    expected = (
        "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fd"
        "caeab1a34d4a6b4b636e070a38bce737"
    )
    assert signature("Jefe", b"what do ya want for nothing?") == expected


def by_hand(key: bytes, message: bytes) -> str:
    """HMAC as RFC 2104 spells it."""
    key = hashlib.sha512(key).digest() if len(key) > 128 else key
    key = key.ljust(128, b"\0")
    inner = hashlib.sha512(bytes(byte ^ 0x36 for byte in key) + message).digest()
    return hashlib.sha512(bytes(byte ^ 0x5C for byte in key) + inner).hexdigest()


@given(st.text(min_size=1), st.binary())
def test_any_message_under_any_key(key: str, message: bytes) -> None:
    assert signature(key, message) == by_hand(key.encode(), message)


@given(st.lists(st.tuples(st.text(), st.text())))
def test_a_query_is_signed_whatever_its_order(pairs: list[tuple[str, str]]) -> None:
    assert query_message(pairs) == query_message(reversed(pairs))
    *told, sign, algorithm = signed_pairs(pairs, "k")
    assert told == pairs
    assert sign == ("signature", by_hand(b"k", query_message(pairs)))
    assert algorithm == ("signature_algorithm", "HMAC-SHA512")


def test_pairs_stand_sorted_as_k_equals_v() -> None:
    assert query_message([("b", "2"), ("a", "x y"), ("a", "&")]) == b"a=&&a=x y&b=2"
