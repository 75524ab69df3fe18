"""What labels a field, a setting or an option writes *ID*, as the glossary says; `id` is part of names alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import click
import pytest

from mock_server.dialects import DIALECTS
from mock_server.openapi.document import document
from mock_server.settings.table import ROWS
from tests.cli.leaves import LEAVES

SMALL: Final = re.compile(r"(?<![\w.`/<{-])[Ii]ds?\b(?![\w`}>-])")


def told(value: Any) -> Iterator[str]:
    """The texts of a document for its reader."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name in ("description", "summary") and isinstance(inner, str):
                yield inner
            elif name not in ("example", "examples"):
                yield from told(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from told(inner)


def small(texts: Iterator[str]) -> list[str]:
    return sorted({text for text in texts if SMALL.search(re.sub(r"`[^`]*`", "", text))})


@pytest.mark.parametrize("name", sorted(DIALECTS))
def test_the_document(name: str) -> None:
    assert small(told(document(DIALECTS[name]()))) == []


def test_settings_and_options() -> None:
    options = (one.help or "" for leaf in LEAVES for one in leaf.command.params if isinstance(one, click.Option))
    helps = (leaf.command.help or "" for leaf in LEAVES)
    assert small(text for texts in ((row.doc for row in ROWS.values()), options, helps) for text in texts) == []
