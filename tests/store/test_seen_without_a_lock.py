"""What is looked at without a lock may change meanwhile, also within one call of a dict's method.

Python 3.11 looks for garbage while it makes the pairs of `tuple(some.items())`: what is freed then runs, and lets other
threads run. A copy of a dict makes nothing that would start it.
"""

from __future__ import annotations

import gc
import re
from itertools import count
from typing import Any, Final

import pytest

from mock_server.lasting.state import Noted
from mock_server.store.protocol import NEVER
from mock_server.webhooks import delivery_queue
from tests.architecture.sources import PACKAGE, modules

SHARED: Final = ("lasting", "sandbox", "store", "webhooks")
"""The folders whose dicts several threads look at."""
PAIRS: Final = re.compile(r"(?:tuple|list|sorted)\((?:self\._?|facts|[a-z_]+\.state\.)[\w.]*\.?items\(\)")


@pytest.mark.parametrize("facts", [{}, Noted("fact", {})], ids=["in memory", "lasting"])
def test_facts_that_change_while_they_are_looked_at(facts: dict[str, Any]) -> None:
    for number in range(5_000):  # more than the pairs that Python keeps to use again
        dict.__setitem__(facts, f"fact {number}", None)
    added = count()

    def add(phase: str, info: dict[str, int]) -> None:
        """Adds a fact whenever the collector starts, as another thread could then."""
        dict.__setitem__(facts, f"added {next(added)}", None)

    before = gc.get_threshold()
    gc.callbacks.append(add)
    gc.set_threshold(1)
    try:
        assert delivery_queue.earliest(facts) == NEVER
    finally:
        gc.set_threshold(*before)
        gc.callbacks.remove(add)
    assert next(added)


def test_no_pairs_are_made_of_what_others_change() -> None:
    found = [
        f"{module.name}: {line.strip()}"
        for module in modules()
        if module.name.removeprefix(f"{PACKAGE}.").partition(".")[0] in SHARED
        for line in module.lines
        if PAIRS.search(line)
    ]
    assert not found, "\n".join(found)
