"""What is read, and what is refused although some reader would take it (facts §4.1, ours)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_server.jsontext import MAX_DEPTH, MAX_INTEGER, JsonMistake, parse

SOUND = (
    (b'{"a":1,"b":[true,false,null],"c":{"a":"x"}}', {"a": 1, "b": [True, False, None], "c": {"a": "x"}}),
    (b' \t\r\n{"a" : 1} \n', {"a": 1}),
    (b'"\\ud83d\\ude00"', "😀"),
    (b'"\\\\ud800"', "\\ud800"),
    (b'{"a":"\\\\","b":"\\":"}', {"a": "\\", "b": '":'}),
    (b'{"u":"https://x.y/z:1","t":"12:30",":":":"}', {"u": "https://x.y/z:1", "t": "12:30", ":": ":"}),
    (b'{"json":"{\\"a\\":1,\\"a\\":2}"}', {"json": '{"a":1,"a":2}'}),
    (b'["a",":b"]', ["a", ":b"]),
    (b'{"a":"b","":"c", "d" :1}', {"a": "b", "": "c", "d": 1}),
    (str(MAX_INTEGER).encode(), MAX_INTEGER),
    (str(-MAX_INTEGER).encode(), -MAX_INTEGER),
    (b"1e20", 1e20),
    (b"0.1234567890123456789", 0.12345678901234568),
    (b"[" * MAX_DEPTH + b"]" * MAX_DEPTH, None),
    ('"é😀\u2028\x7f"'.encode(), "é😀\u2028\x7f"),
)


@pytest.mark.parametrize(("raw", "value"), SOUND)
def test_sound_texts_are_read(raw: bytes, value: object) -> None:
    assert parse(raw) == (json.loads(raw) if value is None else value)


BROKEN = (
    (b"", "empty", 1, 1),
    (b" \n ", "empty", 1, 1),
    (b"\xef\xbb\xbf{}", "byte order mark", 1, 1),
    (b'{\n"x":"\xff"}', "UTF-8", 2, 6),
    (b'{"\xc0\x80":1}', "UTF-8", 1, 3),
    (b'{"a":NaN}', "NaN", 1, 6),
    (b'{"a":Infinity}', "Infinity", 1, 6),
    (b'{"a":-Infinity}', "Infinity", 1, 6),
    (b'{"a":1,"a":2}', '"a" is used twice', 1, 8),
    (b'{"a":1,"a" :2}', '"a" is used twice', 1, 8),
    (b'{"a":1,"a"\n:2}', '"a" is used twice', 1, 8),
    (b'[{"b":{"c":1,\n "\\u0063":2}}]', '"c" is used twice', 2, 2),
    (b'{"x":"://","a":1,"a":2}', '"a" is used twice', 1, 18),
    (b'{"a":{"b":1},"b":1,"c":{"b":1,"b":2}}', '"b" is used twice', 1, 31),
    (b'{"a":"\\ud800"}', "surrogate", 1, 7),
    (b'{"a":"\\ud800x"}', "surrogate", 1, 7),
    (b'{"a":"\\udc00"}', "surrogate", 1, 7),
    (b'{"a":"\\ud83d\\ud83d\\ude00"}', "surrogate", 1, 7),
    (b'{"a":"\\ud83d\\ude00\\ude00"}', "surrogate", 1, 19),
    (b'{"\\ud800":1}', "surrogate", 1, 3),
    (str(MAX_INTEGER + 1).encode(), "integer", 1, 1),
    (str(-MAX_INTEGER - 1).encode(), "integer", 1, 1),
    (b'{"a":{"b":[1,12345678901234567890]}}', "integer", 1, 14),
    (b"1" * 5000, "integer", 1, 1),
    (b'{"a":1e999}', "double", 1, 6),
    (b"[-1e400]", "double", 1, 2),
    (b"1" * 400 + b".0", "double", 1, 1),
    (b"[" * 65 + b"]" * 65, "deeper", 1, 65),
    (b'{"a":' * 70 + b"1" + b"}" * 70, "deeper", 1, 321),
    (b"[" * 100_000, "deeper", 1, 65),
    (b'{"a":1}x', "trailing", 1, 8),
    (b'{"a":1} {}', "trailing", 1, 9),
    (b"nul", "ends before", 1, 4),
    (b'{"a":"b', "ends before", 1, 8),
    (b'{"a":1,}', "comma", 1, 8),
    (b'{"a":1,\n"b" 2}', ":", 2, 5),
    (b"{'a':1}", "key", 1, 2),
    (b"01", "number", 1, 2),
    (b"1.", "number", 1, 3),
    (b"+1", "character", 1, 1),
    (b'"\x01"', "character", 1, 2),
    (b'"\\x"', "escape", 1, 4),
    (b"{/* no */}", "key", 1, 2),
)


@pytest.mark.parametrize(("raw", "reason", "line", "column"), BROKEN, ids=lambda value: repr(value)[:30])
def test_broken_texts_are_refused_with_reason_and_place(raw: bytes, reason: str, line: int, column: int) -> None:
    with pytest.raises(JsonMistake) as caught:
        parse(raw)
    mistake = caught.value
    assert reason in mistake.reason
    assert (mistake.line, mistake.column) == (line, column)
    assert str(mistake) == f"{mistake.reason} (line {mistake.line}, column {mistake.column})"


@pytest.mark.parametrize("key", ["4242424242424242", "4242 4242 4242 4242", "x" * 80, "snd_12345678", "a\nb"])
def test_a_doubled_key_that_could_be_a_secret_is_not_repeated(key: str) -> None:
    text = json.dumps(key)
    with pytest.raises(JsonMistake, match="is used twice") as caught:
        parse(f"{{{text}:1,{text}:2}}".encode())
    assert key not in str(caught.value)


def pairs_twice(text: str) -> bool:
    """Whether the standard library, asked for pairs, sees a key twice."""
    seen: list[bool] = []
    json.loads(text, object_pairs_hook=lambda pairs: seen.append(len(dict(pairs)) != len(pairs)))
    return any(seen)


KEYS = st.sampled_from(["a", "b", ":", '"', '":', "://", "\\", "é", ""])
SPACES = st.sampled_from(["", "", " ", "\n", "\t "])
LEAVES = st.one_of(KEYS.map(json.dumps), st.sampled_from(["1", "null", "-0.5", '"\\":\\":"', '"x://y"']))


def objects(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(KEYS, SPACES, SPACES, inner).map(lambda part: f"{json.dumps(part[0])}{part[1]}:{part[2]}{part[3]}")
    lists = st.lists(inner, max_size=3).map(lambda items: f"[{','.join(items)}]")
    return st.lists(pair, max_size=4).map(lambda pairs: f"{{{','.join(pairs)}}}") | lists


@given(st.recursive(LEAVES, objects, max_leaves=12))
def test_exactly_the_texts_with_a_doubled_key_are_refused(text: str) -> None:
    if pairs_twice(text):
        with pytest.raises(JsonMistake, match="is used twice"):
            parse(text.encode())
    else:
        assert parse(text.encode()) == json.loads(text)


@given(st.binary(max_size=40) | st.text(alphabet='{}[]",:\\ue0d81-.x \n', max_size=40).map(str.encode))
def test_no_bytes_break_the_reader(raw: bytes) -> None:
    mistake = None
    try:
        parse(raw)
    except JsonMistake as caught:
        mistake = caught
    assert mistake is None or (mistake.reason and 1 <= mistake.line <= raw.count(b"\n") + 1)
