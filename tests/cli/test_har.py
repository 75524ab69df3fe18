"""`scenarios from-har`: what was recorded of a sandbox plays as a story, and holds no card, code or key."""

from __future__ import annotations

import json
import sys
import tracemalloc
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from click.testing import CliRunner, Result

from mock_server.cli import main
from mock_server.cli.har import entry_of
from mock_server.contract.operation import PARTS, Operation
from mock_server.contract.operations import OPERATIONS
from mock_server.domain.declines import DECLINES
from mock_server.domain.statuses import PaymentStatus
from tests.counts import times
from tests.running import RunningSandbox

KEY: Final = "snd_recorded_client"
CHARGED: Final = ("succeeded", "failed:lost_card", "requires_action:approved", "pending", "requires_merchant_action")
UNLISTED: Final = "4929000000006"
PAID: Final = {"amount": 4200, "currency": "EUR", "profile_id": "pro_shop", "confirm": True}


class Recorder:
    """A client that keeps what it sends and gets in the form of a HAR file."""

    def __init__(self, base: str, key: str = KEY) -> None:
        self.entries: list[Any] = []
        self._base, self._key = base, {"api-key": key}

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        answer = httpx.request(method, self._base + path, json=body, headers={**self._key, **headers}, timeout=None)
        self.add(method, str(answer.url), body, dict(answer.request.headers), answer.status_code, answer.text)
        return answer.json() if answer.content else None

    def add(self, method: str, url: str, body: Any, headers: dict[str, str], status: int, text: str) -> None:
        asked: dict[str, Any] = {
            "method": method,
            "url": url,
            "headers": [{"name": k, "value": v} for k, v in headers.items()],
        }
        asked |= {} if body is None else {"postData": {"mimeType": "application/json", "text": json.dumps(body)}}
        self.entries.append({"request": asked, "response": {"status": status, "content": {"text": text}}})

    def written(self, folder: Path) -> Path:
        file = folder / "checkout.har"
        file.write_text(json.dumps({"log": {"version": "1.2", "entries": self.entries}}), "utf-8")
        return file


def with_card(number: str, **more: Any) -> dict[str, Any]:
    card = {"card_number": number, "card_exp_month": "12", "card_exp_year": "2040", "card_cvc": "737"}
    return {**PAID, "payment_method": "card", "payment_method_data": {"card": card}, **more}


def read(file: Path, *more: str) -> Result:
    return CliRunner().invoke(main, ["scenarios", "from-har", str(file), *more])


def test_what_was_recorded_plays_as_it_was(sandbox: RunningSandbox, tmp_path: Path) -> None:
    client = Recorder(sandbox.base)
    paid = client.call("POST", "/payments", with_card("4242424242424242"), **{"X-Idempotency-Key": "order-1"})
    refund = client.call("POST", "/refunds", {"payment_id": paid["payment_id"], "amount": 100})
    client.call("GET", f"/refunds/{refund['refund_id']}")
    client.call("POST", "/payments", with_card("4000000000009995"))
    client.call("POST", "/payments", with_card(UNLISTED, description=f"card {UNLISTED}"))
    held = client.call("POST", "/payments", with_card("4242424242424242", capture_method="manual"))
    client.call("POST", f"/payments/{held['payment_id']}/capture", {"amount_to_capture": 4000})
    shopper = client.call("POST", "/payments", with_card("4000000000003220", authentication_type="three_ds"))
    done = {"result": "approved"}
    url = f"{sandbox.base}/_sandbox/payments/{shopper['payment_id']}/authenticate"
    httpx.post(url, json=done, headers={"api-key": KEY}, timeout=None)
    client.call("GET", f"/payments/{shopper['payment_id']}")
    client.call("POST", "/payments", {"amount": -1})
    client.add("POST", f"{sandbox.base}/payments", with_card("4242424242424242"), {}, 0, "")

    story = tmp_path / "checkout.yaml"
    done_ = read(client.written(tmp_path), "-o", str(story))
    assert done_.exit_code == 0, done_.output
    assert "left out: 5: POST /payments: its card is not a test card" in done_.stderr
    text = story.read_text("utf-8")
    assert not [secret for secret in (UNLISTED, "737", KEY, "order-1", paid["payment_id"]) if secret in text]
    played = CliRunner().invoke(main, ["scenarios", "play", str(story), "--timeout", "60s"])
    assert played.exit_code == 0, played.output
    assert "customer.approve" in text
    assert "decline: insufficient_funds" in text


