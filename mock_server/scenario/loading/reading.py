"""YAML and JSON texts into nodes: safely, in bounds, with every doubled key found.

The text is taken event by event, so that nothing in it is ever made into an object, and nothing nests deeper than is
allowed. Tags are refused. Aliases are followed as far as the bound on values goes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from mock_server import jsontext
from mock_server.scenario.model.mistakes import Mistake
from mock_server.scenario.schema.long_work import in_turns
from mock_server.scenario.schema.nodes import DEEPEST, MOST_NODES, NOWHERE, Mark, Node, from_value

if TYPE_CHECKING:
    from yaml.events import Event

LONGEST: Final = 4 * 1024 * 1024
"""Signs in one document (ours)."""
LONGEST_TWICE_READ: Final = 65_536
EVENTS_AT_ONCE: Final = 200
MOST_TOLD: Final = 1_000
"""Mistakes of form after which a document is read no further (ours)."""


@dataclass(slots=True)
class Document:
    """What a text holds, with the mistakes of its form; `root` is None where nothing could be made of it."""

    file: str
    root: Node | None = None
    mistakes: list[Mistake] = field(default_factory=list)
    too_large: bool = False

    def wrong(self, mark: Mark, message: str) -> None:
        """Notes a mistake."""
        self.mistakes.append(Mistake(self.file, mark.line, mark.column, message))


def read_yaml(text: str, file: str) -> Document:
    """Reads one YAML document; never raises."""
    document = Document(file)
    if len(text) > LONGEST:
        document.wrong(Mark(1, 1), f"the document has {len(text)} characters; at most {LONGEST} are read")
        return document
    builder = _Builder(document)
    trouble = _feed(builder, text)
    if trouble is not None:
        document.wrong(*trouble)
    document.root = builder.root
    if document.root is None and not document.mistakes:
        document.wrong(Mark(1, 1), "the document is empty")
    return document


def read_json(text: str, file: str) -> Document:
    """Reads one JSON document, as strictly as the API reads bodies; never raises."""
    document = Document(file)
    try:
        value = jsontext.parse(text.encode("utf-8", "surrogatepass"))
    except jsontext.JsonMistake as mistake:
        document.wrong(Mark(1, 1), f"is no JSON: {mistake}")
        return document
    # JSON is YAML but for tabs, so the places can be taken from there.
    marked = read_yaml(text.replace("\t", " "), file)
    is_same = marked.root is not None and not marked.mistakes and marked.root.plain() == value
    if is_same or marked.too_large:
        return marked
    return read_value(value, file)


def read_value(value: object, file: str) -> Document:
    """Takes a mapping that never was text; never raises."""
    document = Document(file)
    try:
        document.root = from_value(value)
    except (ValueError, RecursionError) as wrong:
        document.wrong(NOWHERE, f"the document {wrong}")
    return document


def _feed(builder: _Builder, text: str) -> tuple[Mark, str] | None:
    import yaml  # late: only scenarios need it

    fast = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        for event in in_turns(yaml.parse(text, Loader=fast), EVENTS_AT_ONCE):
            if not builder.take(event):
                return None
    except yaml.YAMLError as wrong:
        return _same_words(text, wrong)
    except UnicodeError:
        return Mark(1, 1), "the text holds half of a surrogate pair"
    return None


def _same_words(text: str, wrong: Any) -> tuple[Mark, str]:
    """The two readers of the library word their complaints differently; a short text is shown to the slow one too."""
    import yaml

    if len(text) <= LONGEST_TWICE_READ:
        try:
            for _ in yaml.parse(text, Loader=yaml.SafeLoader):
                pass
        except yaml.YAMLError as slow:
            return _told(slow)
    return _told(wrong)


def _told(wrong: Any) -> tuple[Mark, str]:
    return _mark(getattr(wrong, "problem_mark", None)), f"is no YAML: {_complaint(wrong)}"


def _complaint(wrong: Any) -> str:
    problem = getattr(wrong, "problem", None)
    if problem is None:
        return str(getattr(wrong, "reason", wrong)).split("\n")[0]
    context = getattr(wrong, "context", None)
    return f"{context}, {problem}" if context else str(problem)


def _mark(mark: Any) -> Mark:
    return Mark(1, 1) if mark is None else Mark(mark.line + 1, mark.column + 1)


class _Open:
    """A mapping or list that is being filled."""

    __slots__ = ("anchor", "key", "key_mark", "node")

    def __init__(self, node: Node, anchor: str | None) -> None:
        self.node = node
        self.anchor = anchor
        self.key: str | None = None
        self.key_mark = NOWHERE


class _Builder:
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
        return (taker is None or taker(self, event)) and len(self.document.mistakes) < MOST_TOLD

    def document_start(self, event: Any) -> bool:
        self.documents += 1
        if self.documents > 1:
            self.document.wrong(_mark(event.start_mark), "a second document begins here; one file holds one scenario")
        return self.documents == 1

    def scalar(self, event: Any) -> bool:
        mark = self._marked(event)
        bare = event.implicit[0] and event.tag is None and not event.style
        node = Node(mark, scalar=resolve(event.value) if bare else _whole(event.value))
        if self._wants_key():
            return self._key(event.value, mark, event.anchor, node)
        return self._put(node, event.anchor)

    def alias(self, event: Any) -> bool:
        node = self.anchors.get(event.anchor)
        mark = _mark(event.start_mark)
        if node is None:
            self.document.wrong(mark, f"*{event.anchor} names no value before it")
            node = Node(mark)
        if self._wants_key():
            return self._key("" if node.scalar is None else str(node.scalar), mark, None, node)
        return self._put(node, None, node.size)

    def start(self, event: Any) -> bool:
        mark = self._marked(event)
        is_mapping = type(event).__name__ == "MappingStartEvent"
        if self._wants_key():
            self.document.wrong(mark, "a key must be text")
            return False
        if len(self.open) >= DEEPEST:
            self.document.wrong(mark, f"the document nests over {DEEPEST} deep")
            return False
        node = Node(mark, items={}) if is_mapping else Node(mark, entries=[])
        self.open.append(_Open(node, event.anchor))
        return True

    def end(self, event: Any) -> bool:
        done = self.open.pop()
        return self._put(done.node, done.anchor)

    def _marked(self, event: Any) -> Mark:
        mark = _mark(event.start_mark)
        if event.tag is not None:
            self.document.wrong(mark, f"the tag {event.tag} is not read; a scenario holds plain values")
        return mark

    def _wants_key(self) -> bool:
        return bool(self.open) and self.open[-1].node.items is not None and self.open[-1].key is None

    def _key(self, text: str, mark: Mark, anchor: str | None, node: Node) -> bool:
        if anchor is not None:
            self.anchors[anchor] = node
        top = self.open[-1]
        first = top.node.key_marks.get(text)
        if first is not None:
            self.document.wrong(mark, f"the key {text} stands twice, first in line {first.line}")
        top.key, top.key_mark = text, mark
        return True

    def _put(self, node: Node, anchor: str | None, values: int = 1) -> bool:
        """Puts a value where it stands; an alias brings as many `values` as there are in what it names."""
        self.count += min(MOST_NODES, values)
        if self.count > MOST_NODES:
            self.document.too_large = True
            self.document.wrong(node.mark, f"the document comes to over {MOST_NODES} values")
            return False
        if anchor is not None:
            self.anchors[anchor] = node
        if not self.open:
            self.root = node
            return True
        self._into(self.open[-1], node)
        return True

    def _into(self, top: _Open, node: Node) -> None:
        top.node.size += node.size
        if top.node.entries is not None:
            top.node.entries.append(node)
        elif top.node.items is not None and top.key is not None:
            if top.key not in top.node.items:  # of two equal keys the first one holds, and the second is a mistake
                top.node.items[top.key] = node
                top.node.key_marks[top.key] = top.key_mark
            top.key = None


_TAKERS: Final[Mapping[str, Callable[[_Builder, Any], bool]]] = {
    "DocumentStartEvent": _Builder.document_start,
    "ScalarEvent": _Builder.scalar,
    "AliasEvent": _Builder.alias,
    "SequenceStartEvent": _Builder.start,
    "MappingStartEvent": _Builder.start,
    "SequenceEndEvent": _Builder.end,
    "MappingEndEvent": _Builder.end,
}
"""Who takes an event, by its sort: kept beside the builder, which must go with its last user and not lead to itself."""


def _whole(text: str) -> str:
    """Joins the surrogate pairs of JSON's escapes."""
    if text.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


_WORDS: Final[dict[str, object]] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
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
