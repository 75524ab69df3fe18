"""The flags of the sandbox that is a container's first process.

Flags that were appended to an image's entry point are seen by that process alone. A health check is a process of its
own, and has to ask at the port that they chose.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

FIRST: Final = Path("/proc/1/cmdline")
OURS: Final = "payment-sandbox"
SERVE: Final = "serve"


def flags(told: Path = FIRST) -> Mapping[str, str]:
    """Return the flags by their settings' names; none where the first process is something else, or cannot be seen."""
    try:
        words = told.read_text("utf-8", "replace").split("\0")[:-1]
    except OSError:
        return {}
    served = _after_serve(words)
    return _read(served) if served else {}


def _after_serve(words: list[str]) -> list[str]:
    """Return the flags after `payment-sandbox`, with `serve` or without, whatever stands before it: an init."""
    names = [word.rpartition("/")[2] for word in words]
    given = words[names.index(OURS) + 1 :] if OURS in names else []
    if given[:1] == [SERVE]:
        return given[1:]
    return given if given and given[0].startswith("--") else []


def _read(words: list[str]) -> Mapping[str, str]:
    from mock_server.cli.serve import command, texts

    with command.make_context("serve", words, resilient_parsing=True) as context:
        return texts(context.params)
