"""API keys: which kinds there are, how one is read and shown, and those that a merchant or a customer is issued."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property, lru_cache
from hashlib import blake2b
from types import MappingProxyType
from typing import Any, ClassVar, Final, NamedTuple

from mock_server.domain.hiding import HIDDEN
from mock_server.domain.instants import Instant
from mock_server.domain.nouns import noun
from mock_server.domain.records import Discreet, Record

REST_MIN: Final = 8
REST_MAX: Final = 128
_SHOWN: Final = 4
_LATELY_USED: Final = 256
"""How many of the keys that were used last need not be read again."""


class KeyKind(StrEnum):
    """What a key may do."""

    SECRET = "secret"
    PUBLISHABLE = "publishable"
    EPHEMERAL = "ephemeral"
    ADMIN = "admin"
    PRODUCTION_SECRET = "production_secret"
    PRODUCTION_PUBLISHABLE = "production_publishable"


class KeyProblem(StrEnum):
    """Why a text is not a key of this sandbox; each is a 401."""

    MISSING = "missing"
    MALFORMED = "malformed"
    PRODUCTION = "production"


class KeyForm(NamedTuple):
    """One row: the kind, its prefix, its twin's kind, and whether it is a real one, which is refused."""

    kind: KeyKind
    prefix: str
    twin: KeyKind | None
    production: bool
    use: str
    source: str


SECRET_KEY, PUBLISHABLE_KEY = KeyKind.SECRET, KeyKind.PUBLISHABLE
EPHEMERAL_KEY, ADMIN_KEY = KeyKind.EPHEMERAL, KeyKind.ADMIN
"""Names for every call: Python 3.11 finds a member of an enumeration by a function, which takes fifty times as long."""
_S, _P, _E = SECRET_KEY, PUBLISHABLE_KEY, EPHEMERAL_KEY
_PS, _PP = KeyKind.PRODUCTION_SECRET, KeyKind.PRODUCTION_PUBLISHABLE

KEY_FORMS: Final = (
    KeyForm(_S, "snd_", _P, False, "every call, from a server", "interface §5"),
    KeyForm(_P, "pk_snd_", _S, False, "calls with a client_secret, from a browser", "interface §5"),
    KeyForm(_E, "epk_", None, False, "one customer's record and methods, for an hour", "facts §1.0"),
    KeyForm(_PS, "prd_", _PP, True, "refused here: real money", "interface §5"),
    KeyForm(_PP, "pk_prd_", _PS, True, "refused here: real money", "interface §5"),
)

_DECIDED: Final = 'decisions "Refunds, disputes, customers, …"'
ADMIN_FORM: Final = KeyForm(ADMIN_KEY, "", None, False, "set-up routes only; any text", _DECIDED)
"""Has no prefix of its own, so it is not among the forms that are read."""

_BY_KIND: Final = {form.kind: form for form in (*KEY_FORMS, ADMIN_FORM)}
_BY_PREFIX: Final = {form.prefix: form for form in KEY_FORMS}
_PREFIX: Final = re.compile("|".join(form.prefix for form in KEY_FORMS))
_REST: Final = re.compile(rf"[A-Za-z0-9_-]{{{REST_MIN},{REST_MAX}}}", re.ASCII)
_AUTHORIZATION: Final = "cHVibGlzaGFibGVfa2V5P"
"""How every `sdk_authorization` begins: `publishable_key=` in base64."""
KEY_MARKS: Final = (
    *(prefix for prefix in _BY_PREFIX if not any(other in prefix for other in _BY_PREFIX if other != prefix)),
    _AUTHORIZATION,
)
"""Every key contains one of these: a publishable key's prefix ends in that of its twin."""
KEY_IN_TEXT: Final = re.compile(
    rf"(?<![A-Za-z0-9])(?:{_PREFIX.pattern})[A-Za-z0-9_-]{{4,}}|{_AUTHORIZATION}[A-Za-z0-9+/=%]+"
)

_FORMS_OF_LIVE: Final = "|".join(form.prefix for form in KEY_FORMS if form.production)
_LIVE: Final = re.compile(rf"(?<![A-Za-z0-9])(?:{_FORMS_OF_LIVE})[A-Za-z0-9_-]{{4,}}")


class ApiKey(Discreet, frozen=True, dict=True):
    """A well-formed sandbox key; `rest` is what follows the prefix, and not in its repr."""

    HIDDEN: ClassVar = frozenset({"rest"})

    kind: KeyKind
    rest: str

    @property
    def text(self) -> str:
        """The key as it is sent in the header `api-key`."""
        return _BY_KIND[self.kind].prefix + self.rest

    @cached_property
    def redacted(self) -> str:
        """What may be shown of it: `snd_…` and the last four characters."""
        return f"{_BY_KIND[self.kind].prefix}…{self.rest[-_SHOWN:]}"

    @cached_property
    def digest(self) -> str:
        """Identifies the key without revealing it; a secret key and its publishable twin share it."""
        return blake2b(self.rest.encode(), digest_size=10, person=b"sandbox world").hexdigest()

    def twin(self) -> ApiKey:
        """The publishable key of a secret one, or the reverse; ValueError for a key without twin."""
        other = _BY_KIND[self.kind].twin
        if other is None:
            raise ValueError(f"a key of kind {self.kind} has no twin")
        return ApiKey(other, self.rest)


