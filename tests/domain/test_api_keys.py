"""API keys."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.api_keys import KEY_FORMS, ApiKey, KeyForm, KeyKind, KeyProblem, parse

REST = "q" * 8
OPEN = [form for form in KEY_FORMS if not form.production]
CLOSED = [form for form in KEY_FORMS if form.production]
RESTS = st.text("abcXYZ019_-", min_size=8, max_size=128)


@pytest.mark.parametrize("form", OPEN, ids=lambda form: form.prefix)
@given(rest=RESTS)
def test_a_key_is_read_and_written_the_same(form: KeyForm, rest: str) -> None:
    key = parse(form.prefix + rest)
    assert key == ApiKey(form.kind, rest)
    assert isinstance(key, ApiKey)
    assert key.text == form.prefix + rest


@pytest.mark.parametrize("form", CLOSED, ids=lambda form: form.prefix)
@pytest.mark.parametrize("rest", ["", "x", REST, "ß" * 9])
def test_a_production_key_is_told_from_a_wrong_one(form: KeyForm, rest: str) -> None:
    assert parse(form.prefix + rest) is KeyProblem.PRODUCTION


@pytest.mark.parametrize("text", [None, ""])
def test_no_key(text: str | None) -> None:
    assert parse(text) is KeyProblem.MISSING


@pytest.mark.parametrize(
    "text",
    [
        "snd_",
        "snd_" + "q" * 7,
        "snd_" + "q" * 129,
        "snd_" + REST + " ",
        "snd_" + REST + "\n",
        " snd_" + REST,
        "SND_" + REST,
        "snd-" + REST,
        "snd_" + "é" * 9,
        "pk_" + REST,
        "sk_test_" + REST,
        "Bearer snd_" + REST,
    ],
)
def test_what_only_looks_like_a_key(text: str) -> None:
    assert parse(text) is KeyProblem.MALFORMED


def test_a_secret_key_and_its_publishable_twin_know_each_other() -> None:
    secret = ApiKey(KeyKind.SECRET, REST)
    assert secret.twin() == ApiKey(KeyKind.PUBLISHABLE, REST)
    assert secret.twin().text == f"pk_snd_{REST}"
    assert secret.twin().twin() == secret


def test_an_ephemeral_key_has_no_twin() -> None:
    with pytest.raises(ValueError, match="no twin"):
        ApiKey(KeyKind.EPHEMERAL, REST).twin()


def test_twins_are_mutual() -> None:
    for form in KEY_FORMS:
        if form.twin is not None:
            (other,) = (row for row in KEY_FORMS if row.kind is form.twin)
            assert other.twin is form.kind


@given(RESTS)
def test_of_a_key_no_more_than_four_characters_are_shown(rest: str) -> None:
    key = ApiKey(KeyKind.SECRET, rest)
    assert key.redacted == f"snd_…{rest[-4:]}"
    assert rest not in repr(key)
