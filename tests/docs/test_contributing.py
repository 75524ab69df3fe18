"""The places that CONTRIBUTING names are there."""

from __future__ import annotations

import re
from typing import Final

import pytest

from tests.architecture.sources import ROOT

TEXT: Final = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
BELOW: Final = TEXT.partition("## What a change touches")[2].partition("\n## ")[0]
NAMED: Final = (
    *re.findall(r"`((?:mock_server|tests)/[\w/.]*)`", TEXT),
    *(f"mock_server/{name}" for name in re.findall(r"`((?!mock_server|tests|docs)[a-z_]+/[\w/]*(?:\.py)?)`", BELOW)),
)


def test_it_names_places() -> None:
    assert len(NAMED) > 30


@pytest.mark.parametrize("name", sorted(set(NAMED)))
def test_the_place_is_there(name: str) -> None:
    assert (ROOT / name).exists()