def test_a_recording_of_the_public_api_plays_too(tmp_path: Path) -> None:
    with RunningSandbox("--dialect", "hyperswitch") as public:
        client = Recorder(public.base, "snd_recorded_public")
        body = {name: value for name, value in with_card("4000990000002000").items() if name != "profile_id"}
        made = client.call("POST", "/payments", body)
        assert made["status"] == "processing"
        url = f"{public.base}/_sandbox/payments/{made['payment_id']}/settle"
        httpx.post(url, json={"as": "succeeded"}, headers={"api-key": "snd_recorded_public"}, timeout=None)
        client.call("GET", f"/payments/{made['payment_id']}")
    story = tmp_path / "public.yaml"
    assert read(client.written(tmp_path), "-o", str(story)).exit_code == 0
    played = CliRunner().invoke(main, ["scenarios", "play", str(story), "--timeout", "60s"])
    assert played.exit_code == 0, played.output


def test_what_another_recorder_hid_is_named_and_merges_no_calls(tmp_path: Path) -> None:
    client = Recorder("https://api.example")
    for _ in range(2):
        hidden = with_card("[hidden]"), {"X-Idempotency-Key": "[redacted]"}
        client.add("POST", "https://api.example/payments", *hidden, 200, "{}")
    found = read(client.written(tmp_path))
    assert (found.exit_code, "key:" in found.stdout) == (0, False)
    card = "its card's number is hidden in the file; it was replaced by visa_success, which succeeds"
    key = "its idempotency key is redacted; give calls that repeat it one `key`"
    assert found.stderr.splitlines() == [
        f"left out: {n}: POST /payments: {said}" for n in (1, 2) for said in (card, key)
    ]


def test_what_cannot_be_taken_is_named(tmp_path: Path) -> None:
    client = Recorder("http://127.0.0.1:9")
    client.add("GET", "https://cdn.example/app.js", None, {}, 200, "")
    client.add("GET", "https://api.example/v1/payments/pay_from_elsewhere", None, {}, 200, "{}")
    client.add("POST", "https://api.example/v1/payments/list", {"limit": 1}, {}, 200, '{"data": []}')
    found = read(client.written(tmp_path))
    assert (found.exit_code, "do: payments.list" in found.stdout) == (0, True)
    assert found.stderr.splitlines() == [
        "left out: 1: GET /app.js is not a call of this API",
        "left out: 2: GET /v1/payments/pay_from_elsewhere uses pay_from_elsewhere, which no earlier call created",
    ]


