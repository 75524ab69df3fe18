"""An answer as checks use it: each method says what was expected if it fails, and shows no key."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Self, TypeGuard

LONGEST: Final = 1_500
"""The longest part of a value that is shown, in characters (ours)."""

_KEY: Final = re.compile(r"\b(?:pk_)?(?:snd|prd|dev|integ)_[A-Za-z0-9_-]+|\bepk_[A-Za-z0-9_-]+")
_CLIENT_SECRET: Final = re.compile(r"(_secret_)[A-Za-z0-9]+")
_HASH_KEY: Final = re.compile(r'("payment_response_hash_key": ?")[^"]+')
_PASSED_OVER: Final = frozenset({"host", "content-length", "connection", "accept-encoding", "user-agent"})


def redact(text: str) -> str:
    """The text without keys, client secrets and signing secrets."""
    text = _CLIENT_SECRET.sub(r"\1…", _KEY.sub("…", text))
    return _HASH_KEY.sub(r"\1…", text)


def shortened(text: str) -> str:
    """The text, or its beginning and how long it is."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text)} characters)"


def _header(name: str, value: str) -> str:
    if name.lower() == "api-key" and value:
        return f'"{name}: $API_KEY"'
    if name.lower() == "x-sandbox-token":
        return f'"{name}: $CONTROL_TOKEN"'
    return shlex.quote(f"{name}: {shortened(value)}")


INTERFACE: Final = "interface"
PUBLIC: Final = "hyperswitch"


class Speech(NamedTuple):
    """What differs in a dialect from the words in checks, which are the interface's: statuses, and missing keys."""

    words: Mapping[str, str]
    absent: frozenset[str]
    type_key: str = ""
    """The key of the type in some errors."""


_PUBLIC_WORDS: Final = {"requires_action": "requires_customer_action", "pending": "processing"}
SPEECHES: Final = {
    INTERFACE: Speech({}, frozenset()),
    PUBLIC: Speech(_PUBLIC_WORDS, frozenset(("has_more", "updated", "fields")), "error_type"),
}
ERROR_KEYS: Final = ("type", "code", "message")


class Sent(NamedTuple):
    """A call as it was made."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def curl(self) -> str:
        """The call as a command; the key is `$API_KEY`, a control token `$CONTROL_TOKEN`."""
        words = ["curl -si"]
        if self.method != "GET":
            words.append(f"-X {self.method}")
        words.append(shlex.quote(redact(self.url)))
        words += [f"-H {_header(name, value)}" for name, value in self.headers if name.lower() not in _PASSED_OVER]
        if self.body:
            words.append(f"--data-binary {shlex.quote(shortened(redact(self.body.decode('utf-8', 'replace'))))}")
        return " ".join(words)


class Broken(AssertionError):
    """Something on which clients rely is not true; `sent` is the call that showed it."""

    def __init__(self, what: str, expected: object, seen: object, sent: Sent | None = None) -> None:
        self.what = what
        self.expected = expected if isinstance(expected, Phrase) else shown(expected)
        self.seen = seen if isinstance(seen, Phrase) else shown(seen)
        self.sent = sent
        super().__init__(f"{what}: expected {self.expected}, seen {self.seen}")


class Phrase(str):
    """Words in place of a value in a report, which are not quoted."""

    __slots__ = ()


def shown(value: object) -> str:
    """A value in a report: short JSON without keys."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    return shortened(redact(json.dumps(value, ensure_ascii=False, default=str)))


def same(one: object, other: object) -> bool:
    """Whether two values are the same JSON: 1 is neither true nor 1.0."""
    return json.dumps(one, sort_keys=True, default=str) == json.dumps(other, sort_keys=True, default=str)


def compare(what: str, expected: object, seen: object, holds: bool | None = None, sent: Sent | None = None) -> None:
    """Raises Broken unless it holds: by default, unless both are the same JSON."""
    if holds is None and not same(expected, seen):
        raise Broken(*narrowed(what, expected, seen), sent)
    if holds is False:
        raise Broken(what, expected, seen, sent)


