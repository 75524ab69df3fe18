"""Reads YAML and JSON texts into nodes, within bounds; other threads can run while a long text is read."""

from __future__ import annotations

import re
from typing import Any, Final

import yaml

from mock_server import jsontext
from mock_server.scenario.loading.yaml_nodes import Document, NodeBuilder, mark_of_event
from mock_server.scenario.schema.block import NOWHERE, Mark, from_value
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


def read_yaml(text: str, file: str) -> Document:
    """Reads one YAML document; never raises."""
    document = Document(file)
    if len(text) > LONGEST:
        return _too_long(document, text)
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
    builder = NodeBuilder(document)
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
