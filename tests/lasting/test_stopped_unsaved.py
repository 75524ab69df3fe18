"""A stop that loses what was not saved says so with its exit code; one that loses nothing is a success."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from tests.counts import times
from tests.lasting.shop import KEY, call, order
from tests.running import RunningSandbox, until


class Case(NamedTuple):
    """What is called after the file cannot be written, and whether it changes something that is lost."""

    method: str
    path: str
    body: object
    is_lost: bool


CASES: Final = {
    "a payment": Case("POST", "/payments", order(2), True),
    "a reset": Case("POST", "/_sandbox/reset", {}, True),
    "the clock": Case("POST", "/_sandbox/clock/advance", {"by": "1s"}, True),
    "a probe": Case("GET", "/_sandbox/livez", None, False),
}
BREAK: Final[dict[str, Callable[[Path], object]]] = {
    "gone": lambda path: path.rename(path.with_suffix(".moved")),
    "cut": lambda path: path.write_bytes(b""),
    "sound": lambda path: None,
}


@pytest.mark.parametrize(
    ("how", "case"), [("gone", name) for name in CASES] + [("cut", "a payment"), ("sound", "a reset")]
)
def test_the_exit_code_tells_what_was_lost(how: str, case: str, tmp_path: Path) -> None:
    path, asked = tmp_path / "state.sqlite", CASES[case]
    with RunningSandbox("--data", str(path), "--log-level", "error") as sandbox:
        port = sandbox.ready["port"]
        assert call(port, "POST", "/payments", order(1), key=KEY)[0] == 200
        BREAK[how](path)
        status, _ = call(port, asked.method, asked.path, asked.body, key=KEY)
        assert status == (503 if asked.is_lost and how != "sound" else 200)
        code, _, said = sandbox.stop()
    is_lost = asked.is_lost and how != "sound"
    assert (code, "could not be saved" in said) == (int(is_lost), is_lost), said


MANY: Final = "name: many\ngiven:\n  payments: {count: 100000}\n"
LONG: Final[dict[str, tuple[tuple[str, ...], str, str]]] = {
    "a first call": (("--scenario", "many"), "GET", "/payments/list"),
    "an activation": ((), "POST", "/_sandbox/scenarios/many/activate"),
}
"""Calls that create records for long, on a thread: flags, method and path."""


@pytest.mark.parametrize("act", list(LONG)[: times(1, soak=len(LONG))])
def test_what_no_answer_told_is_not_lost(act: str, tmp_path: Path) -> None:
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "scenarios" / "many.yaml").write_text(MANY)
    flags, method, path = LONG[act]
    saved = tmp_path / "state.sqlite-wal"
    where = ("--data", str(tmp_path / "state.sqlite"), "--scenarios", str(tmp_path / "scenarios"))
    with ThreadPoolExecutor(1) as threads, RunningSandbox(*where, *flags) as sandbox:
        asked = threads.submit(call, sandbox.ready["port"], method, path)
        until(lambda: saved.exists() and saved.stat().st_size > 1 << 18)
        code, _, said = sandbox.stop()
        assert isinstance(asked.exception(), OSError | HTTPException)
    assert (code, "could not be saved" in said) == (0, False), said
