"""Whoever has a URL and whoever has a key: every way to sign an event takes the same secret, that of the endpoint.

The notice of a report has an address of its own, so the nearest secret signs it, whoever has a URL.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from click.testing import CliRunner

from mock_server.cli import main
from mock_server.domain.events import SIGNATURE_HEADER, signature
from mock_server.testing import Sandbox
from tests.verdict.probes import served
from tests.verdict.receivers import Correct

PROFILE = "pro_first_steps"
URL = "http://somewhere.localhost/hook"
WHO = [frozenset(who) for who in ((), ("profile",), ("workspace",), ("profile", "workspace"))]


class Recording:
    """A receiver that keeps which of the secrets signed what came."""

    def __init__(self) -> None:
        self.got: list[tuple[bytes, str]] = []

    def __call__(self, environ: dict[str, Any], start_response: Any) -> list[bytes]:
        body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
        self.got.append((body, environ["HTTP_X_WEBHOOK_SIGNATURE_512"]))
        start_response("200 OK", [])
        return [b""]


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(config={"webhook_secret": "server"}) as found:
        yield found


@pytest.mark.parametrize(("urls", "keys"), list(product(WHO, WHO)), ids=lambda who: "+".join(sorted(who)) or "nobody")
def test_all_sign_with_the_secret_of_the_endpoint(sandbox: Sandbox, urls: frozenset[str], keys: frozenset[str]) -> None:
    app, merchant = Recording(), sandbox.client.pay(profile_id=PROFILE)["merchant_id"]
    url = sandbox.webhooks.connect(app, url=URL)
    sandbox.webhooks.send_to(url if "workspace" in urls else None, secret="workspace" if "workspace" in keys else None)
    changed: dict[str, Any] = {"webhook_details": {"webhook_url": url if "profile" in urls else None}}
    changed |= {"payment_response_hash_key": "profile"} if "profile" in keys else {}
    sandbox.client.post(f"/account/{merchant}/business_profile/{PROFILE}", changed)
    whose = "profile" if "profile" in urls else "workspace"
    secret = whose if whose in keys else "server"

    told = sandbox.webhooks.all("payment_succeeded")[-1]
    sandbox.client.pay(profile_id=PROFILE)
    shown = sandbox.control.get("/webhooks?limit=1")["data"][-1]
    assert dict(shown["headers"])[SIGNATURE_HEADER] == signature(secret, shown["payload"].encode()), "listen"
    made = sandbox.control.post("/webhooks/sign", {"body": "x", "profile_id": PROFILE})
    assert (made["secret"], dict(made["headers"])[SIGNATURE_HEADER]) == (secret, signature(secret, b"x")), "sign"
    if urls:
        sandbox.webhooks.resend(told)
        sandbox.clock.advance(minutes=1)
    assert [sent == signature(secret, body) for body, sent in app.got] == [True] * len(app.got), "delivery, resend"
    assert len(app.got) >= 2 * bool(urls)
    told_at = sandbox.webhooks.connect(reports := Recording(), url=f"{URL}/reports")
    sandbox.webhooks.send_to(url if "workspace" in urls else None, secret="workspace" if "workspace" in keys else None)
    ask = {"timeRange": {"startTime": "2025-01-01T00:00:00Z"}, "emails": ["a@shop.test"], "returnUrl": told_at}
    sandbox.client.post("/analytics/v1/profile/report/payments", ask, headers={"X-Profile-Id": PROFILE})
    sandbox.clock.advance(minutes=1)
    own = next((who for who in ("profile", "workspace") if who in keys), "server")
    assert [sent == signature(own, body) for body, sent in reports.got] == [True], "report, which has its own address"
    receiver = Correct(secret)
    with served(receiver) as at:
        words = ("probe", at, "--url", sandbox.url, "--key", sandbox.api_key, "--only", "valid")
        told_of = CliRunner().invoke(main, words)
    assert told_of.exit_code == 0, told_of.output
    assert all(one.state == "passed" for one in sandbox.probe(Correct(secret), only=["valid"]))


def test_the_probe_says_that_its_event_is_invented(sandbox: Sandbox) -> None:
    with served(Correct("server")) as at:
        words = ("probe", at, "--url", sandbox.url, "--key", sandbox.api_key, "--only", "valid", "--json")
        told = CliRunner().invoke(main, words)
    assert told.exit_code == 0, told.output
    assert "an invented sample is sent" in told.stderr
    assert [one["result"] for one in json.loads(told.stdout)] == ["passed"]


@pytest.mark.parametrize("seconds", ["nan", "-nan", "inf", "0", "25h"])
def test_a_timeout_is_a_number_of_seconds(seconds: str) -> None:
    told = CliRunner().invoke(main, ["probe", "http://127.0.0.1:9/", "--secret", "x", f"--timeout={seconds}"])
    assert told.exit_code == 2, told.output
