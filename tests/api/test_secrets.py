"""Nothing that the server keeps, shows or logs holds a card number, its code or a key (decisions "Cards")."""

from __future__ import annotations

import base64
import json
import logging
from urllib.parse import quote

import pytest

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


@pytest.fixture
def kept(caplog: pytest.LogCaptureFixture) -> str:
    """Everything that is left after such calls: answers, log, journal, snapshot, events."""
    caplog.set_level(logging.DEBUG)
    api = wire().as_key(KEY)
    answers = attempts(api)
    world = api.sandbox.worlds()[0]
    parts = [answer.decode() for answer in answers]
    parts += [caplog.text, repr(world.space.dump()), repr(world.space.dump_log("journal")), repr(world.identity)]
    parts += [repr(api.sandbox.server.dump()), repr(api.sandbox.settings)]
    return "\n".join(parts)


@pytest.mark.parametrize("needle", needles())
def test_nothing_is_left_of_it(kept: str, needle: str) -> None:
    at = kept.find(needle)
    assert at < 0, kept[max(0, at - 200) : at + 60]
