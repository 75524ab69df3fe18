"""The request headers that an error offers are those that the reference explains."""

from __future__ import annotations

import re
from typing import Final

import pytest

from tests.architecture.sources import ROOT
from tests.wire import wire

PAGE: Final = (ROOT / "docs/reference/calls.md").read_text("utf-8")
EXPLAINED: Final = frozenset(
    re.findall(r"X-Sandbox-[A-Z]\w+", re.sub(r"- \*\*Response headers.*?(?=\n\n)", "", PAGE, flags=re.DOTALL))
)


def offered(name: str) -> tuple[set[str], str]:
    """The headers that the refusal of another one lists, and the one that it takes the other for."""
    message = wire().call("GET", "/payments/list", headers={name: "1"}).error["message"]
    listed, _, meant = message.partition(" (did you mean ")
    return set(re.findall(r"X-Sandbox-[A-Z][\w-]+", listed.partition("there are")[2])), meant.partition("?")[0]


def test_the_reference_explains_what_an_error_offers() -> None:
    assert offered("X-Sandbox-Nonsense")[0] == EXPLAINED


@pytest.mark.parametrize("name", sorted(EXPLAINED))
def test_a_name_without_a_letter_is_known_again(name: str) -> None:
    assert offered(name[:-2] + name[-1])[1] == name
