"""The settings that open the sandbox: one that no call can ever send stops the start, and its message shows none."""

from __future__ import annotations

import pytest

from mock_server.domain.api_keys import KEY_FORMS, REST_MAX, REST_MIN, SECRET_KEY, ApiKey, parse
from mock_server.settings import SettingsRefused, load

RESTS = ("", "x", "canary1", "canary_8", "c" * REST_MIN, "c" * REST_MAX, "c" * (REST_MAX + 1), "canary é_", "canary$$$")
TEXTS = (
    *(form.prefix + rest for form in KEY_FORMS for rest in RESTS),
    "canary",
    "SND_canary_long",
    "xsnd_canary_long",
    "sk_live_canary_long",
)


def read(text: str) -> tuple[str, ...]:
    """What a file of keys gives, or the mistakes."""
    try:
        return load({"keys": "keys.txt"}, {}, lambda path: text).settings.keys or ()
    except SettingsRefused as refused:
        return refused.mistakes


@pytest.mark.parametrize("text", TEXTS)
def test_a_key_is_taken_if_a_call_can_send_it(text: str) -> None:
    key = parse(text)
    found = read(f"snd_good_key\n{text}  # the second\n")
    if isinstance(key, ApiKey) and key.kind is SECRET_KEY:
        assert found == ("snd_good_key", text)
        return
    (mistake,) = found
    form = next((form.prefix for form in reversed(KEY_FORMS) if text.startswith(form.prefix)), "")
    assert mistake.startswith(
        f"--keys (flag): key 2 ({form}…) is not valid; allowed is a file with one secret key per "
    )
    assert "canary" not in mistake
    assert f"snd_ and {REST_MIN} to {REST_MAX} letters" in mistake


@pytest.mark.parametrize("text", ["", "\n", "# none yet\n", ",,"])
def test_no_key_at_all_is_a_mistake(text: str) -> None:
    assert read(text)[0].startswith("--keys (flag): no key is given; allowed is ")


def test_keys_in_the_value_are_checked_too() -> None:
    with pytest.raises(SettingsRefused, match=r"PAYMENT_SANDBOX_KEYS \(environment\): key 2 \(prd_…\) is not valid"):
        load({}, {"PAYMENT_SANDBOX_KEYS": "snd_good_key,prd_canary_long"}, lambda path: path)
    with pytest.raises(SettingsRefused, match=r"key 1 \(snd_…\)"):
        load({"keys": "snd_x"}, {}, lambda path: path)


@pytest.mark.parametrize("token", ["tok\r", "tok\n", "to\0k", "to\x1bk", " tok", "tok ", "to\x7fk"])
def test_a_token_that_no_header_holds_is_a_mistake(token: str) -> None:
    with pytest.raises(
        SettingsRefused, match=r"CONTROL_TOKEN \(environment\): this value is not valid; allowed is text"
    ):
        load({}, {"PAYMENT_SANDBOX_CONTROL_TOKEN": token}, lambda path: path)
    assert load({}, {"PAYMENT_SANDBOX_CONTROL_TOKEN": "to k-ü"}, lambda path: path).settings.control_token == "to k-ü"
