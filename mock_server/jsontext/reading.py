"""Reading JSON strictly and fast: what two parsers could read differently is refused (ours).

A refused text is read again, slowly, to find out what is wrong and where.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

MAX_DEPTH = 64
MAX_INTEGER = 2**53 - 1
"""The largest integer that JavaScript reads exactly."""
LARGEST_WRITTEN = 10**21
"""Whole doubles below it are written without an exponent, as JavaScript does: what was accepted can be read again."""
LONGEST_PATH = 1_000
"""A path of so many characters is made no longer: a deep value would repeat its names at each level (ours)."""

_decode = msgspec.json.Decoder().decode
_QUOTE_THEN_COLON = re.compile(rb'"[ \t\r\n]*:')
_STRINGS = re.compile(rb'"(?:[^"\\]++|\\.)*+"([ \t\r\n]*:)?')

# Most servers never get an invalid text: these patterns are compiled with the first one.
_WHITE = " \t\r\n"
_TOKEN = r'"(?:[^"\\]++|\\.)*+"|[][{}:]|[^][{},:"\s]+'
_AT_BYTE = r"(?:JSON is malformed: )?(.*) \(byte (\d+)\)"
_ESCAPE = r"(?s)\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
_NOT_A_NUMBER = r"-?(?:NaN|Infinity)"
_PLAIN_NAME = r"[A-Za-z_][A-Za-z0-9_.\-]{0,63}"
_INTEGER = r"-?[0-9]+"


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The values in a JSON value, each with its path, as errors name it; one below a LONGEST_PATH comes whole."""
    if isinstance(value, dict | list) and value and len(path) < LONGEST_PATH:
        for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, f"{path}.{name}" if path else str(name))
    else:
        yield path or "(all)", value


class JsonMistake(ValueError):
    """A text that is not valid JSON here: the reason and the position (line and column from 1)."""

    def __init__(self, reason: str, line: int = 1, column: int = 1) -> None:
        super().__init__(f"{reason} (line {line}, column {column})")
        self.reason = reason
        self.line = line
        self.column = column


def parse(raw: bytes, most: int = MAX_INTEGER) -> object:
    """Read one JSON document of UTF-8 bytes.

    Raises `JsonMistake` for everything malformed, and beyond RFC 8259 for a byte order mark, doubled keys at
    any depth, lone surrogates, integers beyond ±`most`, floats out of range and over `MAX_DEPTH` levels.
    """
    try:
        value = _decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as refusal:
        raise _find_mistake(raw, refusal) from None
    keys = sound_keys(value, most=most)
    if keys < 0 or not _each_key_once(raw, keys):
        raise _find_mistake(raw, None)
    return value


def read_or(otherwise: Any, raw: bytes | str, kind: Any = Any) -> Any:
    """What JSON of any origin says, as this kind; `otherwise` for any other text."""
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return otherwise


def sound_keys(value: object, around: int = 0, most: int = MAX_INTEGER) -> int:
    """The number of keys at all levels; -1 if it is too deep, with the levels around it, or an integer too large."""
    keys, depth = 0, around - 1
    level: list[Any] = [[value]]
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            return -1
        below = []
        for box in level:
            if type(box) is dict:
                keys += len(box)
                box = box.values()
            for item in box:
                kind = type(item)
                if kind is str:
                    continue
                if kind is dict or kind is list:
                    below.append(item)
                elif kind is int and not -most <= item <= most:
                    return -1
        level = below
    return keys


def _each_key_once(raw: bytes, keys: int) -> bool:
    """Whether the text has as many keys as the value: of two equal ones the decoder keeps only the last.

    Cheapest test first. Each key has a colon; the first three counts are never less than the number of keys in the
    text, so equality is sufficient. Only the last count is exact. Other threads can run between two matches.
    """
    colons = raw.count(b":")
    return (
        colons == keys
        or colons - raw.count(b"://") == keys
        or sum(1 for _ in _QUOTE_THEN_COLON.finditer(raw)) == keys
        or sum(1 for string in _STRINGS.finditer(raw) if string[1]) == keys
    )


# what is wrong with a text


def _find_mistake(raw: bytes, refusal: Exception | None) -> JsonMistake:
    """What is wrong with a text that the fast reader refused; `refusal` is its decoder's error."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as broken:
        sound = raw[: broken.start].decode("utf-8")
        return _at(sound, len(sound), "the text is not UTF-8")
    if not text.strip(_WHITE):
        return JsonMistake("the text is empty")
    if text.startswith("\ufeff"):
        return JsonMistake("the text starts with a byte order mark, which JSON does not allow")
    if isinstance(refusal, msgspec.DecodeError) and not isinstance(refusal, msgspec.ValidationError):
        return _malformed(raw, text, str(refusal))
    return _walked(text)


def _at(text: str, position: int, reason: str) -> JsonMistake:
    return JsonMistake(reason, text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position))


def _malformed(raw: bytes, text: str, said: str) -> JsonMistake:
    lone = next((escape for escape in re.finditer(_ESCAPE, text) if escape[1]), None)
    if lone is not None:
        return _at(text, lone.start(), "half of an escaped surrogate pair is missing")
    where = re.fullmatch(_AT_BYTE, said)
    if where is None:
        return _at(text, len(text), "the text ends before the value is complete")
    # Of trailing characters, the decoder has read the first one already.
    byte = int(where[2]) - ("trailing characters" in said)
    position = len(raw[:byte].decode("utf-8", errors="ignore"))
    start = position - 1 if text[position - 1 : position] == "-" else position
    if re.match(_NOT_A_NUMBER, text[start:]):
        return _at(text, start, "NaN and Infinity are not JSON numbers")
    return _at(text, position, where[1])


def _walked(text: str) -> JsonMistake:
    """Reads a well-formed text token by token until something is not allowed."""
    seen: list[set[str]] = []
    before: re.Match[str] | None = None
    for token in re.finditer(_TOKEN, text):
        word, at, reason = token[0], token, ""
        if word in "{[":
            seen.append(set())
            reason = f"the value is nested deeper than {MAX_DEPTH} levels" if len(seen) > MAX_DEPTH else ""
        elif word in "}]":
            seen.pop()
        elif word == ":" and before:
            at, reason = before, _key_reason(before[0], seen[-1])
        elif word[0] != '"' and (len(word) > 15 or not (word.isascii() and word.isdigit())):
            reason = _number_reason(word)
        if reason:
            return _at(text, at.start(), reason)
        before = token
    return JsonMistake("the text is not valid JSON")


def _key_reason(word: str, seen: set[str]) -> str:
    key = msgspec.json.decode(word.encode(), type=str)
    if key in seen:
        return f"the key {_shown(key)} is used twice in one object"
    seen.add(key)
    return ""


def _number_reason(word: str) -> str:
    if re.fullmatch(_INTEGER, word):
        beyond = len(word) > 17 or abs(int(word)) > MAX_INTEGER
        return "an integer is beyond ±(2^53−1), so not every JSON parser reads it exactly" if beyond else ""
    if word in ("true", "false", "null"):
        return ""
    try:
        beyond = float(word) in (float("inf"), float("-inf"))
    except ValueError:  # the decoder found it too large before it came to what is wrong with it
        return "invalid number"
    return "a number is too large for a double" if beyond else ""


def _shown(key: str) -> str:
    """A key for a message, unless it could be a secret or a card number."""
    return f'"{key}"' if re.fullmatch(_PLAIN_NAME, key) and sum(map(str.isdigit, key)) <= 6 else "at this place"