def narrowed(what: str, expected: object, seen: object) -> tuple[str, object, object]:
    """The first place at which two values differ."""
    if isinstance(expected, dict) and isinstance(seen, dict):
        if expected.keys() != seen.keys():
            only = (sorted(expected.keys() - seen.keys()), sorted(seen.keys() - expected.keys()))
            return f"the keys of {what}", Phrase(f"also {only[0]}"), Phrase(f"also {only[1]}")
        name = next(name for name in expected if not same(expected[name], seen[name]))
        return narrowed(f"{what}.{name}", expected[name], seen[name])
    if _are_objects(expected) and _are_objects(seen) and len(expected) == len(seen):
        at = next(at for at in range(len(seen)) if not same(expected[at], seen[at]))
        return narrowed(f"{what}.{at}", expected[at], seen[at])
    return what, expected, seen


def _are_objects(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


@dataclass(frozen=True, eq=False)
class CheckedAnswer:
    """A whole answer with the call that it answers; `headers` have small letters."""

    sent: Sent
    status: int
    headers: Mapping[str, str]
    body: bytes
    _speech: Speech = SPEECHES[INTERFACE]

    @property
    def json(self) -> Any:
        """The body as JSON. Raises Broken."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            raise Broken("the body", Phrase("JSON"), self.body, self.sent) from None

    def __getitem__(self, path: str) -> Any:
        """The value at a dotted path; a number is an index of an array. Raises Broken if there is none."""
        found = self.json
        for step in path.split("."):
            try:
                found = found[int(step)] if isinstance(found, list) else found[step]
            except (KeyError, IndexError, TypeError, ValueError):
                raise Broken(path, Phrase("a value"), Phrase(f"nothing, in {shown(self.json)}"), self.sent) from None
        return found

    def expect(self, what: str, expected: object, seen: object, holds: bool | None = None) -> Self:
        """Raises Broken unless it holds: by default, unless both are the same JSON."""
        compare(what, expected, seen, holds, self.sent)
        return self

    def is_(self, status: int) -> Self:
        """Raises Broken unless this is the HTTP status."""
        if self.status != status:
            seen = Phrase(f"{self.status} with {shortened(redact(self.body.decode('utf-8', 'replace')))}")
            raise Broken("the HTTP status", status, seen, self.sent)
        return self

    def has(self, **fields: object) -> Self:
        """Raises Broken unless the call succeeded and these fields have these values, in the target's dialect."""
        self.is_(200)
        for name, expected in fields.items():
            if name == "status":
                expected = self._speech.words.get(str(expected), expected)
            if name not in self._speech.absent:
                self.expect(name, expected, self[name])
        return self

    def shows(self, path: str, expected: object) -> Self:
        """Raises Broken unless this is the value at a dotted path."""
        return self.expect(path, expected, self[path])

    def is_text(self, path: str) -> Self:
        """Raises Broken unless the value at a dotted path is a text that is not empty."""
        seen = self[path]
        return self.expect(path, Phrase("a text"), seen, isinstance(seen, str) and bool(seen))

    def begins(self, path: str, prefix: str) -> Self:
        """Raises Broken unless the value at a dotted path has this prefix."""
        seen = str(self[path])
        return self.expect(path, Phrase(f"to begin with {prefix}"), seen, seen.startswith(prefix))

    def refused(self, status: int, code: str, kind: str = "invalid_request") -> Self:
        """Raises Broken unless this is the error, in its envelope (interface §7)."""
        self.is_(status)
        error = self["error"]
        if self._speech.type_key in error:
            error = {"type": error[self._speech.type_key], **error}
        for name in ERROR_KEYS:
            self.expect(f"error.{name}", Phrase("a text"), error.get(name), isinstance(error.get(name), str))
        self.expect("error.code", code, error["code"])
        return self.expect("error.type", kind, error["type"])

    def names(self, *fields: str) -> Self:
        """Raises Broken unless these are the wrong fields in the error, in any order, if it lists them."""
        if "fields" in self._speech.absent:
            return self
        seen = sorted(row["field"] for row in self["error.fields"])
        return self.expect("the fields in the error", sorted(fields), seen)

    @property
    def id(self) -> str:
        """The payment_id of a successful call."""
        self.is_(200)
        return str(self["payment_id"])

    def header(self, name: str) -> str:
        """A header's text. Raises Broken if it is missing."""
        if (found := self.headers.get(name.lower())) is None:
            there = Phrase(f"no such header; there are {', '.join(sorted(self.headers))}")
            raise Broken(f"the header {name}", Phrase("to be there"), there, self.sent)
        return found
