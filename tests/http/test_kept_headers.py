"""What the journal keeps of who called: headers without secrets, the key's marks, the connection, who left first."""

from __future__ import annotations

from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any

import pytest

from mock_server.http.redaction import LONGEST_HEADER, MOST_HEADERS, kept_headers
from mock_server.testing import Sandbox
from tests.running import until


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as found:
        yield found


def lines(sandbox: Sandbox) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = sandbox.control.get("/journal", {"limit": 1000})["data"]
    return found


def test_secrets_are_marks_and_the_rest_is_cleaned() -> None:
    kept = kept_headers(
        {
            "HTTP_API_KEY": "snd_shop_0123456789",
            "HTTP_COOKIE": "session=1",
            "HTTP_AUTHORIZATION": "Bearer 1",
            "HTTP_X_OUR_TOKEN": "t",
            "HTTP_USER_AGENT": "shop/1.0",
            "HTTP_X_NOTE": "card 4242424242424242 of snd_shop_0123456789",
            "CONTENT_TYPE": "application/json",
            "wsgi.url_scheme": "http",
        }
    )
    assert kept == {
        "api-key": "[redacted]",
        "cookie": "[redacted]",
        "authorization": "[redacted]",
        "x-our-token": "[redacted]",
        "user-agent": "shop/1.0",
        "x-note": kept["x-note"],
        "content-type": "application/json",
    }
    assert "4242424242424242" not in kept["x-note"]
    assert "0123456789" not in kept["x-note"]


def test_headers_are_bounded() -> None:
    kept = kept_headers({f"HTTP_X_{number}": "a" * 1_000 for number in range(100)})
    assert len(kept) == MOST_HEADERS
    assert set(kept.values()) == {"a" * LONGEST_HEADER + f"[cut, {1_000 - LONGEST_HEADER} bytes]"}


def test_one_key_has_one_digest_and_is_not_kept_whole(sandbox: Sandbox) -> None:
    sandbox.client.pay(idempotency_key="order-1234567890")
    sandbox.client.pay(idempotency_key="order-1234567890")
    sandbox.client.pay(idempotency_key="order-1234567891")
    sandbox.client.pay()
    first, again, other, none = (line["idempotency"] for line in lines(sandbox)[-4:])
    assert first == again
    assert first[0] != other[0]
    assert first[1] == other[1] == "order-12"
    assert none is None
    assert "1234567890" not in str(lines(sandbox)[-4:])


def test_a_connection_has_a_number(sandbox: Sandbox) -> None:
    sandbox.client.get("/health")
    sandbox.client.get("/health")
    client = HTTPConnection(sandbox.url.removeprefix("http://"))
    client.request("GET", "/health", headers={"api-key": sandbox.api_key})
    assert client.getresponse().status == 200
    client.close()
    kept, same, other = (line["connection"] for line in lines(sandbox)[-3:])
    assert kept == same < other


def test_a_client_that_goes_before_its_answer_is_noted(sandbox: Sandbox) -> None:
    rule = {"on": "customers.list", "then": {"delay": "30s"}, "times": 1}
    sandbox.scenario({"version": 1, "name": "slow", "summary": "slow", "rules": [rule]})
    host = sandbox.url.removeprefix("http://")
    client = HTTPConnection(host)
    client.request("GET", "/customers/list", headers={"api-key": sandbox.api_key})
    until(lambda: lines(sandbox)[-1]["operation"] == "customers.list")
    assert lines(sandbox)[-1]["left_first"] is False
    assert lines(sandbox)[-1]["delay_ms"] == 30_000
    client.close()
    until(lambda: lines(sandbox)[-1]["left_first"])
    assert lines(sandbox)[-1]["took_place"] is True


def test_a_fault_of_ours_is_not_the_client_leaving(sandbox: Sandbox) -> None:
    rule = {"on": "payments.create", "then": {"fault": "connection_reset", "effect": "none"}, "times": 1}
    sandbox.scenario({"version": 1, "name": "lost", "summary": "lost", "rules": [rule]})
    with pytest.raises(ConnectionError):
        sandbox.client.pay()
    line = lines(sandbox)[-1]
    assert (line["fault"], line["took_place"], line["left_first"]) == ("connection_reset", False, False)
    sandbox.client.pay()
    assert lines(sandbox)[-1]["took_place"] is True


def test_what_an_answer_says_of_waiting_is_kept(sandbox: Sandbox) -> None:
    with Sandbox(config={"rate_limit": 1}) as narrow:
        narrow.client.get("/health")
        narrow.client.get("/health")
        assert int(lines(narrow)[-1]["retry_after"]) > 0
