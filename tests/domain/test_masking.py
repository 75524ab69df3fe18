"""What may be shown and kept of texts: keys, card numbers, tokens and passwords."""

from __future__ import annotations

import base64
import json

import pytest

from mock_server.dashboard.folding import differences
from mock_server.domain import masking
from mock_server.domain.api_keys import KEY_FORMS, KeyForm, without_keys, without_live_keys
from mock_server.domain.cards import CARDS
from mock_server.domain.hiding import HIDDEN

REST = "Ab3-_678"
REAL = "4539578763621486"
each_form = pytest.mark.parametrize("form", KEY_FORMS, ids=lambda form: form.prefix)
AROUND = [("", ""), ("key=", "&a=1"), ('{"k":"', '"}'), ("a ", "."), ("é", "é")]


@each_form
@pytest.mark.parametrize(("before", "after"), AROUND)
def test_of_a_key_in_a_text_its_form_is_left(form: KeyForm, before: str, after: str) -> None:
    text = f"{before}{form.prefix}{REST}{after}"
    first = form.prefix.partition("_")[0]
    assert without_keys(text) == f"{before}{first}_{HIDDEN}{after}"
    assert without_live_keys(text) == (without_keys(text) if form.production else text)


@each_form
def test_what_is_part_of_a_word_or_too_short_is_no_key(form: KeyForm) -> None:
    own = form.prefix.rpartition("_")[0].rpartition("_")[2]  # a twin's key ends in a key
    for text in (f"x{own}_{REST}", f"9{own}_{REST}", f"{form.prefix}abc", form.prefix.upper() + REST):
        assert without_keys(text) == without_live_keys(text) == text
    assert without_keys(f"{form.prefix}abcd").endswith(HIDDEN)


def test_the_key_in_an_sdk_authorization_is_hidden_whole() -> None:
    text = base64.b64encode(f"publishable_key=pk_snd_{REST},client_secret=x".encode()).decode()
    assert without_keys(f"a {text} b") == f"a {HIDDEN} b"


@pytest.mark.parametrize("number", [CARDS[0].number, CARDS[-1].number])
def test_people_see_the_numbers_of_test_cards_and_no_others(number: str) -> None:
    assert masking.shown(f"{number}, {REAL}") == f"{number}, {HIDDEN}"
    assert masking.shown(f"prd_{REST} snd_{REST}") == f"prd_{HIDDEN} snd_{REST}"


def test_in_json_texts_are_cleaned_and_numbers_stay() -> None:
    value = {"amount": int(REAL), "note": f'say "{REAL}"', REAL: [f"prd_{REST}", "\\"]}
    shown = {"amount": int(REAL), "note": f'say "{HIDDEN}"', HIDDEN: [f"prd_{HIDDEN}", "\\"]}
    assert json.loads(masking.shown_json(json.dumps(value).encode())) == shown


@pytest.mark.parametrize("before", ["", "pk_", "_", "a"])
@pytest.mark.parametrize("rest", ["letters", "_", "", "four", 'or "more"', "Ab_3"])
@pytest.mark.parametrize("place", ["{%s: 1}", '{"status": %s}', '["USD", "a_b", %s, ""]'])
def test_a_text_of_json_is_shown_as_it_would_be_alone(place: str, rest: str, before: str) -> None:
    text = json.dumps(f"{before}prd_{rest}")
    assert masking.shown_json((place % text).encode()).decode() == place % masking.shown(text)


@pytest.mark.parametrize("name", ["payment_token", "password", "PASSWORD", "password_2"])
@pytest.mark.parametrize(
    ("between", "value", "after"),
    [
        *(('": "', 'tok_1"', ", next"), ("=", "tok_1", "&a=b"), (": ", "tok_1", " more"), ("=", "'tok_1'", ">")),
        *((": ", '"a \\" b"', ", c"), ("=", '"never closed', "")),
    ],
)
def test_tokens_and_passwords_are_hidden_by_their_names(name: str, between: str, value: str, after: str) -> None:
    text = f"{name}{between}{value}{after}"
    assert "tok_1" not in masking.without_secrets(text)
    assert masking.without_secrets(text).startswith(name)
    assert HIDDEN in masking.without_secrets(text)
    assert masking.without_secrets(text).endswith(after)
    assert masking.without_secrets(f"pass word{between}{value}{after}") == f"pass word{between}{value}{after}"


def test_a_masked_text_has_no_digit_key_or_secret() -> None:
    text = f"card 4242 of snd_{REST}; payment_token=tok_1 at 10:30"
    assert masking.masked(text) == f'card #### of snd_{HIDDEN}; payment_token="{HIDDEN}" at ##:##'
    assert masking.masked("to https://ann:pw@shop.test/p1?key=x now") == f"to https://***@shop.test/p#?{HIDDEN} now"


def test_a_value_has_nothing_under_the_names_of_numbers_and_codes() -> None:
    shown = {"card_number": HIDDEN, "rows": [{"pan": HIDDEN, "cvc": HIDDEN}], "note": "12 34", "amount": 1234}
    sent = {**shown, "card_number": "12 34", "rows": [{"pan": 55, "cvc": "1"}]}
    assert masking.shown_value(sent) == shown


@pytest.mark.parametrize(
    "name",
    [
        *("api-key", "Authorization", "Cookie", "Set-Cookie", "X-Page-Token", "client_secret", "X-Passwd"),
        *("webhook-signature", "session-id", "X-Credential"),
    ],
)
def test_the_values_of_secret_headers_are_not_shown(name: str) -> None:
    assert masking.masked_headers([(name, "abc"), ("Accept", "abc")]) == [(name, masking.MARK), ("Accept", "abc")]


def test_other_headers_are_shown_without_cards_and_keys() -> None:
    pairs = [("X-Note", f"{REAL} snd_{REST} cvc: 123"), (f"X-{REAL}", "1")]
    assert masking.masked_headers(iter(pairs)) == [
        ("X-Note", f"{HIDDEN} snd_{HIDDEN} cvc: {HIDDEN}"),
        (f"X-{HIDDEN}", "1"),
    ]


def test_of_a_json_value_no_code_is_shown() -> None:
    value = {"cvc": "9136", "in": [{"cardCode": [9136], REAL: f"cvv: 9136 {CARDS[0].number}"}], "cvc_check": "pass"}
    shown = {
        "cvc": HIDDEN,
        "in": [{"cardCode": HIDDEN, HIDDEN: f"cvv: {HIDDEN} {CARDS[0].number}"}],
        "cvc_check": "pass",
    }
    assert masking.shown_value(value) == shown
    assert masking.shown_value([1, None, True, 9136, "123 cvc", "cvc: 123"]) == [
        1,
        None,
        True,
        9136,
        "123 cvc",
        "cvc: 123",
    ]


@pytest.mark.parametrize("before", range(81))
def test_no_half_of_a_number_stays_in_a_cut_difference(before: int) -> None:
    (row,) = differences({"a": "x"}, {"a": f"{'x' * before} {REAL} cvc: 9136"}).rows
    assert REAL[:6] not in str(row.new)
    assert "91" not in str(row.new)
