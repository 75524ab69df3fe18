"""API keys."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.api_keys import (
    ADMIN_FORM,
    KEY_FORMS,
    REST_MAX,
    REST_MIN,
    ApiKey,
    KeyForm,
    KeyKind,
    KeyProblem,
    flaw_of,
    parse,
)

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


@pytest.mark.parametrize("form", OPEN, ids=lambda form: form.prefix)
@pytest.mark.parametrize("length", [REST_MIN - 1, REST_MIN, REST_MAX, REST_MAX + 1])
def test_how_long_a_key_is(form: KeyForm, length: int) -> None:
    read = parse(form.prefix + "q" * length)
    fits = length in (REST_MIN, REST_MAX)
    assert (read == ApiKey(form.kind, "q" * length)) is fits
    assert (read is KeyProblem.MALFORMED) is not fits
    wrong = f"has {length} characters after {form.prefix}"
    assert flaw_of(form.prefix + "q" * length) == (
        f"has a character after {form.prefix} that no key has" if fits else wrong
    )


@pytest.mark.parametrize("text", ["", "q", " snd_qqqqqqqq", "SND_qqqqqqqq", "sk_test_qqqqqqqq"])
def test_what_begins_like_no_key_is_told_how_keys_begin(text: str) -> None:
    assert flaw_of(text) == "does not begin with snd_ or pk_snd_"


def test_a_key_of_every_kind_is_written_and_shown_with_its_form() -> None:
    for form in (*KEY_FORMS, ADMIN_FORM):
        key = ApiKey(form.kind, REST + "wxyz")
        assert (key.text, key.redacted) == (f"{form.prefix}{REST}wxyz", f"{form.prefix}…wxyz")


def test_twins_share_a_digest_that_no_other_key_has() -> None:
    digests = {ApiKey(KeyKind.SECRET, f"{REST}{number}").digest for number in range(100)}
    assert len(digests) == 100
    assert all(re.fullmatch("[0-9a-f]{20}", digest) for digest in digests)
    secret = ApiKey(KeyKind.SECRET, REST)
    assert secret.digest == secret.twin().digest == "d68f7d256e482af75fa1"


def test_only_keys_of_production_are_real_ones() -> None:
    assert {form.prefix for form in CLOSED} == {"prd_", "pk_prd_"}
    assert {form.prefix: form.twin for form in KEY_FORMS if form.twin is None} == {"epk_": None}
    assert not ADMIN_FORM.production
