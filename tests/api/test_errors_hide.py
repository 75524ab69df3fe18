"""What an error repeats of a call: neither a card number nor a live key, wherever in the path or the body it stood."""

from __future__ import annotations

import re
from typing import Final

import pytest

from mock_server.contract.control_operations import EVERY
from mock_server.contract.operation import Operation
from mock_server.contract.operations import BY_NAME
from tests.wire import Wire, wire

SECRETS: Final = ("4242424242424242", "prd_livelivelivelive1234")
ROWS: Final = (*BY_NAME.values(), *EVERY.values())


@pytest.fixture(scope="module")
def api() -> Wire:
    return wire()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_no_error_repeats_a_secret(api: Wire, row: Operation) -> None:
    for one in row.routes:
        for secret in SECRETS:
            path = re.sub(r"<[^>]*>", secret, one.path)
            fields = ("payment_id", "customer_id", "refund_id", "profile_id", "name", "by", "to", "scenario", secret)
            for body in (None, dict.fromkeys(fields, secret), {"payment_id": [secret]}, secret):
                reply = api.call(one.method, path, body if one.method != "GET" else None)
                assert reply.status < 400 or secret.encode() not in reply.raw, (one.method, path, body, reply.raw)