def parse(text: str | None) -> ApiKey | KeyProblem:
    """The key in the header, or why there is none (decisions "Keys and workspaces")."""
    if not text:
        return KeyProblem.MISSING
    try:
        return _well_formed(text)
    except ValueError:
        found = _PREFIX.match(text)
    return KeyProblem.PRODUCTION if found and _BY_PREFIX[found.group()].production else KeyProblem.MALFORMED


@lru_cache(maxsize=_LATELY_USED)
def _well_formed(text: str) -> ApiKey:
    """A key that can be used; ValueError for anything else, which is then not cached, however long it is."""
    found = _PREFIX.match(text)
    form = _BY_PREFIX[found.group()] if found else None
    rest = text[found.end() :] if found else ""
    if form is None or form.production or not _REST.fullmatch(rest):
        raise ValueError
    return ApiKey(form.kind, rest)


def key_of_workspace(text: str) -> ApiKey:
    """The secret key of a workspace; ValueError says why a text is none, without the text."""
    found = parse(text)
    if isinstance(found, ApiKey) and found.kind is KeyKind.SECRET:
        return found
    of_kind = "production" if found is KeyProblem.PRODUCTION else "publishable" if isinstance(found, ApiKey) else ""
    flaw = f"is a {of_kind} key" if of_kind else f"key {flaw_of(text)}"
    raise ValueError(f"this {flaw}: a key is snd_ and {REST_MIN} to {REST_MAX} letters, digits, _ or -")


def flaw_of(text: str) -> str:
    """What is wrong with a text that is no key, as a clause about it, without the text."""
    found = _PREFIX.match(text)
    if found is None:
        return "does not begin with snd_ or pk_snd_"
    rest = text[found.end() :]
    if not REST_MIN <= len(rest) <= REST_MAX:
        return f"has {len(rest)} {noun(len(rest), 'character')} after {found.group()}"
    return f"has a character after {found.group()} that no key has"


def without_keys(text: str) -> str:
    """The text with each key replaced by its form and a note that it is hidden."""
    for mark in KEY_MARKS:
        if mark in text:
            return KEY_IN_TEXT.sub(_hidden, text)
    return text


def without_live_keys(text: str) -> str:
    """The text without keys of real processors; those of sandboxes stay."""
    return _LIVE.sub(_hidden, text) if "prd_" in text else text


def _hidden(found: re.Match[str]) -> str:
    form, underscore, _ = found[0].partition("_")
    return f"{form}_{HIDDEN}" if underscore else HIDDEN


NEVER = "never"
"""The `expiration` of a key that does not expire."""


class IssuedKey(Record, frozen=True, kw_only=True):
    """One key; its text is only in the answer to its create, afterwards its beginning is shown."""

    HIDDEN: ClassVar = frozenset({"secret"})

    key_id: str
    merchant_id: str
    name: str
    prefix: str
    digest: str
    created_at: Instant
    description: str | None = None
    expires_at: Instant | None = None
    secret: str | None = None


class KeyFields(NamedTuple):
    """The body of create and update; `carried` is what the record stores, by its attributes."""

    carried: Mapping[str, Any] = MappingProxyType({})


class Opens(NamedTuple):
    """What an issued key opens: the place of a workspace, and until when."""

    place: str
    expires_at: int | None = None
    revoked: bool = False


class EphemeralKey(Record, frozen=True, kw_only=True):
    """One key; of its text only the `digest` is stored, and `secret` is only in the answer to its create."""

    HIDDEN: ClassVar = frozenset({"secret"})

    key_id: str
    customer_id: str
    digest: str
    created_at: Instant
    expires_at: Instant
    merchant_id: str = ""
    secret: str | None = None


TAG_DIGITS = 8
"""How many digits every key of a customer has of its merchant."""


def tag_of(merchant_id: str) -> str:
    """The first digits of every key of a merchant."""
    return blake2b(merchant_id.encode(), digest_size=TAG_DIGITS // 2, person=b"ephemeral").hexdigest()


def rest_of(tag: str, random: str) -> str:
    """A key's text after its prefix: a version 4 UUID of a tag and 32 random hexadecimal digits."""
    variant = "89ab"[int(random[15], 16) % 4]
    return f"{tag}-{random[:4]}-4{random[4:7]}-{variant}{random[7:10]}-{random[16:28]}"
