"""Reading large JSON piece by piece, so that other work goes on (ours); the reader of bodies accepts the same."""

from __future__ import annotations

import json
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from typing import Any, BinaryIO, Final

import msgspec

from mock_server.jsontext.reading import MAX_DEPTH, MAX_INTEGER, JsonMistake, sound_keys

Breathe = Callable[[], object]
"""Called repeatedly, so that the caller can let other work go on."""

WINDOW: Final = 262_144
SPACE: Final = " \t\r\n"
NEAR: Final = 16
"""What ends so few characters before the end of the window may be a word, number or escape that goes on after it."""
OUTER: Final = 4
"""The number of levels of objects that are read member by member; deeper values are read whole."""
_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder().decode


class Packed(list[Any]):
    """A long array whose items are stored as bytes, and decoded in each iteration."""

    def __init__(self, items: Iterable[bytes], breathe: Breathe) -> None:
        super().__init__(items)
        self._breathe = breathe

    def __iter__(self) -> Iterator[Any]:
        for item in super().__iter__():
            self._breathe()
            yield _unpack(item)


def parse_piecewise(raw: bytes | BinaryIO, long: frozenset[str], breathe: Breathe) -> object:
    """The document; a file is read as needed. Arrays under one of the `long` names are `Packed`. Raises JsonMistake."""
    text = _Text(raw, breathe)
    try:
        value = _outer(text, "", long, 0)
        if text.peek():
            raise text.mistake("there is extra text after the document")
    except UnicodeDecodeError:
        raise JsonMistake("the text is not UTF-8") from None
    return value


def _outer(text: _Text, name: str, long: frozenset[str], depth: int) -> object:
    """The next value, under a name."""
    first = text.peek()
    if first == "{" and depth < OUTER:
        return _object(text, long, depth)
    return _array(text, depth + 1) if first == "[" and name in long else text.value(depth)


def _object(text: _Text, long: frozenset[str], depth: int) -> dict[str, Any]:
    members: dict[str, Any] = {}
    text.skip("{")
    then = text.skip("}") if text.peek() == "}" else ","
    while then == ",":
        name = text.value(depth)
        if not isinstance(name, str):
            raise text.mistake("a key is not a string")
        if name in members:
            raise text.mistake(f"the key {name!r} is used twice")
        text.skip(":")
        members[name] = _outer(text, name, long, depth + 1)
        then = text.skip(",}")
    return members


def _array(text: _Text, depth: int) -> Packed:
    items: list[bytes] = []
    text.skip("[")
    then = text.skip("]") if text.peek() == "]" else ","
    while then == ",":
        items.append(_pack(text.value(depth)))
        then = text.skip(",]")
    return Packed(items, text.breathe)


class _Text:
    """A document's text, decoded as it is needed."""

    def __init__(self, raw: bytes | BinaryIO, breathe: Breathe) -> None:
        self.breathe = breathe
        self._read = (BytesIO(raw) if isinstance(raw, bytes) else raw).read
        self._decode = getincrementaldecoder("utf-8")().decode
        self._window = ""
        self._at = 0
        self._line, self._before = 1, 0
        self._scan = json.JSONDecoder(
            object_pairs_hook=_members, parse_float=_float, parse_int=_integer, parse_constant=_constant
        ).raw_decode

    def peek(self) -> str:
        """The next character other than a space; empty at the end."""
        while True:
            while self._at < len(self._window) and self._window[self._at] in SPACE:
                self._at += 1
            if self._at < len(self._window):
                return self._window[self._at]
            if not self._more():
                return ""

    def skip(self, wanted: str) -> str:
        """Skips one of these characters, and returns it."""
        found = self.peek()
        if not found or found not in wanted:
            raise self.mistake(f"{' or '.join(wanted)} is missing" if found else "the text ends too early")
        self._at += 1
        return found

    def value(self, depth: int) -> Any:
        """The whole next value, at so many levels."""
        self.breathe()
        self.peek()
        while True:
            try:
                value, end = self._scan(self._window, self._at)
            except RecursionError:
                raise self.mistake("it is nested too deeply") from None
            except ValueError as wrong:
                if self._may_be_cut(wrong) and self._more():
                    continue
                is_ours = not isinstance(wrong, json.JSONDecodeError)  # whose text differs between versions of Python
                raise self.mistake(wrong.args[0] if is_ours else "from here on the text is not valid JSON") from None
            if end < len(self._window) - NEAR or not self._more():
                break
        levels = self._window.count("[", self._at, end) + self._window.count("{", self._at, end)
        if levels + depth > MAX_DEPTH and sound_keys(value, depth) < 0:
            raise self.mistake(f"the value is nested deeper than {MAX_DEPTH} levels")
        if self._window.find("\\u", self._at, end) >= 0 and not _is_sound(value):
            raise self.mistake("half of a surrogate pair is missing")
        self._at = end
        return value

    def _may_be_cut(self, wrong: ValueError) -> bool:
        """Whether the end of the window can be what is wrong, and not the text: the rest of that is not decoded."""
        if isinstance(wrong, json.JSONDecodeError):
            return wrong.msg.startswith("Unterminated string") or wrong.pos >= len(self._window) - NEAR
        return any(number in self._window[-len(number) - NEAR :] for number in wrong.args[1:])

    def mistake(self, reason: str) -> JsonMistake:
        """The error, with its position."""
        line, before = self._place()
        return JsonMistake(reason, line, before + 1)

    def _place(self) -> tuple[int, int]:
        """The line, counted from 1, and the number of characters before in it."""
        lines = self._window.count("\n", 0, self._at)
        return self._line + lines, self._at - self._window.rfind("\n", 0, self._at) - 1 + (0 if lines else self._before)

    def _more(self) -> bool:
        """Decodes another piece, as long as the rest of the window; False at the end."""
        rest = self._window[self._at :]
        piece = self._read(max(WINDOW, len(rest)))
        added = self._decode(piece, not piece)
        if piece:
            self._line, self._before = self._place()
            self._window, self._at = rest + added, 0
        return bool(piece)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a key is used twice in one object")
    return members


def _integer(digits: str) -> int:
    if len(digits) > 15 and not -MAX_INTEGER <= int(digits[:20]) <= MAX_INTEGER:
        raise ValueError("a whole number is beyond ±(2^53−1)", digits)
    return int(digits)


def _float(digits: str) -> float:
    value = float(digits)
    if value - value:
        raise ValueError("a number is out of range", digits)
    return value


def _constant(word: str) -> float:
    raise ValueError(f"{word} is not JSON")


def _is_sound(value: object) -> bool:
    """Whether every text in it can be written as UTF-8."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
