"""Which content types a JSON body may have, and how a refusal names the one that it had."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from typing import Final

import pytest

from tests.wire import wire

BODY = b'{"amount": 100, "currency": "EUR", "profile_id": "pro_shop"}'


@pytest.mark.parametrize("given", ["application/json", "application/json; charset=utf-8", "APPLICATION/JSON"])
def test_json_is_json_however_it_is_written(given: str) -> None:
    assert wire().call("POST", "/payments", raw=BODY, headers={"Content-Type": given}).status == 200


@pytest.mark.parametrize("given", ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""])
def test_another_content_type_is_refused_by_its_name(given: str) -> None:
    api = wire()
    refused = api.call("POST", "/payments", raw=BODY, headers={"Content-Type": given})
    assert (refused.status, refused.error["code"]) == (400, "IR_06")
    assert f" {given or 'none'}" in refused.error["message"]
    assert "application/json" in refused.error["message"]
    assert api.call("POST", "/payments", raw=b" \n", headers={"Content-Type": given}).error["code"] != "IR_06"


CODINGS: Final[tuple[tuple[str, Callable[[bytes], bytes]], ...]] = (
    ("gzip", gzip.compress), ("deflate", zlib.compress), ("br", bytes), ("gzip", bytes), ("nonsense", bytes),
    ("identity, gzip", bytes),
)  # fmt: skip
"""What a body says of itself, and what was done to it."""


@pytest.mark.parametrize("coding", ["", "identity", "Identity"])
def test_no_coding_is_a_coding_too(coding: str) -> None:
    headers = {"Content-Type": "application/json", "Content-Encoding": coding}
    assert wire().call("POST", "/payments", raw=BODY, headers=headers).status == 200


@pytest.mark.parametrize(("coding", "pack"), CODINGS)
def test_a_body_with_a_coding_is_refused_by_it(coding: str, pack: Callable[[bytes], bytes]) -> None:
    headers = {"Content-Type": "application/json", "Content-Encoding": coding}
    refused = wire().call("POST", "/payments", raw=pack(BODY), headers=headers)
    assert (refused.status, refused.error["code"]) == (400, "IR_06")
    assert f"its Content-Encoding is {coding}; send it without" in refused.error["message"]
