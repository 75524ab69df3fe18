"""Reads YAML and JSON texts into nodes, within bounds; other threads can run while a long text is read."""

from __future__ import annotations

from typing import Any, Final

import yaml

from mock_server import jsontext
from mock_server.scenario.loading.yaml_nodes import Document, NodeBuilder, mark_of_event
from mock_server.scenario.schema.long_work import in_turns, slices
from mock_server.scenario.schema.nodes import NOWHERE, Mark, Node, from_value

LONGEST: Final = 4 * 1024 * 1024
"""Characters in one document (ours)."""
_LONG_LISTS: Final = frozenset({"rules", "payments", "customers", "expect", "story"})
"""Keys that have most of the content of a long scenario."""
LONGEST_TWICE_READ: Final = 65_536


def read_yaml(text: str, file: str) -> Document:
    """Reads one YAML document; never raises."""
    document = Document(file)
    if len(text) > LONGEST:
        document.wrong(Mark(1, 1), f"the document has {len(text)} characters; the maximum is {LONGEST}")
        return document
    builder = NodeBuilder(document)
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
    raw = text.encode("utf-8", "surrogatepass")
    long = _read_in_pieces(raw, text, file)
    if long is not None:
        return long
    try:
        value = jsontext.parse(raw)
    except jsontext.JsonMistake as mistake:
        document.wrong(Mark(1, 1), f"is not valid JSON: {mistake}")
        return document
    # Apart from tabs, JSON is YAML, so a YAML reader gives the places.
    marked = read_yaml(text.replace("\t", " "), file)
    is_same = marked.root is not None and not marked.mistakes and marked.root.plain() == value
    if is_same or marked.too_large:
        return marked
    return read_value(value, file)


def _read_in_pieces(raw: bytes, text: str, file: str) -> Document | None:
    """A long valid document, read so that other threads can run; None for any other, which is read as a whole."""
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
    """Whether a node has this value; a long list is compared item by item."""
    if isinstance(value, dict):
        items = node.items or {}
        is_alike = node.items is not None and items.keys() == value.keys()
        return is_alike and all(_holds(items[name], item) for name, item in value.items())
    if isinstance(value, jsontext.Packed):
        entries = node.entries or []
        return len(entries) == len(value) and all(one.plain() == item for one, item in zip(entries, value, strict=True))
    return node.plain() == value


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
    if len(text) <= LONGEST_TWICE_READ:
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
    return mark_of_event(getattr(wrong, "problem_mark", None)), f"is not valid YAML: {said}"
