"""Nothing that the server keeps, shows or logs holds a card number, its code or a key (decisions "Cards")."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from tests.logged import logged
from tests.wire import Wire, card_data, card_payment, wire

NUMBERS = ("4929000000006", "5431111111111111", "371144371144376", "4012888888881881")
CVC = "8642"
KEY = "snd_canary_71829364554637281900"
PRODUCTION = "prd_canary_99887766554433221100"


def needles() -> list[str]:
    """Every form in which a number could have stayed behind: whole, in parts over six digits, split, encoded."""
    found = [f'"{CVC}"', KEY, KEY.removeprefix("snd_"), PRODUCTION, PRODUCTION.removeprefix("prd_")]
    for number in NUMBERS:
        found += [number[start : start + 7] for start in range(len(number) - 6)]
        found += [" ".join(number[at : at + 4] for at in range(0, len(number), 4)), quote(number)]
        found += ["-".join(number[at : at + 4] for at in range(0, len(number), 4))]
        found += [base64.b64encode(number.encode()).decode().rstrip("=")]
    return found


def attempts(api: Wire) -> list[bytes]:
    """Calls that carry card data where it belongs, where it does not, and in bodies that are no JSON."""
    answers = []
    for number in NUMBERS:
        good = card_payment(number, confirm=True)
        good["payment_method_data"]["card"]["card_cvc"] = CVC[:3] if len(number) != 15 else CVC
        answers.append(api.post("/payments", good).raw)
        card = card_data(number, card_cvc=CVC)
        answers += [
            api.post(
                "/payments", {**card_payment(), "payment_method_data": {"card": {**card, "cardnumber": number}}}
            ).raw,
            api.post(
                "/payments", {**card_payment(), "payment_method_data": {"card": {**card, "card_exp_year": "1999"}}}
            ).raw,
            api.post("/payments", {**card_payment(), "card_number": number, "cvc": CVC}).raw,
            api.call("POST", "/payments", raw=json.dumps(good).encode()[:-9]).raw,
            api.call("POST", "/payments", raw=f'{{"card_number": {number}, "card_cvc":{CVC}}}'.encode()).raw,
            api.get(f"/payments/list?card_number={number}").raw,
            api.get(f"/payments/{number}").raw,
            api.as_key(PRODUCTION).post("/payments", good).raw,
        ]
    return answers


def crash(api: Wire, number: str) -> bytes:
    """A defect of the server whose message repeats the card's number."""

    def broken(text: str) -> str:
        raise ValueError(f"cannot draw {number} with {CVC}")

    api.sandbox.qr_image = broken
    by_code = {**card_payment(confirm=True), "payment_method": "wallet", "payment_method_type": "ali_pay"}
    reply = api.post("/payments", {**by_code, "payment_method_data": {"wallet": {"ali_pay": {}}}})
    assert (reply.status, reply.error["code"]) == (500, "HE_00")
    return reply.raw


def looked_at(api: Wire) -> list[bytes]:
    """What the control API and the pages show of it all."""
    pages = []
    for number in NUMBERS:
        waiting = api.pay(number, authentication_type="three_ds")
        assert waiting["status"] == "requires_action"
        page = waiting["next_action"]["redirect_to_url"].removeprefix("http://localhost")
        pages += [waiting.raw, api.as_key(None).get(page).raw]
    api.put("/_sandbox/snapshots/canary")
    payments = [row["payment_id"] for row in api.get("/payments/list?limit=100")["data"]]
    paths = ["journal", "webhooks", "workspaces", "snapshots/canary", "snapshots/canary?journal=1", "clock", "readyz"]
    paths += [f"payments/{payment}/{what}" for payment in payments for what in ("timeline", "why", "export")]
    return [*pages, *(api.get(f"/_sandbox/{path}").raw for path in paths)]


def stored(api: Wire) -> list[str]:
    """What the server keeps."""
    workspace = api.sandbox.workspaces()[0]
    space = workspace.space
    parts = [space.dump(), space.dump_log("journal", repr), workspace.identity]
    return [repr(part) for part in (*parts, api.sandbox.server.dump(), api.sandbox.settings)]


@pytest.fixture(scope="module")
def kept() -> str:
    """Everything that is left after such calls: answers, log, journal, snapshot, events, pages, a crash."""
    with logged() as log:
        api = wire().as_key(KEY)
        answers = [*attempts(api), crash(api, NUMBERS[0]), *looked_at(api)]
    assert "internal error" in log.getvalue()
    return "\n".join([*(answer.decode() for answer in answers), log.getvalue(), *stored(api)])


@pytest.mark.parametrize("needle", dict.fromkeys(needles()))
def test_nothing_is_left_of_it(kept: str, needle: str) -> None:
    at = kept.find(needle)
    assert at < 0, kept[max(0, at - 200) : at + 60]


def test_an_sdk_authorization_is_handed_out_and_not_kept() -> None:
    with logged() as log:
        api = wire(dialect=HYPERSWITCH).as_key(KEY)
        body = {"amount": 6540, "currency": "USD", "metadata": {"sdk_authorization": None}}
        made, again = (api.post("/payments", body, X_Idempotency_Key="once") for _ in range(2))
        told, path = made["sdk_authorization"], f"/payments/{made['payment_id']}"
        parts = base64.b64decode(told).decode().split(",")
        assert parts[:2] == [f"publishable_key=pk_{KEY}", f"client_secret={made['client_secret']}"]
        assert again.raw == made.raw
        assert api.as_key(None).call("GET", path, headers={"Authorization": told})["sdk_authorization"] is None
        kept = [
            api.post("/payments", {**body, "sdk_authorization": told}).raw,
            api.post(f"{path}/cancel", {"sdk_authorization": told}).raw,
            api.get(f"{path}?sdk_authorization={quote(told)}").raw,
            api.call("GET", path, headers={"X-Told": told}).raw,
            api.put("/_sandbox/snapshots/canary").raw,
        ]
        assert api.get(f"/payments/{quote(told)}").status == 404  # tells the caller what it asked for
        pages = ("journal", "snapshots/canary?journal=1", *(f"{path[1:]}/{what}" for what in ("why", "export")))
        kept += [api.get(f"/_sandbox/{page}").raw for page in pages]
    everything = "\n".join([*(part.decode() for part in kept), log.getvalue(), *stored(api)])
    assert made["payment_id"] in everything
    assert told not in everything
    assert quote(told) not in everything
