"""A security code is kept nowhere, however its field is called; and usual bodies need no closer look for card data."""

from __future__ import annotations

import json
import random
from typing import Final

import pytest

from benchmarks.calls import passed
from mock_server import jsontext
from mock_server.domain.hiding import hidden, needs_look
from mock_server.http.redaction import cleaned_accepted
from tests.api.test_canaries import NAMES
from tests.counts import times
from tests.domain.test_hiding_values import CODE_NAMES
from tests.wire import card_payment, wire

CODE: Final = "846"
STATED: Final = (
    "cvc: {}", "CVC {}", "cvc{}", "CVC2 {}", "cvv2{}", "CVC is: {}", "cvc was {}", "my cvv number was {}",
    "CVC of my card: {}", "cvc:\n{}", "cvc:\r\n  {}", "{} (cvc)", "{} (security code)", "cvv%3D{}", "cvv%3A%20{}",
    "cvv%253A{}", "&#34;cvc&#34;: {}", '{{"cvv_2": "{}"}}', '{{\\"cvc\\":\\"{}\\"}}', "<cvc>{}</cvc>", "card code: {}",
    "sec code {}", "csc ({})", "cvc -> {}",
)  # fmt: skip
"""How people and programs state a code in a text."""
CODES: Final = ("846", "8460", "84 60", "8 4 6 0", "\uff18\uff14\uff16")


@pytest.mark.parametrize("code", [CODE, int(CODE)], ids=["text", "number"])
@pytest.mark.parametrize("field", dict.fromkeys((*CODE_NAMES, *NAMES, "my_card_cvc", "CARD_CVV")))
def test_a_code_in_metadata_is_not_kept(field: str, code: str | int) -> None:
    api = wire()
    assert api.post("/payments", {**card_payment(), "metadata": {field: code}}).status == 200
    (line,) = api.get("/_sandbox/journal")["data"]
    for side in ("request", "response"):
        assert line[side]["metadata"] == {field: "[hidden]"}


@pytest.mark.parametrize("stated", STATED)
def test_a_code_that_a_text_states_is_not_kept(stated: str) -> None:
    api = wire()
    is_close = "c{}" in stated or "2{}" in stated
    for code in CODES[:2] if is_close else CODES:
        text = stated.format(code)
        assert api.post("/payments", {**card_payment(), "description": text, "metadata": {"note": text}}).status == 200
        line = api.get("/_sandbox/journal?limit=1")["data"][0]
        for side in ("request", "response"):
            assert code not in str((line[side]["description"], line[side]["metadata"])), text


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")], ids=["close", "wide"])
def test_a_usual_body_is_cleaned_as_it_stands(separators: tuple[str, str]) -> None:
    raw = json.dumps(card_payment(), separators=separators).encode()
    kept = cleaned_accepted(raw)
    assert kept is not None
    assert json.loads(kept)["payment_method_data"]["card"]["card_cvc"] == "[hidden]"


USUAL: Final = {
    "phone": "+4917012345678",
    "phone in groups": "+1 (415) 555-2671-0099",
    "order": "202611270001234",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
    "timestamp": "1764244784000",
    "instant": "2026-11-27T12:34:56.789012+01:00",
    "account": "DE89 3704 0044 0532 0130 00",
    "parcel": "00340434161094042557",
    "accents": "Jürgen Müller, Straße 7",
    "quoted": 'the "large" one\nnumber 202611270001234',
}
"""What shops write into payments, with as many digits as a card number."""


@pytest.mark.parametrize("usual", USUAL.values(), ids=USUAL)
@pytest.mark.parametrize("slash", ["/", "\\/"], ids=["plain", "php"])
@pytest.mark.parametrize("answers", [True, False], ids=["answer", "request"])
def test_usual_values_take_no_closer_look(usual: str, answers: bool, slash: str) -> None:
    """A look at every value takes longer than all the rest of a call; counted in calls of functions."""
    plain, with_it = _work("short", answers, "/", refunds=0), _work(usual, answers, slash, refunds=2)
    assert with_it < plain + 110


def _work(text: str, answers: bool, slash: str, *, refunds: int) -> int:
    api = wire()
    body = {**card_payment(), "confirm": True, "description": text, "metadata": {"order": text}}
    body = {**body, "return_url": "https://shop.example.com/return"}
    raw = json.dumps(body).replace("/", slash).encode()
    for _ in range(2):  # what the first of each kind imports does not count
        made = api.call("POST", "/payments", raw=raw).json
        for _ in range(refunds):
            api.post("/refunds", {"payment_id": made["payment_id"], "amount": 1})
        api.get(f"/payments/{made['payment_id']}")
    if answers:  # with refunds, it is not the stored payment alone
        return passed(lambda: api.get(f"/payments/{made['payment_id']}")).total()
    return passed(lambda: api.call("POST", "/payments", raw=raw)).total()


GROUPED: Final = (
    "",
    "",
    " ",
    "-",
    ".",
    "/",
    "  ",
    "\t",
    "\u00a0",
    "%20",
    "+",
    "\n",
    "\\",
    ", ",
    "x",
    " - ",
    "\r\n",
    "|",
    "%0A",
)


def test_what_needs_no_closer_look_holds_no_number() -> None:
    """Bodies with digits in every spelling: what the quick search leaves, the search value by value leaves too."""
    dice, left = random.Random(27), 0
    for _ in range(times(4_000, soak=200_000)):
        raw = f'{{"metadata":{{"a":{_spelled(dice)},"b":[{_spelled(dice)}]}}}}'.encode()
        if not needs_look(raw):
            left += 1
            assert hidden(jsontext.parse(raw)) == jsontext.parse(raw), raw
    assert left > 100


def _spelled(dice: random.Random) -> str:
    digits = dice.choice(("4242424242424242", "5555555555554444", "378282246310005", str(dice.randrange(10**15))))
    if dice.random() < 0.3:  # as a number of JSON
        at = dice.randrange(1, len(digits))
        forms = (digits, f"-{digits}", f"{digits}.0", f"{digits}.5", f"{digits}e0", f"{digits[:at]}.{digits[at:]}")
        return dice.choice((*forms, f"{digits[:at]}.{digits[at:]}e{len(digits) - at}", f"{digits}0E-1"))
    between, size = dice.choice(GROUPED), dice.choice((4, 4, 3, 5))
    text = between.join(digits[at : at + size] for at in range(0, len(digits), size))
    if dice.random() < 0.2:
        text = text.translate({48 + digit: 0x660 + digit for digit in range(10)})  # Arabic digits
    quoted = json.dumps(f"{dice.choice(('', 'no. ', '9', 'a'))}{text}", ensure_ascii=dice.random() < 0.5)
    if dice.random() < 0.2:
        quoted = quoted.replace("4", "\\u0034", dice.randrange(3))
    return quoted.replace("/", "\\/") if dice.random() < 0.5 else quoted
