"""Each case of the probe finds the receiver that is broken in just its way, and nothing in a correct one."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from click.testing import CliRunner

from mock_server.cli import main
from mock_server.openapi.examples import recorded
from mock_server.testing import Sandbox
from mock_server.verdict.probing import CASES, Probed
from mock_server.verdict.rules import State
from tests.cli.leaves import PROXIES
from tests.examples.test_shop import SHOP
from tests.verdict import receivers
from tests.verdict.probes import PATIENT_S, asked, of, results_of, served
from tests.verdict.receivers import Correct

BROKEN = {case.id: getattr(receivers, case.id.title().replace("-", "")) for case in CASES}


def probed(sandbox: Sandbox, app: Correct) -> list[Probed]:
    return sandbox.probe(app, state=app.state, timeout=PATIENT_S)


def test_a_correct_receiver_passes_all(sandbox: Sandbox) -> None:
    results = probed(sandbox, Correct(sandbox.webhook_secret))
    assert of(State.FOUND, results) == []
    assert of(State.NOT_JUDGED, results) == ["slow-sending"]


@pytest.mark.parametrize("case", [case for case in BROKEN if case != "slow-sending"])
def test_a_broken_receiver_is_found_by_exactly_its_case(sandbox: Sandbox, case: str) -> None:
    results = probed(sandbox, BROKEN[case](sandbox.webhook_secret))
    assert of(State.FOUND, results) == [case], [one for one in results if one.state is State.FOUND]


def test_without_a_state_once_is_not_judged(sandbox: Sandbox) -> None:
    results = sandbox.probe(Correct(sandbox.webhook_secret), timeout=PATIENT_S)
    assert set(of(State.NOT_JUDGED, results)) == {
        *("twice", "at-the-same-moment", "again-later", "out-of-order", "stale-object", "slow-sending")
    }


def test_the_command_lists_every_case(sandbox: Sandbox) -> None:
    with served(Correct("whsec_1")) as url:
        told = asked(url, "--json", *(f"--only={case.id}" for case in CASES if case.id != "flood"))
    results = results_of(told)
    assert told.exit_code == 0, told.output
    assert set(results.values()) == {"passed"}
    assert list(results) == [case.id for case in CASES if case.id != "flood"]


def test_no_proxy_stands_before_the_receiver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither before what it is sent nor before what it tells of itself."""
    for name, proxy in PROXIES.items():
        monkeypatch.setenv(name, proxy)
    with served(Correct("whsec_1")) as url:
        told = asked(url, "--json", "--only", "twice")
    assert results_of(told)["twice"] == "passed", told.output


def test_slow_sending_finds_its_receiver() -> None:
    with served(receivers.SlowSending("whsec_1")) as url:
        told = asked(url, "--json", "--only", "slow-*", "--only", "valid")
    assert told.exit_code == 1
    assert results_of(told) == {"valid": "passed", "slow-sending": "failed"}


def test_what_a_case_hangs_on_is_run_too() -> None:
    with served(receivers.Twice("whsec_1")) as url:
        told = asked(url, "--json", "--only", "again-later")
    assert told.exit_code == 1
    assert results_of(told) == {"twice": "failed", "again-later": "not checked"}
    assert "twice failed already" in told.stdout


def test_a_key_brings_event_and_secret(sandbox: Sandbox) -> None:
    sandbox.client.pay()
    app = Correct(sandbox.webhook_secret)
    with served(app) as url:
        told = CliRunner().invoke(
            main, ["probe", url, "--url", sandbox.url, "--key", sandbox.api_key, "--only", "valid"]
        )
    assert told.exit_code == 0, told.output
    assert app.parcels == 1


@pytest.mark.parametrize(
    "options",
    [
        ("http://127.0.0.1:9/",),
        ("ftp://nowhere", "--secret", "a"),
        ("http://127.0.0.1:9/", "--secret", "a", "--only", "nonsense"),
        ("http://127.0.0.1:9/", "--secret", "a", "--event", "/nowhere"),
    ],
)
def test_it_says_how_it_is_called(options: tuple[str, ...]) -> None:
    assert CliRunner().invoke(main, ["probe", *options]).exit_code == 2


@pytest.mark.parametrize("status", [301, 400, 401, 404, 405, 500, 503])
def test_a_state_that_cannot_be_read_says_how_it_was_answered(status: int) -> None:
    class Stateless(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Stateless) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/state"
        told = asked(url, "--only", "twice")
        server.shutdown()
    assert (told.exit_code, told.stdout) == (1, "")
    assert told.stderr == f"payment-sandbox: cannot read the receiver's state from {url}: the answer is {status}\n"


def test_nobody_there_fails_the_first_case_alone() -> None:
    told = CliRunner().invoke(main, ["probe", "http://127.0.0.1:9/", "--secret", "a", "--json"])
    results = results_of(told)
    assert told.exit_code == 1
    assert [name for name, result in results.items() if result == "failed"] == ["valid"]


def test_the_sample_is_what_the_sandbox_sends(sandbox: Sandbox) -> None:
    sandbox.client.pay()
    real = json.loads(sandbox.webhooks.all("payment_succeeded")[-1].payload)
    sample = recorded()["webhooks"]["payment_succeeded"]
    assert sample.keys() == real.keys()
    assert sample["content"].keys() == real["content"].keys()
    assert sample["content"]["object"].keys() == real["content"]["object"].keys()


def test_the_tutorials_shop_passes(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SHOP))
    from shop import create_app
    from shop.processor import Processor

    app = create_app(Processor(sandbox.url, sandbox.api_key), sandbox.webhook_secret)
    shop, card = app.test_client(), sandbox.cards["success"].as_data()
    order = shop.post("/orders", json={"items": {"mug": 1}}).get_json()["order_id"]
    sandbox.next("charge", settles={"after": "30s", "as": "succeeded"})
    shop.post(f"/orders/{order}/pay", json={"card": card})
    sandbox.clock.advance(minutes=1)  # the shop hears of it in the first case

    def state() -> object:
        return {"shown": shop.get(f"/orders/{order}").get_json(), "parcels": list(app.extensions["till"].parcels)}

    results = sandbox.probe(app, state=state, timeout=PATIENT_S)
    assert of(State.FOUND, results) == [], [one for one in results if one.state is State.FOUND]
    assert of(State.NOT_JUDGED, results) == ["at-the-same-moment", "slow-sending"]  # it sends one parcel an order


def test_an_asgi_app_is_probed_the_same(sandbox: Sandbox) -> None:
    inner = Correct(sandbox.webhook_secret)

    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        headers = {name.decode().lower(): value.decode() for name, value in scope["headers"]}
        status = inner.answer(body, headers.get("x-webhook-signature-512"), headers.get("content-type", ""))
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    results = sandbox.probe(app, state=inner.state, timeout=PATIENT_S)
    assert of(State.FOUND, results) == []
    assert of(State.NOT_JUDGED, results) == ["slow-sending"]
