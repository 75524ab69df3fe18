"""What is said of a wrong call: sentences of our own, in both dialects, whatever is wrong with which field.

Every field of every body, query and header is sent with values of a wrong type, form or size, and every text that comes
back keeps the laws of `ODD`. A library's own text is none of ours: it is in its words, and changes with its version.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final
from urllib.parse import quote

import pytest

from mock_server.dialects import DIALECTS
from mock_server.openapi.document import document
from tests.counts import SOAK
from tests.openapi.agreeing import Disagreement
from tests.wire import Wire, wire

ODD: Final = {
    "two spaces": re.compile(r"\S  +\S"),
    "two full stops": re.compile(r"(?<!\.)\.\.(?!\.)|[;:,]\.(?!\d)"),
    "a plural of one": re.compile(r"(?<![\d.,(])\b1 (?!is\b|has\b|to\b)[a-z]+s\b|\b(\d+) to \1 "),
    "text of Python": re.compile(
        r"must be in \d+\.\.\d+|out of range for month|isoformat|Expecting |Unterminated|<class|\bNone\b|\bNoneType\b"
        r"|\b[A-Z][a-z]+(?:Error|Exception)\b|\bobject at 0x|\\x[0-9a-f]{2}"
    ),
    "what was not sent": re.compile(r"[Tt]he scenario next\b"),
}
VALUES: Final[tuple[Any, ...]] = (
    "2020-13-45T00:00:00Z", None, True, -1, 2.5, 10**12, "", "x", "x" * 5000, "é🎉", [], ["x"], {}, {"zz": 1}, "http://",
)  # fmt: skip
TEXTS: Final = ("2020-13-45T00:00:00Z", "x", "-1", "1.5", "%ff", "x" * 3000, "a&a=b")
BODIES: Final = (
    b"{",
    b"[]",
    b'"a"',
    b"1",
    b'{"a":1,}',
    b'{"a":}',
    b'"',
    b'{"a":NaN}',
    b"{} {}",
    b'{"a":1,"a":2}',
    b"\xff",
)
NAMES: Final = re.compile(r"\{(\w+)\}")


class Operation:
    """An operation of the document, and how it is called."""

    def __init__(self, whole: Any, method: str, path: str, item: Any) -> None:
        self.whole, self.method, self.path, self.item = whole, method.upper(), NAMES.sub("pay_words", path), item

    def fields(self) -> Iterator[str]:
        """The names of the body."""
        for content in self.item.get("requestBody", {}).get("content", {}).values():
            yield from self._names(content["schema"])

    def _names(self, schema: Any) -> Iterator[str]:
        if "$ref" in schema:
            schema = self.whole["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        yield from schema.get("properties", ())
        for part in (*schema.get("anyOf", ()), *schema.get("allOf", ())):
            yield from self._names(part)

    def calls(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Each path and what is sent with it."""
        for at, parameter in enumerate(self.item.get("parameters", ())):
            name = parameter.get("name", "")
            for text in turn(TEXTS, at) if parameter.get("in") == "query" else ():
                yield f"{self.path}?{quote(name)}={text}", {}
        if "requestBody" in self.item:
            yield from ((self.path, {"raw": raw}) for raw in turn(BODIES, len(self.path)))
            for at, name in enumerate(dict.fromkeys(self.fields())):
                yield from ((self.path, {"raw": json.dumps({name: value}).encode()}) for value in turn(VALUES, at))


def turn(values: Sequence[Any], at: int) -> Iterable[Any]:
    """All of them, or in an ordinary run the first and another one in turn."""
    return values if SOAK else (values[0], values[at % len(values)])


def operations(name: str) -> list[Operation]:
    whole = document(DIALECTS[name]())
    return [
        Operation(whole, method, path, item)
        for path, items in whole["paths"].items()
        for method, item in items.items()
        if method != "parameters" and not path.endswith("/reset")
    ]


def said(answer: Any) -> Iterator[str]:
    """Every text in an error."""
    if isinstance(answer, dict):
        for name, value in answer.items():
            if name in ("message", "reason") and isinstance(value, str):
                yield value
            elif name != "type":
                yield from said(value)
    elif isinstance(answer, list):
        for one in answer:
            yield from said(one)


@pytest.fixture(scope="module", params=sorted(DIALECTS))
def called(request: pytest.FixtureRequest) -> tuple[Wire, str]:
    api = wire(dialect=DIALECTS[request.param]())
    api.pay(payment_id="pay_words")
    return api, request.param


def test_errors_are_said_in_words(called: tuple[Wire, str]) -> None:
    api, dialect = called
    found, heard = set(), set()
    for operation in operations(dialect):
        for path, sent in operation.calls():
            try:
                reply = api.call(operation.method, path, **sent)
            except Disagreement:  # some lists of ours are an object's path in the public document
                continue
            if reply.status < 400:
                continue
            is_json = "json" in reply.headers.get("Content-Type", "")
            for text in said(reply.json) if is_json else (reply.raw.decode(),):
                heard.add(re.sub(r"\d+", "9", text))
                found |= {(law, text[:200]) for law, odd in ODD.items() if odd.search(text)}
    assert sorted(found) == []
    assert len(heard) > 500


@pytest.mark.parametrize(
    ("text", "law"),
    [
        ("There is no payment  here.", "two spaces"),
        ("must have letters, _, - or ..", "two full stops"),
        ("try again in 1 seconds", "a plural of one"),
        ("must have 1 to 1 items", "a plural of one"),
        ("is not a valid date and time: month must be in 1..12", "text of Python"),
        ("Expecting value (line 1, column 2)", "text of Python"),
        ("The scenario next is not valid", "what was not sent"),
    ],
)
def test_the_laws_see_what_is_wrong(text: str, law: str) -> None:
    assert law in {name for name, odd in ODD.items() if odd.search(text)}
