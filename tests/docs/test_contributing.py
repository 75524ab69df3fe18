"""The places that CONTRIBUTING names are there."""

from __future__ import annotations

import re
from typing import Final

import pytest

from tests.architecture.sources import ROOT

NAMED: Final = re.findall(r"`((?:mock_server|tests)/[\w/.]*)`", (ROOT / "CONTRIBUTING.md").read_text("utf-8"))


def test_it_names_places() -> None:
    assert len(NAMED) > 30


@pytest.mark.parametrize("name", sorted(set(NAMED)))
def test_the_place_is_there(name: str) -> None:
    assert (ROOT / name).exists()