def test_secrets_in_any_text_are_left_out(tmp_path: Path) -> None:
    secret, card = "pay_1_secret_ofARecording", "5425233430109903"
    body = {**PAID, "description": f"{KEY} {card}", "metadata": {"pk": f"pk_{KEY}", "note": f"was {secret}"}}
    answer = json.dumps({"error": {"code": "X", "message": f"{secret} of {KEY} with {card}"}})
    client = Recorder("http://127.0.0.1:9")
    client.add("POST", "https://api.example/payments", body, {"api-key": KEY}, 400, answer)
    found = read(client.written(tmp_path))
    assert found.exit_code == 0
    assert "pk_[hidden]" in found.stdout
    for text in (KEY, secret, card):
        assert text not in found.output


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not a HAR file: it is not JSON with a list of entries"),
        ("[]", "is not a HAR file: it is not JSON with a list of entries"),
        ('{"log": {"entries": [{}]}}', "is not a HAR file: its entry 1 is not a call"),
        ('{"log": {"entries": []}}', "contains no calls of this API"),
        ("[" * 100_000, "is not a HAR file"),
    ],
)
def test_what_is_no_recording_is_said(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "bad.har"
    file.write_text(text, "utf-8")
    found = read(file)
    assert (found.exit_code, said in found.stderr, found.stdout) == (2, True, "")


def test_a_file_that_is_there_stays(tmp_path: Path) -> None:
    client = Recorder("http://127.0.0.1:9")
    client.add("POST", "https://api.example/payments/list", {}, {}, 200, '{"data": []}')
    (tmp_path / "there.yaml").write_text("mine", "utf-8")
    found = read(client.written(tmp_path), "-o", str(tmp_path / "there.yaml"))
    assert (found.exit_code, (tmp_path / "there.yaml").read_text("utf-8")) == (2, "mine")
    assert read(tmp_path / "nowhere.har").exit_code == 2


def test_a_large_recording_is_not_held_as_text(tmp_path: Path) -> None:
    most = 1.6 if sys.version_info < (3, 14) else 1.7
    recorder = Recorder("https://shop.example")
    for _ in range(40):
        recorder.add("GET", "https://shop.example/", None, {}, 200, "x" * 200_000)
    file = recorder.written(tmp_path)
    read(file)
    tracemalloc.start()
    try:
        assert "contains no calls" in read(file).output
        assert tracemalloc.get_traced_memory()[1] < most * file.stat().st_size
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("key", [f"pk_{KEY}", "$PAYMENT_SANDBOX_API_KEY"], ids=["publishable", "redacted"])
def test_what_a_page_confirmed_plays(sandbox: RunningSandbox, tmp_path: Path, key: str) -> None:
    shop, page = Recorder(sandbox.base), Recorder(sandbox.base, f"pk_{KEY}")
    page.entries = shop.entries
    made = shop.call("POST", "/payments", {**PAID, "confirm": False})
    typed = {name: value for name, value in with_card("4242424242424242").items() if name not in PAID}
    confirm = f"/payments/{made['payment_id']}/confirm"
    assert page.call("POST", confirm, {**typed, "client_secret": made["client_secret"]})["status"] == "succeeded"
    for header in shop.entries[-1]["request"]["headers"]:
        header["value"] = key if header["name"] == "api-key" else header["value"]
    assert plays(shop, tmp_path)


def plays(recorder: Recorder, folder: Path) -> bool:
    story = folder / "story.yaml"
    assert read(recorder.written(folder), "-o", str(story)).exit_code == 0
    played = CliRunner().invoke(main, ["scenarios", "play", str(story), "--timeout", "60s"])
    assert played.exit_code == 0, played.output
    return True


@pytest.mark.parametrize("outcome", CHARGED)
def test_every_outcome_of_a_charge_plays(sandbox: RunningSandbox, tmp_path: Path, outcome: str) -> None:
    client = Recorder(sandbox.base)
    client.call("POST", "/payments", with_card("4242424242424242"), **{"X-Sandbox-Outcome": outcome})
    assert client.entries[-1]["response"]["status"] == 200
    assert plays(client, tmp_path)


@pytest.mark.parametrize("decline", [row.name for row in DECLINES[:: times(12, soak=1)]])
def test_a_failure_between_two_looks_plays(sandbox: RunningSandbox, tmp_path: Path, decline: str) -> None:
    client = Recorder(sandbox.base)
    body = with_card("4242424242424242")
    paid = client.call("POST", "/payments", body, **{"X-Sandbox-Outcome": "pending"})
    client.call("GET", f"/payments/{paid['payment_id']}")
    url = f"{sandbox.base}/_sandbox/payments/{paid['payment_id']}/fail"
    assert httpx.post(url, json={"decline": decline}, headers={"api-key": KEY}, timeout=None).status_code == 200
    seen = client.call("GET", f"/payments/{paid['payment_id']}")
    text = read(client.written(tmp_path)).stdout
    assert seen["status"] == "failed"
    assert "do: payment.fail" in text
    assert plays(client, tmp_path)


def bank(sandbox: RunningSandbox, paid: dict[str, Any], what: str, **body: str) -> None:
    url = f"{sandbox.base}/_sandbox/payments/{paid['payment_id']}/{what}"
    assert httpx.post(url, json=body, headers={"api-key": KEY}, timeout=None).status_code == 200


BETWEEN: Final[dict[str, tuple[dict[str, Any], str, str, dict[str, str]]]] = {
    "authorized late": ({"capture_method": "manual"}, "pending", "settle", {"as": "succeeded"}),
    **{end: ({}, "requires_action", "authenticate", {"result": end}) for end in ("approved", "declined", "cancelled")},
    "approved, and not there yet": (
        {"payment_method": "bank_transfer", "payment_method_type": "multibanco", "email": "a@shop.test",
         "payment_method_data": {"bank_transfer": {"multibanco": {}}}},
        "requires_action", "authenticate", {"result": "approved"},
    ),
    "approved for later": ({"capture_method": "manual"}, "requires_action", "authenticate", {"result": "approved"}),
}  # fmt: skip
"""What is asked for, and what happens between two looks at the payment."""


@pytest.mark.parametrize("name", [*BETWEEN][:: times(4, soak=1)])
def test_what_happened_between_two_looks_plays(sandbox: RunningSandbox, tmp_path: Path, name: str) -> None:
    asked, outcome, what, body = BETWEEN[name]
    client = Recorder(sandbox.base)
    order = with_card("4242424242424242", **asked)
    paid = client.call("POST", "/payments", order, **{"X-Sandbox-Outcome": outcome})
    client.call("GET", f"/payments/{paid['payment_id']}")
    bank(sandbox, paid, what, **body)
    seen = client.call("GET", f"/payments/{paid['payment_id']}")
    assert seen["status"] != paid["status"]
    assert plays(client, tmp_path)


@pytest.mark.parametrize("before", ["requires_action", "pending"])
def test_nothing_else_is_told_as_an_approval(sandbox: RunningSandbox, tmp_path: Path, before: str) -> None:
    """The shop's server can have cancelled it: a recording has only what one client sent."""
    client = Recorder(sandbox.base)
    paid = client.call("POST", "/payments", with_card("4242424242424242"), **{"X-Sandbox-Outcome": before})
    client.call("GET", f"/payments/{paid['payment_id']}")
    done = (
        ("customer.approve", "customer.decline") if before == "requires_action" else ("payment.settle", "payment.fail")
    )
    told = dict.fromkeys(("succeeded", "requires_capture", "pending"), done[0]) | {"failed": done[1]}
    content = client.entries[-1]["response"]["content"]
    for after in PaymentStatus:
        content["text"] = json.dumps({**json.loads(content["text"]), "status": after.value})
        text = read(client.written(tmp_path)).stdout
        expected = told.get(after.value) if after.value != before else None
        assert [one for one in done if f"do: {one}" in text] == ([expected] if expected else []), after


def test_the_command_that_repeats_it_has_no_client_secret(sandbox: RunningSandbox, tmp_path: Path) -> None:
    shop, page = Recorder(sandbox.base), Recorder(sandbox.base, f"pk_{KEY}")
    made = shop.call("POST", "/payments", {**PAID, "confirm": False})
    typed = {"payment_method": "card", "client_secret": made["client_secret"]}
    page.call("POST", f"/payments/{made['payment_id']}/confirm", with_card("4242424242424242") | typed)
    options = ["--key", KEY, "--url", sandbox.base]
    text = CliRunner().invoke(main, ["export", made["payment_id"], "--as", "curl", *options])
    assert text.exit_code == 0, text.output
    assert "/confirm" in text.output
    assert "client_secret" not in text.output


def taken_for(route: Operation) -> str | None:
    """The operation that a recorded call of this one is taken for."""
    url = f"https://api.example/below{PARTS.sub('x1', route.path)}"
    entry = entry_of({"request": {"method": route.method, "url": url, "headers": []}, "response": {"status": 200}})
    return entry and entry.row.name


def test_a_recorded_call_is_taken_for_its_own_operation() -> None:
    routes = [route for row in OPERATIONS if not row.multipart for route in row.routes]
    assert {
        f"{route.method} {route.path}": taken_for(route) for route in routes if taken_for(route) != route.name
    } == {}
