"""Every path with every method that it does not have: 405, and `Allow` names those that it has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import Final

import pytest

from mock_server.contract.control_operations import CONTROL_OPERATIONS
from mock_server.contract.operations import OPERATIONS
from mock_server.domain.ids import RESERVED_WORDS
from tests.wire import Wire, wire

METHODS: Final = ("GET", "POST", "PUT", "DELETE", "PATCH")
CHOSEN: Final = frozenset({"<payment_id>", "<refund_id>", "<customer_id>"})
"""Ids that a caller can choose."""


def methods_of() -> dict[str, set[str]]:
    """The methods of each path, by the path."""
    found: dict[str, set[str]] = {}
    for path, method in [(row.path, row.method) for row in OPERATIONS] + [
        (row.path, row.method) for row in CONTROL_OPERATIONS
    ]:
        found.setdefault(re.sub(r"<\w+>", "<id>", path), set()).add(method)
    return found


def missing() -> Iterator[tuple[str, str, str]]:
    for path, has in methods_of().items():
        allowed = ", ".join(sorted(has))
        yield from ((method, path.replace("<id>", "x_1"), allowed) for method in METHODS if method not in has)


@pytest.fixture(scope="module")
def api() -> Wire:
    return wire()


def test_a_path_takes_only_its_own_methods(api: Wire) -> None:
    wrong = {}
    for method, path, allowed in missing():
        reply = api.call(method, path)
        if (reply.status, reply.headers.get("Allow")) != (405, allowed):
            wrong[f"{method} {path}"] = (reply.status, reply.headers.get("Allow"), allowed)
    assert wrong == {}


@pytest.mark.parametrize("path", ["/payments/list", "/payments/list/", "/refunds/sync", "/_sandbox/scenarios/schema"])
def test_a_word_of_the_paths_is_no_id(api: Wire, path: str) -> None:
    reply = api.put(path, {"amount": 1})
    assert (reply.status, reply.error["code"]) == (405, "IR_03")


def test_no_id_can_be_chosen_that_stands_in_a_path() -> None:
    """What has such an id could be made and never be found again."""
    paths = [row.path.split("/") for row in OPERATIONS]
    shadowing = {
        other[place]
        for path, other in product(paths, paths)
        for place in range(2, min(len(path), len(other)))
        if path[place] in CHOSEN and other[:place] == path[:place] and not other[place].startswith("<")
    }
    assert shadowing and shadowing <= RESERVED_WORDS
