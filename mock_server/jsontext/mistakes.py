"""What is wrong with a JSON text, and where: the slow, exact look at a text that was refused (ours)."""

from __future__ import annotations

import re

import msgspec

from mock_server.jsontext.limits import MAX_DEPTH, MAX_INTEGER, JsonMistake

_WHITE = " \t\r\n"
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[][{},:]|[^][{},:"\s]+')
_AT_BYTE = re.compile(r"(?:JSON is malformed: )?(.*) \(byte (\d+)\)")
_SURROGATE = re.compile(
    r"\\u(?:[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F][0-9a-fA-F]{2})|[dD][c-fC-F][0-9a-fA-F]{2})"
)
_ESCAPED = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\[^u]")
_NOT_A_NUMBER = re.compile(r"-?(?:NaN|Infinity)")
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]{0,63}")
_INTEGER = re.compile(r"-?[0-9]+")


def find_mistake(raw: bytes, refusal: Exception | None) -> JsonMistake:
    """Say what is wrong with a text that the fast reader refused, `refusal` being what its decoder raised."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as broken:
        sound = raw[: broken.start].decode("utf-8")
        return _at(sound, len(sound), "the text is not UTF-8")
    if not text.strip(_WHITE):
        return JsonMistake("the text is empty")
    if text.startswith("\ufeff"):
        return JsonMistake("the text starts with a byte order mark; JSON has none")
    if isinstance(refusal, msgspec.DecodeError) and not isinstance(refusal, msgspec.ValidationError):
        return _malformed(raw, text, str(refusal))
    return _walked(text)


def _at(text: str, position: int, reason: str) -> JsonMistake:
    line = text.count("\n", 0, position) + 1
    return JsonMistake(reason, line, position - text.rfind("\n", 0, position))


def _malformed(raw: bytes, text: str, said: str) -> JsonMistake:
    lone = _lone_surrogate(text)
    if lone is not None:
        return _at(text, lone, "an escaped surrogate stands alone; a pair makes one character")
    where = _AT_BYTE.fullmatch(said)
    if where is None:
        return _at(text, len(text), "the text ends before the value is complete")
    # Of trailing characters the decoder has eaten the first one already.
    byte = int(where[2]) - ("trailing characters" in said)
    position = len(raw[:byte].decode("utf-8", errors="ignore"))
    start = position - 1 if text[position - 1 : position] == "-" else position
    if _NOT_A_NUMBER.match(text, start):
        return _at(text, start, "NaN and Infinity are not numbers of JSON")
    return _at(text, position, where[1])


def _lone_surrogate(text: str) -> int | None:
    """Find the first surrogate without its other half; what is no part of one is blanked out beforehand."""
    found = _SURROGATE.search(_ESCAPED.sub(lambda pair: "." * len(pair[0]), text))
    return found.start() if found else None


def _walked(text: str) -> JsonMistake:
    """Walk a well-formed text token by token until something is out of bounds."""
    seen: list[set[str]] = []
    before: re.Match[str] | None = None
    for token in _TOKEN.finditer(text):
        word, at, reason = token[0], token, ""
        if word in "{[":
            seen.append(set())
            reason = _depth_reason(len(seen))
        elif word in "}]":
            seen.pop()
        elif word == ":" and before:
            at, reason = before, _key_reason(before[0], seen[-1])
        elif word != "," and word[0] != '"':
            reason = _number_reason(word)
        if reason:
            return _at(text, at.start(), reason)
        before = token
    return JsonMistake("the text is not JSON that this server reads")


def _depth_reason(depth: int) -> str:
    return f"the value is nested deeper than {MAX_DEPTH} levels" if depth > MAX_DEPTH else ""


def _key_reason(word: str, seen: set[str]) -> str:
    key = msgspec.json.decode(word.encode(), type=str)
    if key in seen:
        return f"the key {_shown(key)} stands twice in one object"
    seen.add(key)
    return ""


def _number_reason(word: str) -> str:
    if _INTEGER.fullmatch(word):
        beyond = len(word) > 17 or abs(int(word)) > MAX_INTEGER
        return "an integer lies beyond ±(2^53−1), so not every reader keeps it exactly" if beyond else ""
    if word in ("true", "false", "null"):
        return ""
    beyond = float(word) in (float("inf"), float("-inf"))
    return "a number is too large for a double" if beyond else ""


def _shown(key: str) -> str:
    """Name a key, unless it could be a secret or a card number that somebody put there."""
    plain = _PLAIN_NAME.fullmatch(key) and sum(map(str.isdigit, key)) <= 6
    return f'"{key}"' if plain else "at this place"
