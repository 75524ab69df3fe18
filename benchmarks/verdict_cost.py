"""What `--payment-sandbox-verdict` costs a suite: each test by turns with it and without, in one run of pytest.

The module is its own plugin of pytest: it takes every test several times, round by round, and draws each time whether
the watching plugin is in: taken strictly by turns, the collector of garbage would always fall on the same side.
Printed as JSON: for each suite the share in percent, in real time and in time of the processor, which other programs
on the machine disturb less.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).resolve().parent.parent
SHOP: Final = ROOT / "examples" / "shop"
RESULT: Final = "VERDICT_COST_FILE"
ROUNDS: Final = 15
NAME: Final = "payment_sandbox_watching"
TINY: Final = """
import pytest

@pytest.mark.parametrize("number", range(20))
def test_tiny(payment_sandbox, number):
    client = payment_sandbox.client
    for at in range(3):
        paid = client.pay(amount=1000 + number, capture_method="manual")
        client.get(f"/payments/{paid['payment_id']}")
        client.post(f"/payments/{paid['payment_id']}/capture", {})
    assert client.get("/payments/list").status == 200
"""
"""Ten calls a test, and nothing else."""


class Turns:
    """Every test by turns with the option and without; `took` has seconds, real and of the processor."""

    def __init__(self) -> None:
        self.runs = 0
        self.draw = random.Random(7)
        self.watching: object = None
        self.took: dict[tuple[str, bool], list[tuple[float, float]]] = defaultdict(list)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """A list of its own for each round, so that a test does not follow itself and is ended each time."""
        self.tests = len(items)
        items[:] = items * (2 * ROUNDS)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[Any]:
        self.runs += 1
        plugins = item.config.pluginmanager
        wanted = self.draw.random() < 0.5
        if not wanted and plugins.has_plugin(NAME):
            self.watching = plugins.unregister(name=NAME)
        elif wanted and not plugins.has_plugin(NAME):
            plugins.register(self.watching, NAME)
        began = time.perf_counter(), time.process_time()
        try:
            return (yield)
        finally:
            took = time.perf_counter() - began[0], time.process_time() - began[1]
            if self.runs > 2 * self.tests:  # imports
                self.took[item.nodeid, wanted].append(took)

    def pytest_sessionfinish(self) -> None:
        found: dict[str, float] = {}
        for at, clock in enumerate(("real", "processor")):
            off, on = (
                sum(
                    statistics.median(one[at] for one in runs)
                    for (_, is_on), runs in self.took.items()
                    if is_on is wanted
                )
                for wanted in (False, True)
            )
            tests = len(self.took) / 2
            found |= {f"{clock}_test_ms": off * 1000 / tests, f"{clock}_percent": (on / off - 1) * 100}
        Path(os.environ[RESULT]).write_text(json.dumps(found), "utf-8")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Turns())


def cost(folder: Path) -> dict[str, float]:
    """The share of a suite's time."""
    with tempfile.TemporaryDirectory() as place:
        result = Path(place) / "found.json"
        options = ["-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-p", "benchmarks.verdict_cost"]
        command = [
            sys.executable,
            "-m",
            "pytest",
            *options,
            "--payment-sandbox-verdict=warn",
            "--rootdir",
            str(folder),
            str(folder),
        ]
        paths = os.pathsep.join((str(ROOT), str(folder), os.environ.get("PYTHONPATH", "")))
        done = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            env={**os.environ, RESULT: str(result), "PYTHONPATH": paths},
        )
        if done.returncode:
            raise RuntimeError(done.stdout[-3000:] + done.stderr[-1000:])
        found: dict[str, float] = json.loads(result.read_text("utf-8"))
        return found


def main() -> None:
    """Measures and prints."""
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "test_tiny.py").write_text(TINY, "utf-8")
        found = {"tiny": cost(Path(place)), "shop": cost(SHOP)}
    sys.stdout.write(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
