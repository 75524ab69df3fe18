"""Reads YAML and JSON texts into nodes, within bounds; other threads can run while a long text is read."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import yaml
from yaml.events import Event

from mock_server import jsontext
from mock_server.scenario.model.mistakes import Mistake
from mock_server.scenario.schema.block import DEEPEST, MOST_NODES, NOWHERE, Mark, Node, from_value
from mock_server.scenario.schema.long_work import in_turns, slices

LONGEST: Final = 4 * 1024 * 1024
"""Characters in one document (ours)."""
_IN_ONE_STEP: Final = 1024 * 1024
"""Bytes of a JSON document that are checked at once, which takes a few milliseconds."""
_LONG_LISTS: Final = frozenset({"rules", "payments", "customers", "expect", "story"})
"""Keys that have most of the content of a long scenario."""
_TOKENS: Final = re.compile(r'[][{}\n]|"(?:[^"\\]++|\\.)*+"|[^][{}\s,:"]+')
"""What a sound JSON text consists of, and the ends of its lines."""
LONGEST_TWICE_READ: Final = 65_536
MOST_BRACKETS_TWICE_READ: Final = 512
"""PyYAML's own reader looks at all open brackets at each word."""


def read_yaml(text: str, file: str) -> Document:
    """Reads one YAML document; never raises."""
    document = Document(file)
    if len(text) > LONGEST:
        return _too_long(document, text)
    builder = _NodeBuilder(document)
    try:
        for event in in_turns(yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))):
            if not builder.take(event):
                break
    except yaml.YAMLError as wrong:
        document.wrong(*_described(text, wrong))
    except UnicodeError:
        document.wrong(Mark(1, 1), "the text contains half of a surrogate pair")
    document.root = builder.root
    if document.root is None and not document.mistakes:
        document.wrong(Mark(1, 1), "the document is empty")
    return document


def read_json(text: str, file: str) -> Document:
    """Reads one JSON document, as strictly as the API reads bodies; never raises."""
    document = Document(file)
    if len(text) > LONGEST:
        return _too_long(document, text)
    raw, turns = text.encode("utf-8", "surrogatepass"), slices()
    try:
        if turns is None or len(raw) <= _IN_ONE_STEP:
            jsontext.parse(raw)
        else:
            jsontext.parse_piecewise(raw, _LONG_LISTS, turns)
    except jsontext.JsonMistake as mistake:
        document.wrong(Mark(1, 1), f"is not valid JSON: {mistake}")
        return document
    builder = _NodeBuilder(document)
    line, before = 1, -1
    for token in in_turns(_TOKENS.finditer(text)):
        word = token[0]
        if word == "\n":
            line, before = line + 1, token.start()
        elif not builder.take_word(word, Mark(line, token.start() - before)):
            break
    document.root = builder.root
    return document


def _too_long(document: Document, text: str) -> Document:
    document.wrong(Mark(1, 1), f"the document has {len(text)} characters; the maximum is {LONGEST}")
    return document


def read_value(value: object, file: str) -> Document:
    """Reads a mapping that was never text; never raises."""
    document = Document(file)
    try:
        document.root = from_value(value)
    except (ValueError, RecursionError) as wrong:
        document.wrong(NOWHERE, f"the document {wrong}")
    return document


def _described(text: str, wrong: Any) -> tuple[Mark, str]:
    """Where the text is wrong, and why. A short text is read again by PyYAML's own reader, whose words are used."""
    if "nesting depth" in str(getattr(wrong, "problem", "")):
        return _place_and_problem(wrong)[0], _TOO_DEEP
    if len(text) <= LONGEST_TWICE_READ and text.count("[") + text.count("{") <= MOST_BRACKETS_TWICE_READ:
        try:
            for _ in yaml.parse(text, Loader=yaml.SafeLoader):
                pass
        except yaml.YAMLError as slow:
            return _place_and_problem(slow)
    return _place_and_problem(wrong)


def _place_and_problem(wrong: Any) -> tuple[Mark, str]:
    problem, context = getattr(wrong, "problem", None), getattr(wrong, "context", None)
    if problem is None:
        said = str(getattr(wrong, "reason", wrong)).split("\n")[0]
    else:
        said = f"{context}, {problem}" if context else str(problem)
    return _mark_of_event(getattr(wrong, "problem_mark", None)), f"is not valid YAML: {said}"


_TOO_DEEP: Final = f"the document is nested more than {DEEPEST} levels deep"
MOST_MISTAKES: Final = 1_000
"""Mistakes of form after which a document is read no further (ours)."""


@dataclass(slots=True)
class Document:
    """The content of a text, with the mistakes of its form; `root` is None if nothing could be read."""

    file: str
    root: Node | None = None
    mistakes: list[Mistake] = field(default_factory=list)

    def wrong(self, mark: Mark, message: str) -> None:
        """Adds a mistake."""
        self.mistakes.append(Mistake(self.file, mark.line, mark.column, message))


def _mark_of_event(mark: Any) -> Mark:
    return Mark(1, 1) if mark is None else Mark(mark.line + 1, mark.column + 1)


class _Open:
    """A mapping or list that is being read."""

    __slots__ = ("anchor", "key", "key_mark", "node")

    def __init__(self, node: Node, anchor: str | None) -> None:
        self.node = node
        self.anchor = anchor
        self.key: str | None = None
        self.key_mark = NOWHERE


