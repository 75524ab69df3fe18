"""Which operations of the public API are answered, which are 501, and which are unknown (public_operations.txt)."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from mock_server.dialects.hyperswitch import HYPERSWITCH
from tests.wire import Wire, wire

TABLE: Final = Path(__file__).with_name("public_operations.txt")
ROWS: Final = tuple(tuple(row.split(" ")) for row in TABLE.read_text().splitlines() if row and not row.startswith("#"))
DOCS: Final = Path(__file__).parents[2] / "docs"
PAGE: Final = DOCS / "how-to/speak-the-public-api.md"
MISSING: Final = DOCS / "reference/routes.md"


@pytest.fixture(scope="module")
def api() -> Wire:
    found = wire(dialect=HYPERSWITCH)
    found.post("/payments", {"amount": 1, "currency": "USD"})
    return found


@pytest.mark.parametrize(("standing", "method", "path"), ROWS, ids=[" ".join(row[1:]) for row in ROWS])
def test_an_operation_is_as_the_table_says(api: Wire, standing: str, method: str, path: str) -> None:
    reply = api.call(method, re.sub(r"\{\w+\}", "nobody", path))
    code = reply.error["code"] if reply.status >= 400 and reply.raw.startswith(b'{"error"') else ""
    found = "501" if reply.status == 501 else "404" if code in ("IR_02", "IR_03") else "answers"
    assert found == standing


def test_the_guide_has_the_figures() -> None:
    counts = Counter(row[0] for row in ROWS)
    figures = (
        f"Of {len(ROWS)} operations of the public API, {counts['answers']} are answered, {counts['501']} are 501 with "
        f"the reason, and {counts['404']} are 404"
    )
    assert figures in " ".join(PAGE.read_text().split())


def left_out() -> set[str]:
    """The operations that the page of routes calls unknown."""
    cells = "\n".join(re.findall(r"^\| `(.*?)`", MISSING.read_text().partition("missing here")[2], re.MULTILINE))
    said = re.findall(r"((?:[A-Z]+, )*[A-Z]+) (/[^ ,\n]+)", cells)
    return {f"{method} {plain(path)}" for methods, path in said for method in methods.split(", ")}


def plain(path: str) -> str:
    return re.sub(r"\{\w+\}", "{}", path)


def test_the_page_of_routes_has_each_operation_that_is_not_answered() -> None:
    unknown = {f"{method} {plain(path)}" for standing, method, path in ROWS if standing == "404"}
    assert not unknown - left_out()
    answered = {f"{method} {plain(path)}" for standing, method, path in ROWS if standing == "answers"}
    assert not answered & left_out()


@pytest.mark.parametrize(("method", "path"), [row[1:] for row in ROWS if row[0] == "501"], ids=" ".join)
def test_the_page_of_routes_says_what_a_501_does_not_offer(api: Wire, method: str, path: str) -> None:
    feature = api.call(method, re.sub(r"\{\w+\}", "nobody", path)).error["message"].removesuffix(".")
    assert f"| not offered: {feature.removeprefix('This sandbox does not offer ')} |" in MISSING.read_text()
