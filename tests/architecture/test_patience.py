"""No test of ours ends by a time of its own: a busy machine is slow, and not wrong (decision 0006)."""

from __future__ import annotations

import re
from typing import Final

import pytest

from tests.architecture.sources import ROOT, files

SECONDS: Final = r"[1-9]\d{0,2}(?:\.\d+)?"
"""A shorter time is waited for what shall not come; a longer one no test sees the end of.
Without one, httpx waits five seconds."""
IMPATIENT: Final = re.compile(
    rf"\.(?:wait|join|result|settimeout)\({SECONDS}\)"
    rf"|\b(?:run|communicate|acquire|wait|urlopen|create_connection|HTTPConnection)\(.*\btimeout={SECONDS}\b"
    rf"|\bcreate_connection\(.*, {SECONDS}\)"
    rf"|^ +timeout={SECONDS},$"
    r"|\b(?:monotonic|perf_counter)\(\) - \w+ <"
    r"|\bhttpx\.(?:Client|get|post|put|patch|delete|request|stream)\((?!.*(?:timeout|transport)=).*\)"
)
BY_ANOTHER_CLOCK: Final = {"tests/api/test_analytics.py": "its own `wait` leads the clock of the workspace"}


def test_nothing_is_waited_for_by_a_time_of_its_own() -> None:
    tests = {str(path.relative_to(ROOT)): path for path in files() if path.suffix == ".py"}
    found = [
        f"{name}:{number}: {line.strip()}"
        for name, path in tests.items()
        if name.startswith("tests/") and name not in {*BY_ANOTHER_CLOCK, "tests/architecture/test_patience.py"}
        for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1)
        if IMPATIENT.search(line)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("assert done.wait(10)", True),
        ("process.communicate(timeout=20)", True),
        ("done = subprocess.run(command, timeout=30, check=True)", True),
        ("        timeout=30,", True),
        ("socket.create_connection(address, 5)", True),
        ("assert time.monotonic() - began < 2", True),
        ("answer = httpx.get(f'{base}/_sandbox/livez', trust_env=False)", True),
        ("with RunningSandbox() as sandbox, httpx.Client() as client:", True),
        ("answer = httpx.get(url, timeout=None)", False),
        ("with httpx.Client(transport=httpx.WSGITransport(app=app)) as client:", False),
        ("assert not never.wait(0.05)", False),
        ("done.wait()", False),
        ("', '.join(words)", False),
        ("sandbox.webhooks.settle(timeout=3600)", False),
        ("until(lambda: seconds(act) < 2)", False),
    ],
)
def test_the_rule_sees_what_breaks_it(line: str, wrong: bool) -> None:
    assert bool(IMPATIENT.search(line)) is wrong
