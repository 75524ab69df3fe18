"""YAML and JSON texts into nodes: safely, in bounds, with every doubled key found.

A text is taken event by event, so that others get their turns while a long one is read.
"""

from __future__ import annotations

from typing import Any, Final

import yaml

from mock_server import jsontext
from mock_server.scenario.loading.yaml_nodes import Document, NodeBuilder, mark_of_event
from mock_server.scenario.schema.long_work import in_turns, slices
from mock_server.scenario.schema.nodes import NOWHERE, Mark, Node, from_value

LONGEST: Final = 4 * 1024 * 1024
"""Signs in one document (ours)."""
_LONG_LISTS: Final = frozenset({"rules", "payments", "customers", "expect", "story"})
"""Keys of a scenario under which most of a long one stands."""
LONGEST_TWICE_READ: Final = 65_536


def read_yaml(text: str, file: str) -> Document:
    """Reads one YAML document; never raises."""
    document = Document(file)
    if len(text) > LONGEST:
        document.wrong(Mark(1, 1), f"the document has {len(text)} characters; the maximum is {LONGEST}")
        return document
    builder = NodeBuilder(document)
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
    raw = text.encode("utf-8", "surrogatepass")
    long = _read_in_pieces(raw, text, file)
    if long is not None:
        return long
    try:
        value = jsontext.parse(raw)
    except jsontext.JsonMistake as mistake:
        document.wrong(Mark(1, 1), f"is not valid JSON: {mistake}")
        return document
    # JSON is YAML but for tabs, so the places can be taken from there.
    marked = read_yaml(text.replace("\t", " "), file)
    is_same = marked.root is not None and not marked.mistakes and marked.root.plain() == value
    if is_same or marked.too_large:
        return marked
    return read_value(value, file)


def _read_in_pieces(raw: bytes, text: str, file: str) -> Document | None:
    """A long and sound document, read so that others get their turns; None: whoever reads it whole says what it is."""
    turns = slices()
    if turns is None:
        return None
    try:
        value = jsontext.parse_piecewise(raw, _LONG_LISTS, turns)
    except jsontext.JsonMistake:
        return None
    marked = read_yaml(text.replace("\t", " "), file)
    return marked if marked.root is not None and not marked.mistakes and _holds(marked.root, value) else None


def _holds(node: Node, value: object) -> bool:
    """Whether this is what a node holds; a long list is looked through item by item."""
    if isinstance(value, dict):
        items = node.items or {}
        is_alike = node.items is not None and items.keys() == value.keys()
        return is_alike and all(_holds(items[name], item) for name, item in value.items())
    if isinstance(value, jsontext.Packed):
        entries = node.entries or []
        return len(entries) == len(value) and all(one.plain() == item for one, item in zip(entries, value, strict=True))
    return node.plain() == value


def read_value(value: object, file: str) -> Document:
    """Takes a mapping that never was text; never raises."""
    document = Document(file)
    try:
        document.root = from_value(value)
    except (ValueError, RecursionError) as wrong:
        document.wrong(NOWHERE, f"the document {wrong}")
    return document


def _feed(builder: NodeBuilder, text: str) -> tuple[Mark, str] | None:
    fast = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        for event in in_turns(yaml.parse(text, Loader=fast)):
            if not builder.take(event):
                return None
    except yaml.YAMLError as wrong:
        return _same_words(text, wrong)
    except UnicodeError:
        return Mark(1, 1), "the text contains half of a surrogate pair"
    return None


def _same_words(text: str, wrong: Any) -> tuple[Mark, str]:
    """The two readers of the library word their complaints differently; a short text is shown to the slow one too."""
    if len(text) <= LONGEST_TWICE_READ:
        try:
            for _ in yaml.parse(text, Loader=yaml.SafeLoader):
                pass
        except yaml.YAMLError as slow:
            return _described(slow)
    return _described(wrong)


def _described(wrong: Any) -> tuple[Mark, str]:
    return mark_of_event(getattr(wrong, "problem_mark", None)), f"is not valid YAML: {_complaint(wrong)}"


def _complaint(wrong: Any) -> str:
    problem = getattr(wrong, "problem", None)
    if problem is None:
        return str(getattr(wrong, "reason", wrong)).split("\n")[0]
    context = getattr(wrong, "context", None)
    return f"{context}, {problem}" if context else str(problem)
