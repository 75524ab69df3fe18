"""Records every call that the suite sends in its own process, and says where two recordings differ.

For changes that shall change no answer. The suite's clients have a seed and a clock that stands still, so the same
test gets the same bytes:

    pytest -p tests.recording --record before.jsonl tests    # on the state before; again for the state after
    python -m tests.recording before.jsonl after.jsonl [--like before-again.jsonl]

With `--like`, a second recording of the first state, calls whose answers differ between those two are left out and
counted: threads, real time. Texts that a change gives other words are named by `--word OLD=NEW`, done to the first.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import IO, Any, Final

import pytest

from tests import wire

MASKED: Final = ("date", "server", "content-length")
"""Headers that say nothing of the answer, or follow from it."""
Key = tuple[str, int]
Entry = dict[str, Any]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record", metavar="FILE", help="write every call and its answer into this file")


class Recorder:
    """Writes one line a call: which test, which of its calls, what was sent and what came back."""

    def __init__(self, out: IO[str]) -> None:
        self._out = out
        self._numbers: Counter[str] = Counter()
        self._lock = Lock()

    def __call__(self, method: str, path: str, sent: bytes, reply: wire.Reply) -> None:
        test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
        entry = {
            "test": test,
            "call": f"{method} {path}",
            "sent": sent.decode("utf-8", "replace"),
            "status": reply.status,
            "headers": {name.lower(): value for name, value in reply.headers.items() if name.lower() not in MASKED},
            "body": reply.raw.decode("utf-8", "replace"),
        }
        with self._lock:
            self._numbers[test] += 1
            self._out.write(json.dumps({**entry, "number": self._numbers[test]}) + "\n")


def pytest_configure(config: pytest.Config) -> None:
    named = config.getoption("--record")
    if named is None:
        return
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    stream = Path(f"{named}{'.' + worker if worker else ''}").open("w", encoding="utf-8")  # noqa: SIM115 — closed at the end of the run
    config.add_cleanup(stream.close)
    wire.HEARD_BY.append(Recorder(stream))


def entries(named: str, words: list[str]) -> dict[Key, Entry]:
    """Read a recording, or the parts of it that workers wrote."""
    path = Path(named)
    found: dict[Key, Entry] = {}
    for part in sorted(path.parent.glob(path.name + "*")):
        for line in part.read_text("utf-8").splitlines():
            for old, new in (word.split("=", 1) for word in words):
                line = line.replace(old, new)
            entry = json.loads(line)
            found[entry["test"], entry["number"]] = entry
    return found


def differences(before: dict[Key, Entry], after: dict[Key, Entry]) -> Iterator[tuple[Key, str]]:
    for key, entry in before.items():
        other = after.get(key)
        if other is None:
            yield key, "not sent any more"
            continue
        parts = [part for part in ("call", "sent", "status", "headers", "body") if entry[part] != other[part]]
        if parts:
            yield key, "; ".join(f"{part}: {entry[part]!r} -> {other[part]!r}" for part in parts)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--like", help="a second recording of the first state")
    parser.add_argument("--word", action="append", default=[], metavar="OLD=NEW")
    parser.add_argument("--most", type=int, default=40, help="how many differences are printed")
    given = parser.parse_args(arguments)
    before, after = entries(given.before, given.word), entries(given.after, [])
    unsteady = {key for key, _ in differences(before, entries(given.like, given.word))} if given.like else set()
    found = [(key, what) for key, what in differences(before, after) if key not in unsteady]
    for (test, number), what in found[: given.most]:
        print(f"{test} call {number}: {what[:600]}")  # noqa: T201 — a program's output
    new = len(after.keys() - before.keys())
    print(  # noqa: T201 — a program's output
        f"{len(before)} calls before, {len(after)} after ({new} new); {len(unsteady)} differ between two runs"
        f" of the same state and are left out; {len(found)} differences"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
