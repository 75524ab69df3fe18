"""Signatures checked by an independent implementation, over the raw bytes and over what JavaScript re-serialises."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.webhooks.shops import mall

NODE = shutil.which("node")
PROGRAM = """
const { createHmac, timingSafeEqual } = require("crypto");
const lines = require("fs").readFileSync(0, "utf8").trim().split("\\n");
for (const line of lines) {
  const { body, secret, signature } = JSON.parse(line);
  const raw = Buffer.from(body, "base64");
  const again = Buffer.from(JSON.stringify(JSON.parse(raw.toString("utf8"))), "utf8");
  const holds = (bytes) => {
    const made = createHmac("sha512", secret).update(bytes).digest("hex");
    return made.length === signature.length && timingSafeEqual(Buffer.from(made), Buffer.from(signature));
  };
  console.log(JSON.stringify([holds(raw), holds(again)]));
}
"""

TEXTS = st.text(st.characters(blacklist_categories=["Cs"]), max_size=40)
FLOATS = st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([-0.0, 1e21, 5e-324]))
NUMBERS = st.one_of(st.integers(-(2**53) + 1, 2**53 - 1), FLOATS)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=8,
)
KEYS = st.one_of(
    st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=20),
    st.integers(0, 2**33).map(str),
)
METADATA = st.dictionaries(KEYS, VALUES.filter(lambda value: len(json.dumps(value)) < 300), max_size=6)


def test_node_is_there() -> None:
    """Where it is not, nothing checks the signatures from outside: said aloud."""
    if NODE is None:
        pytest.skip("node is not installed: signatures are not checked by a second implementation")


@pytest.mark.skipif(NODE is None, reason="node is not installed: signatures are not checked by a second implementation")
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(payloads=st.lists(st.tuples(METADATA, TEXTS), min_size=10, max_size=10))
def test_signatures_hold_raw_and_parsed_and_written_again(payloads: list[tuple[dict[str, Any], str]]) -> None:
    made = mall()
    for metadata, description in payloads:
        reply = made.api.pay(metadata=metadata, description=description)
        assert reply.status in {200, 400}, reply.json
        if reply.status == 200:
            told = {"type": "payment_failed", "object_id": reply["payment_id"], "overrides": {"metadata": metadata}}
            assert made.api.post("/_sandbox/webhooks/trigger", told).status == 200
    made.api.pay("visa_generic_decline", description="a\u2028b</script>\u0000\U0001f600")
    made.deliver()
    secret = made.api.get("/_sandbox/webhooks/target")["secret"]
    lines = [
        json.dumps({"body": base64.b64encode(got.body).decode(), "secret": secret, "signature": got.signature})
        for got in made.shop.got
    ]
    assert lines
    assert verified(lines) == [[True, True]] * len(lines)


@pytest.mark.skipif(NODE is None, reason="node is not installed: signatures are not checked by a second implementation")
def test_the_check_can_fail() -> None:
    body = base64.b64encode(b'{"a": 1}').decode()
    assert verified([json.dumps({"body": body, "secret": "key", "signature": "0" * 128})]) == [[False, False]]


def verified(lines: list[str]) -> list[Any]:
    """What Node says of each: whether the signature holds over the raw body, and over the one it wrote itself."""
    assert NODE is not None
    run = subprocess.run([NODE, "-e", PROGRAM], input="\n".join(lines), capture_output=True, text=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]
