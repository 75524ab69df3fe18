"""Our quick HMAC is HMAC."""

from __future__ import annotations

import hmac

from hypothesis import given
from hypothesis import strategies as st

from mock_server.keyed import Keyed


@given(st.binary(max_size=200), st.binary(max_size=300))
def test_it_is_the_standard_librarys(key: bytes, message: bytes) -> None:
    assert Keyed(key).digest(message) == hmac.digest(key, message, "sha256")


def test_one_key_serves_many_messages() -> None:
    keyed = Keyed(b"k")
    assert keyed.digest(b"a") == keyed.digest(b"a") != keyed.digest(b"b")
