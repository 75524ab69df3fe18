"""Which functions a call passes: `python -m benchmarks.calls` counts them, and prints those that are called most."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

from benchmarks.peers import create_body
from benchmarks.where import HERE, called
from mock_server.app import create_app
from mock_server.clock import uncollected
from mock_server.sandbox import build
from mock_server.settings import Settings

WARM: Final = 20
"""So many calls of each sort come first: what is made once is no part of a call."""


def passed(work: Callable[[], object]) -> Counter[str]:
    """How often each of the package's functions was called while this worked."""
    found: Counter[str] = Counter()

    def look(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and HERE in code.co_filename:
            found[f"{code.co_filename.rpartition(HERE)[2]} {code.co_qualname}"] += 1

    with uncollected():  # what others left to be freed calls functions too
        sys.setprofile(look)
        try:
            work()
        finally:
            sys.setprofile(None)
    return found


def counted() -> dict[str, Counter[str]]:
    """The functions that a create, a confirm and a retrieve pass."""
    app = create_app(build(Settings(rate_limit=100_000_000)))

    def create(number: int, **changes: object) -> str:
        sent = json.dumps({**json.loads(create_body(number)), **changes}).encode()
        return str(json.loads(called(app, "POST", "/payments", sent))["payment_id"])

    open_ones = [create(number, confirm=False) for number in range(WARM)]
    made = [create(WARM + number) for number in range(WARM)]
    for payment_id, paid in zip(open_ones[1:], made[1:], strict=True):
        called(app, "POST", f"/payments/{payment_id}/confirm", b"{}")
        called(app, "GET", f"/payments/{paid}")
    sent = create_body(2 * WARM)
    return {
        "create": passed(lambda: called(app, "POST", "/payments", sent)),
        "confirm": passed(lambda: called(app, "POST", f"/payments/{open_ones[0]}/confirm", b"{}")),
        "retrieve": passed(lambda: called(app, "GET", f"/payments/{made[0]}")),
    }


def main() -> None:
    """Prints the sums, and the functions of one sort of call."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks.calls", description=__doc__)
    asked.add_argument("--of", choices=("create", "confirm", "retrieve"), default="create")
    asked.add_argument("--most", type=int, default=20)
    chosen = asked.parse_args()
    found = counted()
    for what, functions in found.items():
        sys.stdout.write(f"{what}: {functions.total()} calls of {len(functions)} functions\n")
    for name, count in found[chosen.of].most_common(chosen.most):
        sys.stdout.write(f"{count:4} {name}\n")


if __name__ == "__main__":
    main()