class _NodeBuilder:
    """Puts nodes together, event by event."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.root: Node | None = None
        self.open: list[_Open] = []
        self.anchors: dict[str, Node] = {}
        self.count = 0
        self.documents = 0

    def take(self, event: Event) -> bool:
        """Takes one event; False ends the reading."""
        taker = _TAKERS.get(type(event).__name__)
        return (taker is None or taker(self, event)) and len(self.document.mistakes) < MOST_MISTAKES

    def document_start(self, event: Any) -> bool:
        self.documents += 1
        if self.documents > 1:
            what = "a second document starts here; a file can have only one scenario"
            self.document.wrong(_mark_of_event(event.start_mark), what)
        return self.documents == 1

    def scalar(self, event: Any) -> bool:
        mark = self._marked(event)
        bare = event.implicit[0] and event.tag is None and not event.style
        node = Node(mark, scalar=resolve(event.value) if bare else _whole(event.value))
        if not self._wants_key():
            return self._put(node, event.anchor)
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        return self._key(event.value, mark)

    def alias(self, event: Any) -> bool:
        node = self.anchors.get(event.anchor)
        mark = _mark_of_event(event.start_mark)
        if node is None:
            self.document.wrong(mark, f"*{event.anchor} refers to no earlier anchor")
            node = Node(mark)
        if self._wants_key():
            return self._key("" if node.scalar is None else str(node.scalar), mark)
        return self._put(node, None, node.size)

    def start(self, event: Any) -> bool:
        mark = self._marked(event)
        is_mapping = type(event).__name__ == "MappingStartEvent"
        if self._wants_key():
            self.document.wrong(mark, "a key must be text")
            return False
        return self._begin(Node(mark, items={}) if is_mapping else Node(mark, entries=[]), event.anchor)

    def end(self, event: Any) -> bool:
        done = self.open.pop()
        return self._put(done.node, done.anchor)

    def take_word(self, word: str, mark: Mark) -> bool:
        """Takes a bracket or a value of a sound JSON text; False ends the reading."""
        if word in "{[":
            return self._begin(Node(mark, items={}) if word == "{" else Node(mark, entries=[]), None)
        if word in "}]":
            return self.end(None)
        value: Any = json.loads(word) if word[0] != '"' or "\\" in word else word[1:-1]
        return self._key(value, mark) if self._wants_key() else self._put(Node(mark, value), None)

    def _begin(self, node: Node, anchor: str | None) -> bool:
        if len(self.open) >= DEEPEST:
            self.document.wrong(node.mark, _TOO_DEEP)
            return False
        self.open.append(_Open(node, anchor))
        return True

    def _marked(self, event: Any) -> Mark:
        mark = _mark_of_event(event.start_mark)
        if event.tag is not None:
            self.document.wrong(mark, f"the tag {event.tag} is not allowed; a scenario has only plain values")
        return mark

    def _wants_key(self) -> bool:
        return bool(self.open) and self.open[-1].node.items is not None and self.open[-1].key is None

    def _key(self, text: str, mark: Mark) -> bool:
        top = self.open[-1]
        first = top.node.key_marks.get(text)
        if first is not None:
            self.document.wrong(mark, f"the key {text} is used twice, first in line {first.line}")
        top.key, top.key_mark = text, mark
        return True

    def _put(self, node: Node, anchor: str | None, values: int = 1) -> bool:
        """Adds a value to what is being read; an alias counts as many `values` as its anchor has."""
        self.count += min(MOST_NODES, values)
        if self.count > MOST_NODES:
            self.document.wrong(node.mark, f"the document has more than {MOST_NODES} values")
            return False
        if anchor is not None:
            self.anchors[anchor] = node
        if not self.open:
            self.root = node
            return True
        top = self.open[-1]
        top.node.size += node.size
        if top.node.entries is not None:
            top.node.entries.append(node)
        elif top.node.items is not None and top.key is not None:
            if top.key not in top.node.items:  # the second of two equal keys is a mistake, and the first is used
                top.node.items[top.key] = node
                top.node.key_marks[top.key] = top.key_mark
            top.key = None
        return True


_TAKERS: Final[Mapping[str, Callable[[_NodeBuilder, Any], bool]]] = {
    "DocumentStartEvent": _NodeBuilder.document_start,
    "ScalarEvent": _NodeBuilder.scalar,
    "AliasEvent": _NodeBuilder.alias,
    "SequenceStartEvent": _NodeBuilder.start,
    "MappingStartEvent": _NodeBuilder.start,
    "SequenceEndEvent": _NodeBuilder.end,
    "MappingEndEvent": _NodeBuilder.end,
}
"""The method for each kind of event. They are not kept in the builder, which would then refer to itself and stay until
the garbage collector runs."""


def _whole(text: str) -> str:
    """The text with its surrogate pairs, which JSON's escapes make, joined."""
    if text.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


_WORDS: Final[dict[str, object]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,60}", re.ASCII)
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", re.ASCII)
_STARTS: Final = frozenset("-+.0123456789")


def resolve(text: str) -> object:
    """The value of a scalar without quotes in the core schema of YAML 1.2; `on`, `no`, `1:30` and dates stay text."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _STARTS or len(text) > 60:
        return text
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        number = float(text)
        return number if math.isfinite(number) else text
    return text
